import { describe, expect, test } from 'vitest';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { NO_SESSIONS } from '#actors/kit/session-gate.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { POSITION, World } from '#test/kit/identity-call.ts';

const SCOPE = ['acme:dev:atlas:*', 'acme:*:other:main'];

describe('POST /auth/token', () => {
  test('answers a token with the stated claims, valid for 900 s', async () => {
    const world = new World();
    const authorization = world.key({ scope: SCOPE, roles: ['tenant_admin'], is_superadmin: true });
    const { status, body, headers } = await world.ask('exchangeKey', { authorization });
    expect(status).toBe(200);
    expect(body).toEqual({ token: body['token'], token_type: 'Bearer', expires_in: 900 });
    expect(headers['Cache-Control']).toBe('no-store');
    const now = new Date(world.clock.now()).toISOString();
    expect(verifyToken(body['token'] as string, world.ring, world.clock.now())?.claims).toEqual({
      iss: 'iam',
      sub: `apikey:${authorization.slice('ApiKey '.length).split('.')[0]}`,
      type: 'service',
      tenant: POSITION,
      scope: SCOPE,
      iat: now,
      nbf: now,
      exp: new Date(world.clock.now() + 900_000).toISOString(),
    });
  });

  test.each([
    ['audience=data', 'data'],
    ['audience=a%20b&audience=c', 'a b'],
    ['audience=', undefined],
    ['other=1', undefined],
  ])('query %j sets aud %j', async (query, aud) => {
    const world = new World();
    const { body } = await world.ask('exchangeKey', { authorization: world.key({ scope: SCOPE }), query });
    expect(verifyToken(body['token'] as string, world.ring, world.clock.now())?.claims['aud']).toBe(aud);
  });

  test('the token counts where a grant covers, and identity takes it as a principal without roles', async () => {
    const world = new World();
    const { body } = await world.ask('exchangeKey', { authorization: world.key({ scope: SCOPE }) });
    const authorization = `Bearer ${body['token'] as string}`;
    expect(
      new BearerCheck(world.context, 'data').check(authorization, world.activation.position, NO_SESSIONS)?.type,
    ).toBe('service');
    expect((await world.ask('issueKey', { authorization })).status).toBe(201);
    const wish = { capabilities: { roles: ['tenant_user'] } };
    expect((await world.ask('issueKey', { authorization, body: wish })).code).toBe('scope_exceeds_authority');
    world.clock.advance(900_000);
    expect((await world.ask('issueKey', { authorization })).code).toBe('invalid_token');
  });

  test('revoking the key stops later exchanges only', async () => {
    const world = new World();
    const authorization = world.key({ scope: SCOPE });
    const { body } = await world.ask('exchangeKey', { authorization });
    const id = authorization.slice('ApiKey '.length).split('.')[0]!;
    await world.ask('revokeKey', { authorization, id });
    expect((await world.ask('exchangeKey', { authorization })).code).toBe('invalid_api_key');
    expect((await world.ask('issueKey', { authorization: `Bearer ${body['token'] as string}` })).status).toBe(201);
  });

  test.each([{}, { scope: [] }, { roles: ['tenant_admin'] }])(
    'capabilities %j are no service key',
    async (capabilities) => {
      const world = new World();
      const answer = await world.ask('exchangeKey', { authorization: world.key(capabilities) });
      expect([answer.status, answer.code]).toEqual([403, 'not_a_service_key']);
    },
  );
});
