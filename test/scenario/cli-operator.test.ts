/** The operator's verbs as processes of their own: on the stores of a stopped node, then over the socket of a running one. Spec: docs/contract/identity.md §10. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const CONTROL = 'superadmin:superadmin:superadmin:superadmin';
const PLANE = 'acme:shop:dev:superadmin';
const PASSWORD = 'correct horse';
const LIMIT = { timeout: 60_000 };

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const dir = mkdtempSync(join(tmpdir(), 'skep-cli-'));
const file = writePlatformFile(dir, { rates: '  auth_apikey: off\n  auth_token: off\n  auth_login: off\n' });
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Runs `skep <line> -f <file>`; `input` is piped in, or nothing is. */
function skep(line: string, input: string | null = null): Promise<Said> {
  const child = spawn(launcher, [...line.split(' '), '-f', file], {
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  let out = '';
  let err = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** The JSON of a verb that must succeed. */
async function json<T>(line: string, input: string | null = null): Promise<T> {
  const { code, out, err } = await skep(`${line} -o json`, input);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}

describe('on the stores of a stopped node', () => {
  test('data bootstrap --tenant superadmin seeds the superadmin and tenant administrators', LIMIT, async () => {
    const line = 'data bootstrap --tenant superadmin --email root@example.org --firstname Ann --lastname Lee';
    const elsewhere = await json<object[]>(`${line} --admin-of ${OTHER_TENANT}`, `${PASSWORD}\n`);
    expect(elsewhere).toMatchObject([
      { tenant: CONTROL, person: 'created' },
      { tenant: OTHER_TENANT, person: 'created' },
    ]);
    const rows = await json<{ tenant: string; person: string; password: unknown }[]>(line, `${PASSWORD}\n`);
    expect(rows.map(({ tenant, person, password }) => [tenant, person, password])).toEqual([
      [CONTROL, 'present', null],
      [TENANT, 'created', null],
    ]);
    const again = await json<{ person: string }[]>(line, 'another password\n');
    expect(again.map(({ person }) => person)).toEqual(['present', 'present']);
  });

  test(
    'data bootstrap --tenant superadmin --firstname A --lastname B, as the contract has it: a login and a password are made, one tenant gets an administrator',
    LIMIT,
    async () => {
      const rows = await json<{ tenant: string; person: string; login: string; password: string | null }[]>(
        'data bootstrap --tenant superadmin --firstname A --lastname B',
      );
      expect(rows).toMatchObject([
        { tenant: CONTROL, person: 'created', login: 'superadmin@node.invalid', password: /./ },
        { tenant: TENANT, person: 'created', login: 'superadmin@node.invalid', password: /./ },
      ]);
      expect(rows[0]!.password).toBe(rows[1]!.password);
    },
  );

  test(
    'data bootstrap: every tenant, one, its operator plane, the shared planes; as a table and as JSON',
    LIMIT,
    async () => {
      const all = await skep('data bootstrap');
      expect(all.code).toBe(0);
      expect(all.out).toMatch(/^TENANT +STATE +SCHEMA_STEPS +PERSON\n/);
      expect(all.out).toMatch(new RegExp(`^${TENANT} +bootstrapped +0$`, 'm'));
      const planes = [
        ...(await json<object[]>(`data bootstrap --tenant ${PLANE}`)),
        ...(await json<object[]>('data bootstrap --scope shared')),
      ];
      expect(planes).toMatchObject([
        { tenant: PLANE, state: 'active', schema_steps: 0 },
        { tenant: 'acme:shop:dev:shared', state: 'active', schema_steps: 0 },
      ]);
      expect(await json(`data bootstrap --tenant ${TENANT}`)).toMatchObject([
        { tenant: TENANT, state: 'bootstrapped' },
      ]);
    },
  );

  test('tenant provision generates a password and shows it once; progress goes to standard error', LIMIT, async () => {
    const line = `identity tenant provision --tenant ${OTHER_TENANT} --email boss@example.org`;
    const first = await skep(`${line} -o json`);
    expect(first.code).toBe(0);
    expect(first.err).toContain(`${OTHER_TENANT}: applying the schema\n`);
    expect(JSON.parse(first.out)).toMatchObject({ state: 'active', admin: 'boss@example.org (seeded)', password: /./ });
    expect(await json(line)).toEqual({
      tenant: OTHER_TENANT,
      state: 'active',
      schema_steps: 0,
      admin: 'boss@example.org (present)',
    });
  });
});

describe('over the socket of a running node', () => {
  let node: ProcessNode;
  beforeAll(async () => {
    node = await startProcess(file);
  }, 60_000);
  afterAll(() => node.end('SIGTERM'));

  const at = (tenant: string, more: Headers = {}): Headers => ({ ...positionHeaders(tenant), ...more });
  const post = (path: string, headers: Headers, body?: unknown): Promise<Answer> =>
    call(node.listeners['gateway']!, 'POST', path, headers, body);

  async function login(tenant: string, name: string): Promise<Headers> {
    const answer = await post('/auth/login', at(tenant), { login: name, password: PASSWORD });
    expect(answer.status).toBe(200);
    return at(tenant, { Authorization: `Bearer ${(answer.json as { access_token: string }).access_token}` });
  }

  test('provision; the seeded administrator logs in with the tenant’s headers', LIMIT, async () => {
    expect((await json<{ state: string }>(`tenant provision --tenant ${TENANT}`)).state).toBe('active');
    await login(TENANT, 'root@example.org');
    await login(CONTROL, 'root@example.org');
    const closed = { token: 'bootstrap-secret', email: 'x@example.org', password: PASSWORD };
    expect((await post('/auth/bootstrap', {}, closed)).status).toBe(410);
  });

  test('keys: listed, shown with their last use, rotated with a grace; never a secret', LIMIT, async () => {
    const admin = await login(TENANT, 'root@example.org');
    const issued = await post('/auth/apikey', admin, { service: 'ci', capabilities: { roles: ['tenant_admin'] } });
    const { id, key } = issued.json as { id: string; key: string };
    const use = (text: string): Promise<Answer> =>
      post('/auth/apikey', at(TENANT, { Authorization: `ApiKey ${text}` }), {});
    const shown = await json<{ last_used_at: unknown }>(`key show ${id} --tenant ${TENANT}`);
    expect(shown).toMatchObject({ id, service: 'ci', state: 'valid', roles: ['tenant_admin'], last_used_at: null });
    expect((await use(key)).status).toBe(201);
    const used = await json<{ last_used_at: string }>(`key show ${id} --tenant ${TENANT}`);
    expect(Date.parse(used.last_used_at)).toBeLessThanOrEqual(Date.now());
    const list = await skep(`key list --tenant ${TENANT}`);
    expect(list.out).toMatch(/^ID +SERVICE +STATE +ROLES/);
    expect(list.out).toContain(id);
    expect(list.out).not.toContain(key.split('.')[1]);

    const rotated = await json<{ id: string; key: string }>(`key rotate ${id} --tenant ${TENANT} --grace 1h`);
    expect([(await use(key)).status, (await use(rotated.key)).status]).toEqual([201, 201]);
    const last = await json<{ key: string }>(`key rotate ${rotated.id} --tenant ${TENANT} --grace 0`);
    expect([(await use(rotated.key)).status, (await use(last.key)).status]).toEqual([401, 201]);
    expect(await skep(`key rotate ${rotated.id} --tenant ${TENANT} --grace 0`)).toMatchObject({ code: 1, out: '' });
    expect(await skep(`key show absent --tenant ${TENANT}`)).toMatchObject({
      code: 1,
      err: `skep: no key absent in ${TENANT}\n`,
    });
  });

  test('key ring rotate: a new key signs, tokens of the old one go on', LIMIT, async () => {
    const before = await login(TENANT, 'root@example.org');
    const { kid, verifying } = await json<{ kid: string; verifying: number }>('key ring rotate');
    expect(verifying).toBe(2);
    const jwks = await call(node.listeners['gateway']!, 'GET', '/.well-known/jwks.json');
    expect((jwks.json as { keys: { kid: string }[] }).keys.map((key) => key.kid)[0]).toBe(kid);
    for (const headers of [before, await login(TENANT, 'root@example.org')])
      expect((await post('/auth/apikey', headers, {})).status).toBe(201);
  });

  test('impersonation: consent, operator, grant, token; then revoked', LIMIT, async () => {
    const added = `user add op@example.org --tenant ${PLANE} --role impersonate impersonate-readonly`;
    expect(await json(added, `${PASSWORD}\n`)).toMatchObject({ roles: ['impersonate', 'impersonate-readonly'] });
    expect(await skep(added, PASSWORD)).toMatchObject({ code: 1, out: '' });
    const operator = await login(PLANE, 'op@example.org');
    const wish = { tenant: TENANT, user: 'root@example.org', reason: 'ticket 7', mode: 'full' };
    const status = async (): Promise<number> => (await post('/superadmin/impersonate', operator, wish)).status;
    expect(await status()).toBe(403);
    const set = `user set root@example.org --tenant ${TENANT} --allow-impersonation yes`;
    expect(await json(set)).toMatchObject({ allow_impersonation: true, roles: ['tenant_admin'] });
    expect(await status()).toBe(403);
    const target = `--tenant ${TENANT} --operator op@example.org`;
    expect(await json(`impersonation grant ${target} --for 1h`)).toMatchObject({ tenant: TENANT });
    expect(await status()).toBe(200);
    expect(await json('impersonation list')).toMatchObject([{ tenant: TENANT, state: 'valid' }]);
    expect(await json(`impersonation revoke ${target}`)).toMatchObject({ revoked: true });
    expect(await status()).toBe(403);
    expect(await skep(`impersonation revoke ${target}`)).toMatchObject({ code: 1, out: '' });
    expect(await skep(`impersonation grant --tenant ${TENANT} --operator absent --for 1h`)).toMatchObject({ code: 1 });
  });

  test('key issue makes the first key with is_superadmin, which makes others; key revoke ends it', LIMIT, async () => {
    const line = `key issue --tenant ${TENANT} --superadmin --role tenant_admin auditor --service break-glass --days 2`;
    const made = await json<{ id: string; key: string; expires_at: string }>(line);
    expect(made).toMatchObject({ capabilities: { roles: ['tenant_admin', 'auditor'], is_superadmin: true } });
    expect(Date.parse(made.expires_at) - Date.now()).toBeLessThanOrEqual(2 * 24 * 60 * 60_000);
    const asked = (): Promise<Answer> =>
      post('/auth/apikey', at(TENANT, { Authorization: `ApiKey ${made.key}` }), {
        capabilities: { is_superadmin: true },
      });
    expect((await asked()).status).toBe(201);
    expect(await json(`key show ${made.id} --tenant ${TENANT}`)).toMatchObject({
      created_by: 'operator',
      is_superadmin: true,
    });
    expect(await json(`key revoke ${made.id} --tenant ${TENANT}`)).toEqual({ revoked: made.id });
    expect((await asked()).status).toBe(401);
    expect(await skep(`key revoke ${made.id} --tenant ${TENANT}`)).toMatchObject({
      code: 1,
      err: `skep: no key ${made.id} in ${TENANT}\n`,
    });
    const scoped = await json<{ key: string }>(`key issue --tenant ${TENANT} --scope acme:dev:shop:main`);
    expect((await post('/auth/token', at(TENANT, { Authorization: `ApiKey ${scoped.key}` }))).status).toBe(200);
    expect((await skep(`key issue --tenant ${TENANT} --scope nonsense`)).err).toContain('is no grant');
    expect((await skep(`key issue --tenant ${TENANT} --days 0`)).code).toBe(2);
  });

  test('tenant list and key ring list', LIMIT, async () => {
    const tenants = await json<{ tenant: string }[]>('tenant list');
    expect(tenants.find(({ tenant }) => tenant === TENANT)).toEqual({
      tenant: TENANT,
      state: 'active',
      standing: 'serving',
      standing_since: null,
      reason: null,
      requests_per_day: null,
      shard: expect.any(Number),
      product_source: expect.stringContaining('/'),
      created_at: expect.stringMatching(/^20.*Z$/),
    });
    const status = await json<{ quota: object; today: object }>(`tenant status ${TENANT}`);
    expect(status).toMatchObject({ tenant: TENANT, state: 'active', standing: 'serving', degraded: [] });
    expect([status.quota, status.today]).toEqual([{ requests_per_day: null }, expect.any(Object)]);
    expect((await skep(`tenant status ${TENANT}`)).out).toMatch(/^tenant +.*\nstate +active\nstanding +serving\n/);
    expect(await skep('tenant status acme:atlas:dev:nowhere')).toMatchObject({
      code: 1,
      err: expect.stringContaining('acme:atlas:dev:nowhere is not registered on this node'),
    });
    expect((await skep('tenant list')).out).toMatch(/^TENANT +STATE +SHARD/);
    const { kid } = await json<{ kid: string }>('key ring rotate');
    const ring = await json<{ kid: string; state: string; verifies_until: string | null }[]>('key ring list');
    expect(ring[0]).toMatchObject({ kid, state: 'signs', verifies_until: null, held_in: 'store' });
    expect(ring[1]).toMatchObject({ state: 'verifies', verifies_until: expect.stringMatching(/Z$/) });
    expect((await skep('key ring list')).out).not.toContain('PRIVATE');
  });

  test(
    'users: an administrator adds and changes them over HTTP, an operator lists, disables and removes them',
    LIMIT,
    async () => {
      const admin = await login(TENANT, 'root@example.org');
      const wish = { email: 'Zoë@example.org', firstname: 'Zoë', lastname: 'Quist', password: PASSWORD };
      const refused = await post('/auth/admin/users', admin, wish);
      expect([refused.status, refused.json]).toMatchObject([400, { code: 'bad_request' }]); // not an address
      const made = await post('/auth/admin/users', admin, {
        ...wish,
        email: 'zoe@example.org',
        roles: ['night_shift'],
      });
      expect([made.status, made.json]).toMatchObject([201, { email: 'zoe@example.org', roles: ['night_shift'] }]);
      const zoe = await login(TENANT, 'zoe@example.org');
      expect((await post('/auth/admin/users', zoe, wish)).status).toBe(403);
      const { id } = made.json as { id: string };
      const find = (q: string) => json<{ id: string }[]>(`user list --tenant ${TENANT} --search ${q}`);
      expect((await find('QUIS')).map((user) => user.id)).toEqual([id]);
      expect((await skep(`user list --tenant ${TENANT}`)).out).toMatch(/^ID +EMAIL/);
      expect(await json(`user show zoe@example.org --tenant ${TENANT}`)).toMatchObject({
        id,
        second_factor: false,
        passkeys: 0,
        identities: [],
      });
      expect(await json(`user disable ${id} --tenant ${TENANT}`)).toMatchObject({ id, disabled: true });
      const { status } = await post('/auth/login', at(TENANT), { login: 'zoe@example.org', password: PASSWORD });
      expect(status).toBe(401);
      expect(await json(`user enable ${id} --tenant ${TENANT}`)).toMatchObject({ disabled: false, disabled_at: null });
      await login(TENANT, 'zoe@example.org');
      expect(await json(`user remove zoe@example.org --tenant ${TENANT}`)).toEqual({ removed: id });
      expect(await skep(`user reset-second-factor ${id} --tenant ${TENANT}`)).toMatchObject({
        code: 1,
        err: `skep: no user ${id} in ${TENANT}\n`,
      });
    },
  );

  test('sessions: listed and ended, one or all of a user; their tokens stop at once', LIMIT, async () => {
    await json(`user add op2@example.org --tenant ${PLANE} --role impersonate`, `${PASSWORD}\n`);
    await json(`user set root@example.org --tenant ${TENANT} --allow-impersonation yes`);
    await json(`impersonation grant --tenant ${TENANT} --operator op2@example.org --for 1h`);
    const operator = await login(PLANE, 'op2@example.org');
    const wish = { tenant: TENANT, user: 'root@example.org', reason: 'ticket 8', mode: 'full' };
    const open = async (): Promise<Headers> => {
      const { access_token } = (await post('/superadmin/impersonate', operator, wish)).json as { access_token: string };
      return at(TENANT, { Authorization: `Bearer ${access_token}` });
    };
    const status = async (headers: Headers): Promise<number> =>
      (await post('/internal/session/list', headers, {})).status;
    const bearers = [await open(), await open(), await open()];
    const listed = () =>
      json<{ id: string; kind: string; reason: string | null }[]>(
        `session list --tenant ${TENANT} --user root@example.org`,
      );
    const [newest] = await listed();
    expect(newest).toMatchObject({ kind: 'impersonation', revoked_at: null });
    expect(await json(`session end ${newest!.id} --tenant ${TENANT}`)).toEqual({ ended: 1 });
    expect(await Promise.all(bearers.map(status))).toEqual([200, 200, 401]);
    expect((await listed()).find(({ id }) => id === newest!.id)).toMatchObject({ reason: 'operator' });
    const all = await json<{ ended: number }>(`session end --tenant ${TENANT} --user root@example.org`);
    expect(all.ended).toBeGreaterThanOrEqual(2);
    expect(await Promise.all(bearers.map(status))).toEqual([401, 401, 401]);
    expect(await skep(`session end ${newest!.id} --tenant ${TENANT}`)).toMatchObject({ code: 1, out: '' });
    expect((await skep(`session list --tenant ${TENANT} --user absent`)).err).toBe(
      `skep: no user absent in ${TENANT}\n`,
    );
  });

  test('tenant backup, restore, export, move, delete', LIMIT, async () => {
    const copy = 'acme:shop:dev:copy';
    const to = join(dir, 'other.skep');
    const made = await json<{ sha256: string }>(`tenant backup ${OTHER_TENANT} --to ${to}`);
    expect(made).toMatchObject({ tenant: OTHER_TENANT, file: to, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const again = await skep(`tenant backup ${OTHER_TENANT} --to ${to}`);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('add --overwrite')]);
    expect(await json(`tenant restore ${to} --as ${copy}`)).toMatchObject({ tenant: copy, state: 'active' });
    expect((await post('/auth/login', at(copy), { login: 'boss@example.org', password: 'wrong' })).status).toBe(401);
    expect(await json(`tenant export ${copy} --to ${join(dir, 'export')}`)).toMatchObject({ tenant: copy, files: 0 });
    const moves = [await skep(`tenant move ${copy} --shard 0`), await skep(`tenant move ${copy} --shard 1`)];
    expect(moves.some(({ code }) => code === 0)).toBe(true);
    for (const { err } of moves.filter(({ code }) => code !== 0)) expect(err).toContain('already');
    const unsure = await skep(`tenant delete ${copy} --confirm ${TENANT}`);
    expect([unsure.code, unsure.err]).toEqual([1, expect.stringContaining(`--confirm ${copy}`)]);
    expect(await json(`tenant delete ${copy} --confirm ${copy}`)).toMatchObject({ tenant: copy });
    expect((await post('/auth/login', at(copy), { login: 'boss@example.org', password: 'wrong' })).status).toBe(400);
    for (const line of ['tenant backup', `tenant move ${copy} --shard x`, 'tenant delete no-such-form --confirm x'])
      expect([line, (await skep(line)).code]).toEqual([line, 2]);
  });
});
