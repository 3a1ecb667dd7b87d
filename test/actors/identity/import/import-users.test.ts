/** `POST /auth/admin/users/import`: rows, formats, what is refused, and what is never changed. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { heldForms } from '#actors/identity/import/store.ts';
import { VECTORS } from '#test/kit/foreign-hashes.ts';
import { messageOf, PeopleWorld, said } from '../people/kit.ts';

const BCRYPT = VECTORS[0]!;

const ask = async (world: PeopleWorld, body: unknown, type = 'application/json', authorization = world.admin) => {
  const answer = world.ask('importUsers', { authorization, body, extra: `content-type:${type}\n` });
  const settling = setInterval(() => world.settle(), 1); // what waits for the end of a turn runs
  return answer.finally(() => clearInterval(settling));
};
const users = (count: number) => Array.from({ length: count }, (_, no) => ({ email: `user${no}@example.org` }));

describe('a user of another system', () => {
  test('logs in with the old password, and the first right login replaces the hash', async () => {
    const world = await PeopleWorld.open();
    const row = {
      email: 'Eva@example.org',
      verified: true,
      firstname: 'Eva',
      lastname: 'Example',
      roles: ['tenant_user'],
      external_id: 'auth0|42',
      created_at: '2019-05-01T12:00:00+02:00',
      password_hash: BCRYPT.hash,
    };
    const answer = await ask(world, { users: [row] });
    expect(answer.body).toMatchObject({ imported: 1, existing: 0, refused: 0 });
    const { id } = (answer.body['rows'] as { id: string }[])[0]!;
    expect(world.user(id)).toMatchObject({
      email: row.email,
      external_id: row.external_id,
      created_at: '2019-05-01T10:00:00.000Z',
      password_hash: BCRYPT.hash,
      allow_impersonation: false,
    });
    expect(world.user(id)!.verified_at).toBeDefined();
    expect((await world.login({ login: row.email, password: 'wrong' })).code).toBe('invalid_credentials');
    expect(world.user(id)!.password_hash).toBe(BCRYPT.hash);
    expect(heldForms(world.store.begin())).toEqual([{ form: 'bcrypt 6', units: 1 }]);
    expect((await world.login({ login: row.email, password: BCRYPT.password })).status).toBe(200);
    expect(world.user(id)!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(heldForms(world.store.begin())).toEqual([]);
    expect((await world.login({ login: row.email, password: BCRYPT.password })).status).toBe(200);
  });

  /** The kit's bodies are ASCII. */
  test.each(VECTORS.filter(({ password }) => /^[ -~]*$/.test(password)))('$name', async ({ hash, password }) => {
    const world = await PeopleWorld.open();
    expect((await ask(world, { users: [{ email: 'eva@example.org', password_hash: hash }] })).body['imported']).toBe(1);
    expect((await world.login({ login: 'eva@example.org', password: `${password}!` })).status).toBe(401);
    expect((await world.login({ login: 'eva@example.org', password })).status).toBe(200);
    expect(heldForms(world.store.begin())).toEqual([]);
  });

  test('without a hash has no password', async () => {
    const world = await PeopleWorld.open();
    await ask(world, { users: users(1) });
    expect((await world.list('q=user0')).body['users']).toMatchObject([{ has_password: false, verified_at: null }]);
    expect((await world.login({ login: 'user0@example.org', password: '' })).status).toBe(400);
    expect((await world.login({ login: 'user0@example.org', password: 'x' })).code).toBe('invalid_credentials');
  });

  test('is on record with the administrator; no hash is in an answer, an event or a log line', async () => {
    const world = await PeopleWorld.open();
    const { text } = await ask(world, {
      users: [{ email: 'eva@example.org', roles: ['a'], password_hash: BCRYPT.hash }],
    });
    const [event] = world.events.filter(({ action }) => action === 'auth.user.created');
    expect(event).toMatchObject({ actor: world.adminId, data: { roles: ['a'], imported: true } });
    expect(world.events.at(-1)).toMatchObject({
      action: 'auth.user_import.after',
      data: { imported: 1, existing: 0, refused: 0 },
    });
    const list = (await world.list()).text;
    for (const one of [text, JSON.stringify(world.events), world.logged.join('\n'), list])
      expect(one).not.toContain(BCRYPT.hash.slice(7, 20));
  });
});

