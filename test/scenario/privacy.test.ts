/** One person exported and erased across identity, data and audit, on a real node; a kill -9 in the middle; the log verifies. Contract: docs/contract/privacy.md. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPlatform } from '#config/load.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { upload } from '#test/kit/magazine.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const localdir = fileURLToPath(new URL('../kit/products/people', import.meta.url));
const PASSWORD = 'correct horse battery';
const LIMIT = { timeout: 120_000 };
const WAIT = { timeout: 30_000 };

const dir = mkdtempSync(join(tmpdir(), 'skep-privacy-'));
const file = writePlatformFile(dir, { localdir, extra: 'audit: { enabled: true, name: audit.example }\n' });
const loaded = loadPlatform(file, { env: {} });
if (!('platform' in loaded)) throw new Error('the platform file does not load');
const { audit } = loaded.platform;
const LOG = join('tenant', ...TENANT.split(':'));
let node: ProcessNode;
let admin: Headers;

function skep(line: string, input = ''): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(launcher, line.split(' '), { stdio: ['pipe', 'pipe', 'pipe'], cwd: dir });
  child.stdin.end(input);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

const ask = (method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  call(node.listeners['gateway']!, method, path, { ...positionHeaders(TENANT), ...headers }, body);

async function login(name: string): Promise<Headers> {
  const answer = await ask('POST', '/auth/login', {}, { login: name, password: PASSWORD });
  expect(answer.status).toBe(200);
  return { Authorization: `Bearer ${(answer.json as { access_token: string }).access_token}` };
}

beforeAll(async () => {
  const made = await skep(`tenant provision --tenant ${TENANT} --email boss@example.org -f ${file}`, `${PASSWORD}\n`);
  expect([made.code, made.err]).toEqual([0, expect.any(String)]);
  node = await startProcess(file);
  admin = await login('boss@example.org');
}, 120_000);
afterAll(async () => {
  await node.end('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
});

interface Person {
  readonly id: string;
  readonly email: string;
}

/** A user with rows of each kind, among those of others. */
async function person(email: string, tickets: number): Promise<Person> {
  const made = await ask('POST', '/auth/admin/users', admin, { email, password: PASSWORD, roles: ['tenant_user'] });
  expect(made.status).toBe(201);
  const { id } = made.json as { id: string };
  for (let no = 0; no < tickets; no++) await add('ticket', { title: `ticket ${no}`, owner: id });
  await add('remark', { text: 'my telephone is 555', written_by: id, stars: 5 });
  await add('invoice', { number: 7, email });
  await add('note', { text: 'undeclared', owner: id });
  await add('ticket', { title: 'of another', owner: 'another' });
  return { id, email };
}

async function add(entity: string, row: object): Promise<void> {
  expect((await ask('POST', `/data/rest/${entity}`, admin, row)).status).toBe(201);
}

const rows = async (entity: string): Promise<Record<string, unknown>[]> =>
  ((await ask('GET', `/data/rest/${entity}?limit=1000`, admin)).json as { data: Record<string, unknown>[] }).data;

interface Erasure {
  readonly id: string;
  readonly user: string;
  readonly state: string;
  readonly ended_at: string | null;
  readonly rows: Record<string, Record<string, number>>;
  readonly audit_lines: number | null;
}

/** Records leave for the log behind their commits: an export a moment later does not have them yet. */
async function recorded(id: string): Promise<void> {
  const lines = async () => parsed((await ask('GET', `/auth/admin/users/${id}/export`, admin)).text);
  await expect.poll(async () => (await lines()).filter(({ kind }) => kind === 'audit').length, WAIT).toBeGreaterThan(1);
}

