/** Impersonation without threads: the plane, the control plane and the tenant are three worlds joined by the node's line. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { operatorRefusals } from '#actors/identity/operator/refusals.ts';
import { operatorRoutes } from '#actors/identity/operator/routes.ts';
import type { AskNode } from '#actors/protocol/node-verbs.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { World, type Answer } from '#test/kit/identity-call.ts';

const TENANT = 'acme:atlas:dev:main';
const PLANE = 'acme:atlas:dev:superadmin';

async function run(world: World, verb: string, body: unknown): Promise<unknown> {
  const work = new Work(world.activation);
  const result: unknown = await world.service.asks![verb]!(work, body as never);
  work.commit();
  return result;
}

async function stage() {
  const control = new World({ position: CONTROL_PLANE });
  const tenant = new World({ position: TENANT });
  const askNode = (async (_verb: string, { key, verb, body }: { key: string; verb: string; body: unknown }) => ({
    ok: true,
    value: await run(key === CONTROL_PLANE ? control : tenant, verb, body),
  })) as unknown as AskNode;
  const plane = new World({ position: PLANE, askNode });
  const { id: user } = (await run(tenant, 'person.ensure', {
    email: 'ann@example.org',
    password: 'correct horse',
    roles: ['tenant_user', 'superadmin', 'Superadmin'],
  })) as { id: string };
  await run(tenant, 'user.set', { user, allow_impersonation: true });
  const authorization = plane.key({ roles: ['impersonate', 'impersonate-readonly'] });
  const operator = authorization.slice('ApiKey '.length).split('.')[0]!;
  const grant = (for_ms: number): Promise<unknown> =>
    run(control, 'grant.put', { operator, tenant: TENANT, granted_by: 'test', for_ms });
  const wish = { tenant: TENANT, user, reason: 'ticket 7', mode: 'full' };
  const ask = (more: object = {}): Promise<Answer> =>
    plane.ask('impersonate', { authorization, body: { ...wish, ...more } });
  return { control, tenant, plane, user, operator, grant, ask };
}

const claimsOf = (world: World, answer: Answer) =>
  verifyToken(answer.body['access_token'] as string, world.ring, world.clock.now())!.claims;

describe('the token', () => {
  test.each(['full', 'readonly'])(
    'names the operator and the mode: %s; a superadmin’s power is not borrowed',
    async (mode) => {
      const { tenant, user, operator, grant, ask } = await stage();
      await grant(3_600_000);
      const answer = await ask({ mode });
      expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: limits.identity.impersonationSeconds });
      expect(claimsOf(tenant, answer)).toMatchObject({
        sub: user,
        type: 'user',
        tenant: TENANT,
        roles: ['tenant_user'],
        sid: answer.body['session_id'],
        act: { sub: operator, mode },
      });
    },
  );

  test('does not outlive the grant', async () => {
    const { tenant, grant, ask } = await stage();
    await grant(90_500);
    const answer = await ask();
    expect(answer.body['expires_in']).toBe(90);
    expect(claimsOf(tenant, answer)['exp']).toBe(new Date(tenant.clock.now() + 90_000).toISOString());
  });

  test('is none of a grant that is over', async () => {
    const { control, grant, ask } = await stage();
    await grant(1000);
    control.clock.advance(1000);
    expect(await ask()).toMatchObject({ status: 403, code: 'impersonation_denied' });
  });
});

test('the event says why, the caller gets one answer', async () => {
  const { plane, tenant, grant, ask } = await stage();
  const texts = [await ask(), await ask({ tenant: 'acme:atlas:dev:shared' }), await ask({ tenant: PLANE })];
  await grant(3_600_000);
  texts.push(await ask({ user: 'absent' }));
  expect(new Set(texts.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  const denials = plane.events.filter(({ action }) => action === 'auth.impersonation.denied');
  expect(denials.map(({ data }) => data['why'])).toEqual([
    'no grant',
    'the tenant is not of this plane',
    'the tenant is not of this plane',
    'no such user',
  ]);
  await ask();
  expect(tenant.events).toContainEqual(
    expect.objectContaining({
      action: 'auth.impersonation.started',
      data: expect.objectContaining({ reason: 'ticket 7', mode: 'full' }),
    }),
  );
  expect(plane.events.map(({ action }) => action)).toContain('auth.impersonate.before');
});

test('an operator who acts for a user cannot go on from there', async () => {
  const { plane } = await stage();
  const authorization = plane.bearer(['impersonate'], { act: { sub: 'x', mode: 'full' } });
  const answer = await plane.ask('impersonate', {
    authorization,
    body: { reason: 'x', tenant: TENANT, user: 'u', mode: 'full' },
  });
  expect(answer.status).not.toBe(200);
});

test('a full line answers 503, and a retry makes sense', async () => {
  const never = (() => new Promise(() => undefined)) as unknown as AskNode;
  const plane = new World({ position: PLANE, askNode: never });
  const authorization = plane.key({ roles: ['impersonate'] });
  const body = { reason: 'x', tenant: TENANT, user: 'u', mode: 'full' };
  for (let i = 0; i < limits.identity.nodeAsksMax; i++) void plane.ask('impersonate', { authorization, body });
  const answer = await plane.ask('impersonate', { authorization, body });
  expect(answer).toMatchObject({ status: 503, code: 'engine_unavailable', headers: { 'Retry-After': '1' } });
});

test('every refusal of the room is met by one of its rows, and every row names its path', () => {
  const used = new Set<string>(Object.values(operatorRoutes).flatMap((row) => row.refusals));
  for (const code of Object.keys(operatorRefusals)) expect(used).toContain(code);
  expect(Object.values(operatorRoutes).map(({ methods, path }) => `${methods[0]} ${path}`)).toEqual([
    'POST /superadmin/registry/tenants',
    'POST /superadmin/registry/tenants/{key}/provision',
    'POST /superadmin/impersonate',
  ]);
});
