import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { keyOrDecoy } from '#actors/identity/store.ts';
import { secretSha256 } from '#actors/kit/secret.ts';
import { World } from '#test/kit/identity-call.ts';

const DAY = 86_400_000;

const issued = async (world: World, body?: unknown, roles: string[] = []) =>
  world.ask('issueKey', { authorization: world.bearer(roles), body });

describe('POST /auth/apikey', () => {
  test('answers the key once, with id, expiry and capabilities as stored', async () => {
    const world = new World();
    const capabilities = { roles: ['tenant_user'], scope: ['acme:dev:atlas:main'], is_superadmin: false };
    const { status, body, headers } = await issued(world, { service: 'ci', capabilities }, ['tenant_user']);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['id', 'key', 'expires_at', 'capabilities']);
    expect(body['key']).toMatch(new RegExp(`^${body['id'] as string}\\.[\\w-]{43}$`));
    expect(body['capabilities']).toEqual(capabilities);
    expect(Date.parse(body['expires_at'] as string)).toBe(world.clock.now() + 365 * DAY);
    expect(headers['Cache-Control']).toBe('no-store');
  });

  test('stores the SHA-256 of the secret, never the secret', async () => {
    const world = new World();
    const { body } = await issued(world, { service: 'ci' });
    const secret = (body['key'] as string).split('.')[1]!;
    const record = keyOrDecoy(world.store.begin(), body['id'] as string);
    expect(Buffer.from(record.secret_sha256)).toEqual(secretSha256(secret));
    expect(record).toMatchObject({ service: 'ci', created_by: 'U', last_used_at: null, expiresat: body['expires_at'] });
    expect(JSON.stringify([record, world.events])).not.toContain(secret);
  });

  test.each([undefined, '{}', { service: null, capabilities: null, expires_in_days: null }, { capabilities: {} }])(
    'body %j is an ordinary key with the defaults',
    async (body) => {
      const world = new World();
      const answer = await issued(world, body);
      expect(answer.status).toBe(201);
      expect(answer.body['capabilities']).toEqual({});
      expect(keyOrDecoy(world.store.begin(), answer.body['id'] as string).service).toBe('platform-v2');
    },
  );

  test.each([
    [undefined, 365],
    [0, 365],
    [-5, 365],
    [1, 1],
    [7.0, 7],
    [40_000, 40_000],
  ])('expires_in_days %s lasts %i days', async (days, expected) => {
    const world = new World();
    const { body } = await issued(world, { expires_in_days: days });
    expect(Date.parse(body['expires_at'] as string)).toBe(world.clock.now() + expected * DAY);
  });

  test.each([3_000_000, 2 ** 53, 1e300])('a lifetime of %d days is cut at the year 9999', async (days) => {
    const { status, body } = await issued(new World(), { expires_in_days: days });
    expect(status).toBe(201);
    expect(body['expires_at']).toBe('9999-12-31T23:59:59Z');
  });

  test('ignores fields it does not know', async () => {
    const { status, body } = await issued(new World(), { kind: 'refusal', status: 200, capabilities: { foo: 1 } });
    expect(status).toBe(201);
    expect(body['capabilities']).toEqual({});
  });

  test.each([
    ['{', 'not valid JSON'],
    [' ', 'not valid JSON'],
    ['{"a":1,"a":2}', 'duplicate key'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['"x"', 'not a JSON object'],
    [{ expires_in_days: 1.5 }, 'expires_in_days'],
    [{ expires_in_days: '1' }, 'expires_in_days'],
    [{ service: 7 }, 'service'],
    [{ service: 'x'.repeat(limits.identity.serviceTagCharsMax + 1) }, 'service'],
    [{ capabilities: [] }, 'capabilities'],
    [{ capabilities: { roles: 'tenant_user' } }, 'capabilities.roles'],
    [{ capabilities: { roles: [7] } }, 'capabilities.roles.0'],
    [{ capabilities: { scope: ['a:b:c'] } }, 'capabilities.scope.0'],
    [{ capabilities: { is_superadmin: 'yes' } }, 'capabilities.is_superadmin'],
    [{ capabilities: { roles: ['x'.repeat(limits.identity.capabilitiesBytesMax)] } }, 'capabilities'],
  ])('body %j is bad_request and writes nothing', async (body, naming) => {
    const world = new World();
    const answer = await issued(world, body);
    expect([answer.status, answer.code]).toEqual([400, 'bad_request']);
    expect(answer.body['error']).toContain(naming);
    expect([...world.store.begin().range('\x00', '\xff')]).toEqual([]);
  });

  test.each([
    [{ roles: ['editor'] }, 'roles'],
    [{ scope: ['acme:dev:atlas:*'] }, 'scope'],
    [{ is_superadmin: true }, 'is_superadmin'],
  ])('capabilities %j exceed a tenant_user: the message names the channel', async (capabilities, channel) => {
    const world = new World();
    const answer = await issued(world, { capabilities }, ['tenant_user']);
    expect([answer.status, answer.code]).toEqual([403, 'scope_exceeds_authority']);
    expect(answer.body['error']).toMatch(new RegExp(`^${channel}: `));
    expect([...world.store.begin().range('\x00', '\xff')]).toEqual([]);
  });

  test('a key issues a key, and the new one authenticates with its roles', async () => {
    const world = new World();
    const authorization = world.key({ roles: ['tenant_admin'], is_superadmin: true });
    const capabilities = { roles: ['editor'], is_superadmin: true };
    const { body } = await world.ask('issueKey', { authorization, body: { capabilities } });
    const again = await world.ask('issueKey', {
      authorization: `ApiKey ${body['key'] as string}`,
      body: { capabilities: { roles: ['anything'] } },
    });
    expect(again.status).toBe(201);
  });
});