describe('rows', () => {
  test('are answered one by one: none stops another, and existing users stay as they are', async () => {
    const world = await PeopleWorld.open({ settings: { roles: { clerk: 'works' } } });
    const before = world.user(world.adminId);
    const answer = await ask(world, {
      users: [
        { email: 'BOSS@example.org', roles: ['clerk'], password_hash: BCRYPT.hash },
        { email: 'a@example.org', roles: ['clerk'] },
        { email: 'a@example.org' },
        { email: 'no address' },
        { email: 'b@example.org', passwordhash: BCRYPT.hash },
        { email: 'b@example.org', roles: ['unknown'] },
        { email: 'b@example.org', roles: ['superadmin'] },
        { email: 'b@example.org', password_hash: 'e10adc3949ba59abbe56e057f20f883e' },
        { email: 'b@example.org', password_hash: '$2b$15$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy' },
        { email: 'b@example.org', created_at: '2999-01-01T00:00:00Z' },
        { email: 'b@example.org', created_at: 'yesterday' },
        7,
        { email: 'c@example.org' },
      ],
    });
    const rows = answer.body['rows'] as { row: number; result: string; code?: string; error?: string; id?: string }[];
    expect(rows.map(({ result, code }) => code ?? result)).toEqual([
      'exists',
      'imported',
      'exists',
      'bad_row',
      'bad_row',
      'undeclared_role',
      'scope_exceeds_authority',
      'hash_refused',
      'hash_refused',
      'bad_row',
      'bad_row',
      'bad_row',
      'imported',
    ]);
    expect(rows.map(({ row }) => row)).toEqual(rows.map((_, at) => at + 1));
    expect(rows[0]!.id).toBe(world.adminId);
    expect(rows[7]!.error).toContain('bcrypt ($2a$, $2b$, $2y$)');
    expect(rows[8]!.error).toContain('4 to 14');
    expect(world.user(world.adminId)).toEqual(before);
    expect(await world.found('q=b@')).toEqual([]);
  });

  test('a hash of one more form than a tenant may hold is refused', async () => {
    const world = await PeopleWorld.open();
    const hashes = [4, 5, 6, 7, 8].map((cost) => `$2b$0${cost}$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy`);
    const rows = hashes.map((password_hash, no) => ({ email: `u${no}@example.org`, password_hash }));
    const answer = await ask(world, { users: [...rows, { email: 'again@example.org', password_hash: hashes[0] }] });
    const results = (answer.body['rows'] as { code?: string; result: string }[]).map(
      ({ code, result }) => code ?? result,
    );
    expect(limits.userImport.formsMax).toBe(4);
    expect(results).toEqual(['imported', 'imported', 'imported', 'imported', 'too_many_hash_forms', 'imported']);
  });

  test('of several commits are all there, and the same body again changes nothing', async () => {
    const world = await PeopleWorld.open();
    const body = { users: users(2 * limits.userImport.sliceRows + 1) };
    expect((await ask(world, body)).body).toMatchObject({ imported: body.users.length, existing: 0 });
    expect((await ask(world, body)).body).toMatchObject({ imported: 0, existing: body.users.length });
  });
});

describe('bodies', () => {
  const LINES = '{"email":"a@example.org","verified":true}\n\n{"email":\n{"email":"b@example.org"}';
  const TABLE =
    'email,verified,roles,password_hash,firstname\r\na@example.org,yes,"x;y",,"Ann, nee B"\r\nb@example.org,maybe,,,\r\nc@example.org\r\n';

  test('JSON lines', async () => {
    const world = await PeopleWorld.open();
    const { body } = await ask(world, LINES, 'application/x-ndjson; charset=utf-8');
    expect(body).toMatchObject({ imported: 2, refused: 1 });
    expect(body['rows']).toMatchObject([{ result: 'imported' }, { code: 'bad_row', email: null }, { row: 3 }]);
  });

  test('CSV', async () => {
    const world = await PeopleWorld.open();
    const { body } = await ask(world, TABLE, 'text/csv');
    expect(body['rows']).toMatchObject([
      { result: 'imported', email: 'a@example.org' },
      { code: 'bad_row', email: 'b@example.org' },
      { code: 'bad_row', error: '1 cells; the first line names 5 columns' },
    ]);
    const [user] = (await world.list('q=a@')).body['users'] as object[];
    expect(user).toMatchObject({ roles: ['x', 'y'], firstname: 'Ann, nee B', has_password: false });
  });

  test.each([
    ['{', 'application/json', 'not valid JSON'],
    ['{"people":[]}', 'application/json', 'neither'],
    ['[]', 'application/json', 'no users'],
    ['email\n', 'text/csv', 'no users'],
    ['mail\nx', 'text/csv', 'among them is'],
    ['email,pass\nx,y', 'text/csv', 'unknown column'],
    ['email,email\nx,y', 'text/csv', 'stands twice'],
    ['email\n"x', 'text/csv', 'not valid CSV'],
    ['<users/>', 'application/xml', 'not valid JSON'],
  ])('%j as %s is refused as a whole', async (body, type, naming) => {
    const world = await PeopleWorld.open();
    const answer = await ask(world, body, type);
    expect(said(answer)).toEqual([400, 'bad_request']);
    expect(messageOf(answer)).toContain(naming);
  });

  test('more rows than one request takes are refused as a whole', async () => {
    const world = await PeopleWorld.open();
    const answer = await ask(world, { users: users(limits.userImport.rowsMax + 1) });
    expect(messageOf(answer)).toContain('skep user import');
    expect(await world.found('q=user')).toEqual([]);
  });

  test('a caller without authority is refused before the body is read', async () => {
    const world = await PeopleWorld.open();
    for (const authorization of [world.bearer(['tenant_user']), world.key({ roles: ['tenant_admin'] }), ''])
      expect((await ask(world, '{', 'text/plain', authorization)).status).toBeGreaterThan(400);
  });
});