async function ended(user: string): Promise<Erasure> {
  for (;;) {
    const { erasures } = (await ask('GET', '/auth/admin/erasures', admin)).json as { erasures: Erasure[] };
    const one = erasures.find((erasure) => erasure.user === user);
    expect(one).toBeDefined();
    if (one!.state === 'done') return one!;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Every byte beside the log of the tenant. */
function personalLines(): string {
  const folder = join(audit.base_dir, LOG, 'personal');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

const parsed = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as { kind: string; entity?: string; value: Record<string, unknown>; personal?: object },
    );

test('an export has what identity, data and audit hold, and no secret; the user gets the same', LIMIT, async () => {
  const { id, email } = await person('ada@example.org', 3);
  const own = await login(email);
  await recorded(id);
  const answer = await ask('GET', `/auth/admin/users/${id}/export`, admin);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const lines = parsed(answer.text);
  expect(lines[0]).toMatchObject({ kind: 'account', value: { id, email, has_password: true } });
  const entities = lines.filter(({ kind }) => kind === 'row').map(({ entity }) => entity);
  expect(entities).toEqual(['invoice', 'remark', 'ticket', 'ticket', 'ticket']);
  const records = lines.filter(({ kind }) => kind === 'audit');
  expect(records.length).toBeGreaterThan(1);
  expect(records.every(({ value }) => [value['actor'], value['subject'], value['target']].includes(id))).toBe(true);
  expect(records.some(({ personal }) => JSON.stringify(personal)?.includes(email))).toBe(true);
  expect(lines.at(-1)).toMatchObject({ kind: 'end', value: { lines: { row: 5 } } });
  expect(answer.text).not.toContain('argon2');
  const mine = parsed((await ask('GET', '/auth/me/export', own)).text);
  expect(mine.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['account', 'row', 'audit', 'end']));
  const printed = await skep(`user export ${email} -f ${file} --tenant ${TENANT}`);
  expect(parsed(printed.out).filter(({ kind }) => kind === 'row')).toEqual(lines.filter(({ kind }) => kind === 'row'));
  expect((await ask('GET', `/auth/admin/users/${id}/export`, own)).status).toBe(403);
  expect((await ask('GET', '/auth/admin/users/none/export', admin)).status).toBe(404);
});

test('an erasure ends account, rows and personal lines, as declared; the log says so', LIMIT, async () => {
  const { id, email } = await person('eve@example.org', 4);
  await login(email);
  const order = await ask('POST', `/auth/admin/users/${id}/erase`, admin);
  expect([order.status, order.json]).toMatchObject([202, { user: id, state: 'open' }]);
  expect(order.text).not.toContain(email);
  expect((await ask('POST', '/auth/login', {}, { login: email, password: PASSWORD })).status).toBe(401);
  const done = await ended(id);
  const none = { deleted: 0, anonymized: 0, kept: 0, blocked: 0 };
  expect(done.rows).toEqual({
    invoice: { deleted: 0, anonymized: 0, kept: 1, blocked: 0 },
    remark: { deleted: 0, anonymized: 1, kept: 0, blocked: 0 },
    ticket: { deleted: 4, anonymized: 0, kept: 0, blocked: 0 },
    ...Object.fromEntries(
      ['asset', 'print', 'scan', 'story', 'visit', 'visit_archive'].map((entity) => [entity, none]),
    ),
  });
  expect(done.audit_lines).toBeGreaterThan(0);
  expect((await rows('ticket')).filter(({ owner }) => owner === id)).toEqual([]);
  expect((await rows('ticket')).some(({ owner }) => owner === 'another')).toBe(true);
  const remarks = JSON.stringify(await rows('remark'));
  expect(remarks).not.toContain(id);
  expect((await rows('invoice')).some((row) => row['email'] === email)).toBe(true);
  expect((await rows('note')).some(({ owner }) => owner === id)).toBe(true);
  expect((await ask('POST', `/auth/admin/users/${id}/erase`, admin)).status).toBe(404);
  const list = await ask('GET', '/auth/admin/erasures', admin);
  expect(list.text).not.toContain(email);
});

test('a user who deletes the own account is erased likewise', LIMIT, async () => {
  const { id, email } = await person('max@example.org', 2);
  const own = await login(email);
  expect((await ask('DELETE', '/auth/me', own, { password: PASSWORD })).status).toBe(200);
  expect((await ended(id)).rows['ticket']).toMatchObject({ deleted: 2 });
});

const put = async (store: string, headers: Headers, bytes: string, fields: Readonly<Record<string, string>> = {}) => {
  const url = `${node.listeners['gateway']!}/store/${store}/asset`;
  const made = await upload(url, { ...positionHeaders(TENANT), ...headers }, bytes, { fields });
  expect(made.status).toBe(201);
  return made.json as Record<string, unknown> & { id: string; sha256: string };
};

/** A visit of today with a photo in a field of the row; the digest of its bytes. */
async function photographed(own: Headers, id: string): Promise<string> {
  const bytes = 'a photo of mine';
  const form = new FormData();
  form.set('seen', '2999-01-01');
  form.set('visitor', id);
  form.set('photo', new Blob([bytes], { type: 'text/plain' }), 'photo.txt');
  const headers = { ...positionHeaders(TENANT), ...own };
  const made = await fetch(`${node.listeners['gateway']!}/data/rest/visit`, { method: 'POST', headers, body: form });
  expect([made.status, await made.text()]).toEqual([201, expect.any(String)]);
  return hash('sha256', bytes, 'hex');
}

/** Paths of all files below the node's directory whose name has one of the texts. */
function filesNamed(texts: readonly string[]): string[] {
  const all = readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' });
  return all.filter((path) => texts.some((text) => path.includes(text))).map((path) => join(dir, 'data', path));
}

/** As if uploaded long ago: a sweep leaves what is young. */
const age = (texts: readonly string[]): void => filesNamed(texts).forEach((path) => utimesSync(path, 1, 1));

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50));
}

