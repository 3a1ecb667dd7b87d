/** Keys that an administrator makes, changes and revokes; where and how often they count. */
import { describe, expect, test } from 'vitest';
import { keyRoutes } from '#actors/identity/key/routes.ts';
import { KeyGuard } from '#actors/identity/key/key-guard.ts';
import { messageOf, PeopleWorld, said } from '../people/kit.ts';
import type { Answer } from '#test/kit/identity-call.ts';

const WISH = { name: 'ci', capabilities: { scope: ['acme:dev:atlas:main'] } };
const from = (address: string): string => `:ip:${address}\n`;

const make = (world: PeopleWorld, body: object, authorization = world.admin): Promise<Answer> =>
  world.ask('makeAdminKey', { authorization, body });

async function keyWith(world: PeopleWorld, more: object): Promise<{ id: string; authorization: string }> {
  const { status, body, text } = await make(world, { ...WISH, ...more });
  expect(status, text).toBe(201);
  return { id: body['id'] as string, authorization: `ApiKey ${body['key'] as string}` };
}

describe('a key', () => {
  test('is made with its name and shown once; lists and changes never show the secret', async () => {
    const world = await PeopleWorld.open();
    const wish = { ...WISH, metadata: { repo: 'atlas' }, ips: ['10.0.0.0/8'], per_second: 5, expires_in_days: 3 };
    const made = await make(world, wish);
    const { key, ...view } = made.body;
    expect(view).toMatchObject({ name: 'ci', metadata: { repo: 'atlas' }, ips: ['10.0.0.0/8'], per_second: 5, state: 'valid', created_by: world.adminId, last_used_at: null }); // prettier-ignore
    expect(made.headers['Cache-Control']).toBe('no-store');
    const secret = (key as string).split('.')[1]!;
    const listed = await world.ask('listAdminKeys', { authorization: world.admin });
    expect(listed.body).toEqual({ keys: [view], next: null });
    const id = view['id'] as string;
    const changed = await world.ask('changeAdminKey', { authorization: world.admin, id, body: { name: 'cd', metadata: null } }); // prettier-ignore
    expect(changed.body).toEqual({ ...view, name: 'cd', metadata: {} });
    const spoken = [listed.text, changed.text, JSON.stringify(world.events), world.logged.join()].join();
    expect(spoken).not.toContain(secret);
    expect(world.events.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['auth.apikey.issued', 'auth.apikey.changed']),
    );
  });

  test.each([
    [{ capabilities: {} }, /^"name: /],
    [{ name: '' }, /^"name: /],
    [{ name: 'x', ips: [] }, /^"ips: /],
    [{ name: 'x', ips: ['10.0.0.0/33'] }, /is no IP address and no CIDR range/],
    [{ name: 'x', ips: ['example.org'] }, /is no IP address and no CIDR range/],
    [{ name: 'x', ips: ['1.2.3.4/'] }, /is no IP address and no CIDR range/],
    [{ name: 'x', per_second: 0 }, /^"per_second: /],
    [{ name: 'x', per_second: -1 }, /^"per_second: /],
    [{ name: 'x', metadata: { a: 1 } }, /^"metadata/],
    [{ name: 'x', metadata: { a: 'x'.repeat(3000) } }, /^"metadata/],
    [{ name: 'x', expires_in_days: 40_000 }, /^"expires_in_days: /],
    [{ name: 'x', ip: ['10.0.0.0/8'] }, /ip/],
    [{ name: 'x', capabilities: { scope: ['x'] } }, /^"capabilities/],
  ])('%# a wish that is not valid is refused with its member', async (body, why) => {
    const answer = await make(await PeopleWorld.open(), body);
    expect(said(answer)).toEqual([400, 'bad_request']);
    expect(messageOf(answer)).toMatch(why);
  });

  test('has no more than its maker may give: no operators’ roles, no foreign grants, no is_superadmin', async () => {
    const world = await PeopleWorld.open({ settings: { roles: { dispatcher: 'assigns' } } });
    const superadmin = world.bearer(['superadmin', 'tenant_admin'], { sub: world.adminId });
    for (const who of [world.admin, superadmin])
      for (const capabilities of [
        { roles: ['platform_admin'] },
        { roles: ['Superadmin'] },
        { scope: ['acme:*:atlas:*'] },
        { is_superadmin: true },
      ])
        // prettier-ignore
        expect(said(await make(world, { name: 'x', capabilities }, who))).toEqual([403, 'scope_exceeds_authority']);
    expect(said(await make(world, { name: 'x', capabilities: { roles: ['dispacher'] } }))).toEqual([
      400,
      'undeclared_role',
    ]);
    expect((await make(world, { name: 'x', capabilities: { roles: ['dispatcher', 'tenant_viewer'] } })).status).toBe(
      201,
    );
  });
});

describe('addresses', () => {
  test('a key from elsewhere is answered as an unknown one, byte for byte, on every route that reads a key', async () => {
    const world = await PeopleWorld.open();
    const { authorization, id } = await keyWith(world, { ips: ['203.0.113.0/24'] });
    const unknown = `ApiKey 01ARZ3NDEKTSV4RRFFQ69G5FAV.${'A'.repeat(43)}`;
    for (const route of ['exchangeKey', 'issueKey', 'revokeKey', 'listSessions', 'listUsers', 'listAdminKeys'] as const)
      for (const extra of [from('203.0.112.255'), from('2001:db8::1'), '']) {
        const ask = (shown: string) => world.ask(route, { authorization: shown, extra, id, body: {} });
        const answer = await ask(authorization);
        expect(said(answer)).toEqual([401, 'invalid_api_key']);
        expect(answer).toEqual(await ask(unknown));
      }
    expect((await world.ask('exchangeKey', { authorization, extra: from('203.0.113.9') })).status).toBe(200);
  });

  test('the operator sees why, once in a while for each key; a use from elsewhere is no last use', async () => {
    const world = await PeopleWorld.open();
    const { authorization } = await keyWith(world, { ips: ['203.0.113.0/24'] });
    const knock = () => world.ask('exchangeKey', { authorization, extra: from('192.0.2.1') });
    const lines = () => world.logged.filter((line) => line.includes('is not on its list')).length;
    for (let n = 0; n < 5; n++) await knock();
    expect(lines()).toBe(1);
    world.clock.advance(60 * 60_000);
    await knock();
    expect(lines()).toBe(2);
    world.settle();
    const { body } = await world.ask('listAdminKeys', { authorization: world.admin });
    expect(body['keys']).toMatchObject([{ last_used_at: null }]);
  });

  test('a rotated key keeps name, addresses and rate', async () => {
    const world = await PeopleWorld.open();
    const { id } = await keyWith(world, { ips: ['203.0.113.0/24'], per_second: 2 });
    const { rotateKey } = await import('#actors/identity/operator/rotate-key.ts');
    const { Work } = await import('#actors/host/work.ts');
    const { Identity } = await import('#actors/identity/identity.ts');
    const identity = new Identity({ context: world.context, bootstrapToken: null });
    const made = rotateKey(identity, new Work(world.activation), { id, grace_ms: 0 });
    const { body } = await world.ask('listAdminKeys', { authorization: world.admin });
    const successor = (body['keys'] as { id: string }[]).find((key) => key.id === made.id);
    expect(successor).toMatchObject({ name: 'ci', ips: ['203.0.113.0/24'], per_second: 2 });
  });
});

describe('a rate', () => {
  test('refuses what comes too often with 429 and Retry-After, and lets it in again', async () => {
    const world = await PeopleWorld.open();
    const { authorization } = await keyWith(world, { per_second: 2 });
    const exchange = async () => (await world.ask('exchangeKey', { authorization })).status;
    expect([await exchange(), await exchange(), await exchange()]).toEqual([200, 200, 429]);
    const answer = await world.ask('exchangeKey', { authorization });
    expect(answer).toMatchObject({ status: 429, body: { profile: 'key', retry_after_seconds: 1 } });
    expect(answer.headers['Retry-After']).toBe('1');
    world.clock.advance(500);
    expect([await exchange(), await exchange()]).toEqual([200, 429]);
    world.clock.advance(3_600_000);
    expect([await exchange(), await exchange(), await exchange()]).toEqual([200, 200, 429]);
  });

  test('a wrong secret does not use it up', async () => {
    const world = await PeopleWorld.open();
    const { authorization } = await keyWith(world, { per_second: 1 });
    const wrong = `${authorization.slice(0, -43)}${'A'.repeat(43)}`;
    for (let n = 0; n < 5; n++)
      expect(said(await world.ask('exchangeKey', { authorization: wrong }))).toEqual([401, 'invalid_api_key']);
    expect((await world.ask('exchangeKey', { authorization })).status).toBe(200);
  });

  test('never gives more than a second of the rate at once, whatever the clock does', () => {
    const guard = new KeyGuard();
    const taken = (at: number) => Array.from({ length: 10 }, () => guard.mayPresent('k', 3, at)).filter(Boolean).length;
    expect([taken(1000), taken(0), taken(1000), taken(1001), taken(2001)]).toEqual([3, 0, 3, 0, 3]);
  });
});

describe('revoking', () => {
  test('one, several, all of a subject; the rest go on', async () => {
    const world = await PeopleWorld.open();
    const other = await world.addUser('other@example.org', ['tenant_admin']);
    const others = world.bearer(['tenant_admin'], { sub: other });
    const mine = [];
    for (let n = 0; n < 4; n++) mine.push((await keyWith(world, {})).id);
    const theirs = [];
    for (let n = 0; n < 3; n++) theirs.push(String((await make(world, WISH, others)).body['id']));
    const left = async () => ((await world.ask('listAdminKeys', { authorization: world.admin })).body['keys'] as { id: string }[]).map(({ id }) => id); // prettier-ignore
    expect((await world.ask('revokeAdminKey', { authorization: world.admin, id: mine[0]! })).body).toEqual({
      revoked: 1,
    });
    expect(said(await world.ask('revokeAdminKey', { authorization: world.admin, id: mine[0]! }))).toEqual([
      404,
      'unknown_key',
    ]);
    const bulk = (body: object) => world.ask('revokeAdminKeys', { authorization: world.admin, body });
    expect((await bulk({ ids: [mine[1], mine[1], 'x', mine[0]] })).body).toEqual({ revoked: 1 });
    expect((await bulk({ subject: other })).body).toEqual({ revoked: 3 });
    expect((await bulk({ subject: other })).body).toEqual({ revoked: 0 });
    expect(await left()).toEqual(mine.slice(2));
    for (const body of [{}, { ids: [] }, { ids: ['a'], subject: 'b' }, { id: 'a' }])
      expect(said(await bulk(body))).toEqual([400, 'bad_request']);
    const revoked = world.events.filter(({ action }) => action === 'auth.apikey.revoked').map(({ target }) => target);
    expect(revoked).toEqual([mine[0], mine[1], ...theirs]);
  });
});

test('a list by subject, in pages', async () => {
  const world = await PeopleWorld.open();
  const other = world.bearer(['tenant_admin'], { sub: 'O' });
  for (let n = 0; n < 7; n++) await make(world, WISH, n % 2 === 0 ? world.admin : other);
  const seen: string[] = [];
  let after = '';
  do {
    const { body } = await world.ask('listAdminKeys', {
      authorization: world.admin,
      query: `subject=O&limit=2${after}`,
    });
    seen.push(...(body['keys'] as { created_by: string }[]).map(({ created_by }) => created_by));
    after = body['next'] === null ? '' : `&after=${body['next'] as string}`;
  } while (after !== '');
  expect(seen).toEqual(['O', 'O', 'O']);
  for (const query of ['limit=0', 'after=x', 'owner=O'])
    expect(said(await world.ask('listAdminKeys', { authorization: world.admin, query }))).toEqual([400, 'bad_request']);
});

test.each(Object.keys(keyRoutes) as (keyof typeof keyRoutes)[])('%s is for administrators only', async (route) => {
  const world = await PeopleWorld.open();
  const ask = async (authorization: string) => said(await world.ask(route, { authorization, id: 'x', body: '{' }));
  for (const roles of [[], ['tenant_user'], ['admin'], ['platform_admin']])
    expect(await ask(world.bearer(roles))).toEqual([403, 'requires_tenant_admin']);
  expect(await ask(world.key({ roles: ['tenant_admin'], is_superadmin: true }))).toEqual([401, 'auth_required']);
  expect(await ask('')).toEqual([401, 'auth_required']);
});