test(
  'documents, assets and archived rows are exported, and go with the files that nothing else needs',
  LIMIT,
  async () => {
    const { id, email } = await person('joe@example.org', 0);
    const own = await login(email);
    const story = await ask('POST', '/content/desk/story', own, { title: 'One', author: id });
    expect(story.status).toBe(201);
    const { id: document } = story.json as { id: string };
    const french = await ask('POST', '/content/desk/story', own, {
      document_id: document,
      locale: 'fr',
      title: 'Un',
      author: id,
    });
    expect([french.status, french.text]).toEqual([201, expect.any(String)]);
    await ask('POST', '/content/desk/story', admin, { title: 'Two', author: 'another' });
    const mine = await put('media', own, 'mine alone');
    const shared = await put('media', own, 'the same bytes');
    const others = await put('media', admin, 'the same bytes');
    const scan = await put('scans', own, 'a scan of mine');
    const print = await put('prints', own, 'a print', { caption: 'me at home' });
    for (const asset of [mine, shared, scan, print]) expect(asset).not.toHaveProperty('created_by');
    const forged = await upload(
      `${node.listeners['gateway']!}/store/media/asset`,
      { ...positionHeaders(TENANT), ...own },
      'x',
      { fields: { created_by: 'another' } },
    );
    expect(forged.status).toBe(422);
    await add('visit', { seen: '2020-01-01', visitor: id });
    await add('visit', { seen: '2020-01-01', visitor: 'another' });
    const photo = await photographed(own, id);
    const root = await skep(
      `user add root@example.org -f ${file} --tenant ${TENANT} --role superadmin`,
      `${PASSWORD}\n`,
    );
    expect([root.code, root.err]).toEqual([0, expect.any(String)]);
    const operator = await login('root@example.org');
    for (let pass = 0; pass < 2; pass++)
      expect((await ask('POST', '/data/admin/data/retention/runs', operator, {})).status).toBe(200);
    expect((await rows('visit')).filter(({ visitor }) => visitor === id)).toHaveLength(1);
    expect((await rows('visit_archive')).filter(({ visitor }) => visitor === id)).toHaveLength(1);

    const lines = parsed((await ask('GET', `/auth/admin/users/${id}/export`, admin)).text);
    const kinds = lines.filter(({ kind }) => ['row', 'document', 'asset'].includes(kind));
    expect(kinds.map(({ kind, entity }) => `${kind} ${entity}`)).toEqual([
      'asset asset',
      'asset asset',
      'row invoice',
      'row remark',
      'document story',
      'document story',
      'row visit',
      'row visit_archive',
      'asset print',
      'asset scan',
    ]);
    expect(kinds[0]).toMatchObject({ bytes: `/store/media/asset/${mine.id}/download`, value: { created_by: id } });
    expect(kinds.at(-1)).toMatchObject({
      bytes: `/store/scans/asset/${scan.id}/download`,
      value: { sha256: scan.sha256 },
    });
    const printed = await skep(`user export ${email} -f ${file} --tenant ${TENANT}`);
    expect(parsed(printed.out).filter(({ kind }) => ['row', 'document', 'asset'].includes(kind))).toEqual(kinds);

    const digests = [photo, ...[mine, shared, scan, print].map(({ sha256 }) => sha256)];
    age(digests);
    expect(filesNamed(digests)).toHaveLength(5);
    expect((await ask('POST', `/auth/admin/users/${id}/erase`, admin)).status).toBe(202);
    const none = { deleted: 0, anonymized: 0, kept: 0, blocked: 0 };
    expect((await ended(id)).rows).toEqual({
      asset: { ...none, deleted: 2 },
      invoice: { ...none, kept: 1 },
      print: { ...none, anonymized: 1 },
      remark: { ...none, anonymized: 1 },
      scan: { ...none, deleted: 1 },
      story: { ...none, deleted: 2 },
      ticket: none,
      visit: { ...none, deleted: 1 },
      visit_archive: { ...none, deleted: 1 },
    });
    await until(() => filesNamed([photo, mine.sha256, scan.sha256]).length === 0);
    expect(filesNamed([scan.id])).toEqual([]);
    expect((await ask('GET', `/store/media/asset/${others.id}/download`, admin)).text).toBe('the same bytes');
    expect((await ask('GET', `/store/media/asset/${mine.id}`, admin)).status).toBe(404);
    const left = await ask('GET', `/store/prints/asset/${print.id}`, admin);
    expect(left.json).toMatchObject({ caption: null, version: 2 });
    expect(readFileSync(filesNamed([`${print.id}.json`])[0]!, 'utf8')).not.toContain(id);
    expect((await rows('visit_archive')).map(({ visitor }) => visitor)).toEqual(['another']);
    const again = parsed((await skep(`user export boss@example.org -f ${file} --tenant ${TENANT}`)).out);
    expect(again.filter(({ kind }) => kind === 'asset').map(({ entity }) => entity)).toEqual(['asset']);
  },
);

test('a kill -9 in the middle loses nothing: the next start goes on, and the log verifies', LIMIT, async () => {
  const { id, email } = await person('kim@example.org', 0);
  const many = Array.from({ length: 2500 }, (_, no) => ({ title: `t${no}`, owner: id }));
  for (let from = 0; from < many.length; from += 500) {
    const body = JSON.stringify(many.slice(from, from + 500));
    expect((await ask('POST', '/data/bulk?entity=ticket&format=json', admin, JSON.parse(body))).status).toBeLessThan(
      300,
    );
  }
  const own = await login(email);
  const scans: { id: string; sha256: string }[] = [];
  for (let no = 0; no < 20; no++)
    scans.push(await put('scans', own, `scan ${no}`), await put('media', own, `medium ${no}`));
  const digests = scans.map(({ sha256 }) => sha256);
  age(digests);
  const order = await ask('POST', `/auth/admin/users/${id}/erase`, admin);
  expect(order.status).toBe(202);
  await node.end('SIGKILL');
  const restarted = new Date().toISOString();
  node = await startProcess(file);
  admin = await login('boss@example.org');
  const done = await ended(id);
  expect(done.ended_at! > restarted).toBe(true);
  expect((await rows('ticket')).filter(({ owner }) => owner === id)).toEqual([]);
  await until(() => filesNamed([...digests, ...scans.map((asset) => `${asset.id}.json`)]).length === 0);
  // Not of eve: the login that was tried after that erasure may have left a line, as one by any stranger does.
  for (const gone of [email, 'joe@example.org', 'max@example.org']) expect(personalLines()).not.toContain(gone);
  expect(personalLines()).toContain('ada@example.org');
  const sent = await ask('POST', '/f/contact', {}, { name: 'Ada', email: 'Ada@example.org' });
  expect(sent.status).toBe(200);
  const exported = parsed((await skep(`user export ada@example.org --forms -f ${file} --tenant ${TENANT}`)).out);
  const ofForms = exported.filter(({ kind }) => kind === 'submission').map(({ value }) => value);
  expect(ofForms).toMatchObject([{ form: 'contact', fields: { name: 'Ada', email: 'Ada@example.org' } }]);
  expect(exported.at(-1)!.value).toMatchObject({ lines: { submission: 1 } });
  const erased = await skep(`user erase ada@example.org --forms -f ${file} --tenant ${TENANT} -o json`);
  expect([erased.code, JSON.parse(erased.out)]).toMatchObject([0, { state: 'done', submissions: { contact: 1 } }]);
  expect((await skep(`intake person export ada@example.org -f ${file}`)).out).toBe('');
  expect(personalLines()).not.toContain('ada@example.org');
  await node.end('SIGTERM');
  const log = join(audit.base_dir, LOG);
  const key = join(audit.key_dir, 'audit', LOG, 'signing-key.pub.pem');
  const verified = await skep(`audit verify ${log} --key ${key} --json`);
  expect(JSON.parse(verified.out)).toMatchObject({ verdict: 'good' });
  const told = await skep(`audit query ${log} --limit 1000 --action auth.user.erased --output json`);
  expect(JSON.parse(told.out)).toHaveLength(5);
  node = await startProcess(file);
});
