/** `skep deploy` as a stranger meets it: a node as a process, a key that does nothing else, plans that are not safe, crashes (docs/contract/platform.md §1.10). */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { holdAgainstDocument } from '#test/kit/documented.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tarGzOf, tarOf } from '#test/kit/tar.ts';
import { answerOf, call, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 240_000 };
const STRANGER = 'acme:yard:dev:main';
const PRODUCT = 'name: shop\n';
const ACCESS = 'access: { read: &all { language: cel, rule: "true" }, create: *all, update: *all, delete: *all }';
const ITEM = (fields: string): string =>
  `entities:\n  item:\n    fields: { name: { type: string, required: true }, ${fields} }\n    ${ACCESS}\n`;
const BEGIN = 'note: { type: string, nullable: true }';

let dir: string;
let node: ProcessNode;
let file: string;
let key: string;
let strangers: string;
const callers = new Map<string, Headers>();
const folder = (): string => join(dir, 'sent');

function write(item: string, more: Readonly<Record<string, string>> = {}): void {
  rmSync(folder(), { recursive: true, force: true });
  for (const [path, text] of Object.entries({ 'product.yaml': PRODUCT, 'entities/item.yaml': item, ...more })) {
    mkdirSync(dirname(join(folder(), path)), { recursive: true });
    writeFileSync(join(folder(), path), text);
  }
}

const gateway = (): string => node.listeners['gateway']!;

async function deploy(more = '--yes', withKey = key): Promise<{ code: number; said: string }> {
  const line = `deploy ${folder()} --to ${gateway()} --product acme:shop:dev ${more}`;
  const { code, out, err } = await skep(line.trim(), { SKEP_DEPLOY_KEY: withKey });
  return { code, said: out + err };
}

/** Raw, as `skep deploy` calls it. */
const ask = (method: string, path: string, body?: unknown, withKey = key, plane = 'acme:shop:dev:superadmin') =>
  call(
    gateway(),
    method,
    `/superadmin/deploy/${path}`,
    { ...positionHeaders(plane), Authorization: `ApiKey ${withKey}` },
    body,
  );

async function send(archive: Buffer): Promise<Answer> {
  const headers = { ...positionHeaders('acme:shop:dev:superadmin'), Authorization: `ApiKey ${key}` };
  const path = '/superadmin/deploy/revisions';
  const body = new Uint8Array(archive);
  const response = await fetch(`${gateway()}${path}`, { method: 'POST', headers, body });
  const answer = await answerOf(response);
  const type = response.headers.get('content-type');
  holdAgainstDocument({ method: 'POST', path, status: answer.status, type, text: answer.text });
  return answer;
}

async function login(tenant: string): Promise<Headers> {
  const here = positionHeaders(tenant);
  const body = { login: 'ann@example.org', password: 'the password of ann' };
  const { status, text, json } = await call(gateway(), 'POST', '/auth/login', here, body);
  expect(status, text).toBe(200);
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

const rest = async (method: string, path: string, body?: unknown, tenant = TENANT): Promise<Answer> =>
  call(gateway(), method, `/data/rest/${path}`, callers.get(tenant), body);

/** The fields of a row that a tenant takes now. */
async function fieldsOf(tenant: string): Promise<readonly string[]> {
  const { status, text, json } = await rest('GET', 'item?limit=1', undefined, tenant);
  expect(status, text).toBe(200);
  const [row] = (json as { data: readonly object[] }).data;
  return Object.keys(row!)
    .filter((name) => name !== 'id')
    .sort();
}

async function start(): Promise<void> {
  node = await startProcess(file, { OWN_SECRET: 'own', OTHER_SECRET: 'of another product' });
  for (const tenant of [TENANT, OTHER_TENANT]) callers.set(tenant, await login(tenant));
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-deploy-'));
  const checkout = join(dir, 'product');
  write(ITEM(BEGIN));
  cpSync(folder(), checkout, { recursive: true });
  cpSync(folder(), join(dir, 'yard'), { recursive: true });
  writeFileSync(join(dir, 'yard', 'product.yaml'), 'name: yard\n');
  file = writePlatformFile(dir, { localdir: checkout });
  const yard = `    - key: ${STRANGER}\n      meta: { localdir: ${join(dir, 'yard')} }\n`;
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('hives:\n  tenant:\n', (head) => head + yard),
  );
  for (const tenant of [TENANT, OTHER_TENANT, STRANGER])
    expect((await skep(`tenant provision -f ${file} --tenant ${tenant}`)).code).toBe(0);
  node = await startProcess(file, { OWN_SECRET: 'own', OTHER_SECRET: 'of another product' });
  for (const tenant of [TENANT, OTHER_TENANT]) await makeAnn(tenant);
  key = await deployer('acme:shop:dev');
  strangers = await deployer('acme:yard:dev');
}, 240_000);
afterAll(async () => {
  await node.end('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
});

async function deployer(product: string): Promise<string> {
  const made = await skep(`key deployer -f ${file} --product ${product} -o json`);
  expect(made.code, made.err).toBe(0);
  return (JSON.parse(made.out) as { key: string }).key;
}

/** Her password is piped in by a shell elsewhere; here an operator's verb of the node sets it. */
async function makeAnn(tenant: string): Promise<void> {
  const { callControl } = await import('#runtime/control.ts');
  const person = { email: 'ann@example.org', password: 'the password of ann', roles: ['tenant_admin'] };
  await callControl(join(dir, 'data'), 'user.add', { tenant, ...person });
  callers.set(tenant, await login(tenant));
  expect((await rest('POST', 'item', { name: 'first', note: 'kept' }, tenant)).status).toBe(201);
}

test('a revision reaches every tenant of the product, and a restart serves it', LIMIT, async () => {
  write(ITEM(`${BEGIN}, size: { type: integer, nullable: true }`));
  const first = await deploy();
  expect(first.said).toContain('main, other: from ');
  expect(first.said).toContain('add_column:item.size  a new field item.size');
  expect(first.code).toBe(0);
  expect(await fieldsOf(TENANT)).toEqual(['name', 'note', 'size']);
  expect((await rest('POST', 'item', { name: 'sized', size: 3 }, OTHER_TENANT)).status).toBe(201);
  expect(await deploy()).toMatchObject({ code: 0, said: expect.stringContaining('already') as string });
  expect(await node.end('SIGTERM')).toBe(0);
  await start();
  expect(await fieldsOf(TENANT)).toEqual(['name', 'note', 'size']);
  expect(await fieldsOf(OTHER_TENANT)).toEqual(['name', 'note', 'size']);
});

test('a revision that is sent again is the same one, and its plan is told without being applied', LIMIT, async () => {
  const product = { path: 'product.yaml', text: PRODUCT };
  const sent = await send(
    tarGzOf([product, { path: 'entities/item.yaml', text: ITEM(`${BEGIN}, late: { type: string, nullable: true }`) }]),
  );
  expect(sent.status, sent.text).toBe(201);
  const { revision } = sent.json as { revision: string };
  const plan = await ask('POST', 'tenants/main/plans', { revision });
  expect(plan.status, plan.text).toBe(200);
  expect(plan.text).toContain('item.late');
  expect(await fieldsOf(TENANT)).toEqual(['name', 'note', 'size']);
});

test('one tenant alone; a wrong name says which there are', LIMIT, async () => {
  write(ITEM(`${BEGIN}, size: { type: integer, nullable: true }, hue: { type: string, nullable: true }`));
  expect((await deploy('--yes --tenant absent')).said).toContain('no active tenant absent: there are main, other');
  expect((await deploy('--yes --tenant other')).code).toBe(0);
  expect(await fieldsOf(TENANT)).toEqual(['name', 'note', 'size']);
  expect(await fieldsOf(OTHER_TENANT)).toEqual(['hue', 'name', 'note', 'size']);
  expect((await deploy()).code).toBe(0);
  expect(await fieldsOf(TENANT)).toEqual(['hue', 'name', 'note', 'size']);
});

test('what rewrites rows is applied nowhere until it is allowed; what would be lost stays', LIMIT, async () => {
  write(ITEM(`${BEGIN}, size: { type: string, nullable: true }`));
  const refused = await deploy();
  expect(refused.said).toContain('NOT SAFE: it rewrites each row of item');
  expect(refused.said).toContain('not allowed: alter_column_type:item.size (--allow alter_column_type:item.size)');
  expect(refused.said).toContain('nothing was applied, to no tenant');
  expect(refused.code).toBe(1);
  expect(await fieldsOf(TENANT)).toEqual(['hue', 'name', 'note', 'size']);
  const allowed = await deploy('--yes --allow alter_column_type:item.size');
  expect(allowed.said).toContain('left as it is: drop_column:item.hue');
  expect(allowed.code).toBe(0);
  expect((await rest('GET', 'item?name=sized&fields=size', undefined, OTHER_TENANT)).json).toMatchObject({
    data: [{ size: '3' }],
  });
  const dropped = await deploy('--yes --allow drop_column:item.hue');
  expect(dropped.code, dropped.said).toBe(0);
  expect((await deploy()).said).toContain('already');
});

test('a rollback leads back to the revision of before, as a plan', LIMIT, async () => {
  write(ITEM(`${BEGIN}, size: { type: string, nullable: true }, tag: { type: string, nullable: true }`));
  expect((await deploy()).code).toBe(0);
  expect(await fieldsOf(TENANT)).toEqual(['name', 'note', 'size', 'tag']);
  const back = await deploy('--yes --rollback');
  expect(back.said).toContain('left as it is: drop_column:item.tag');
  expect(back.code).toBe(0);
  expect(await fieldsOf(TENANT)).toEqual(['name', 'note', 'size']);
  expect((await deploy('--yes --rollback')).code).toBe(0);
  expect(await fieldsOf(TENANT)).toEqual(['name', 'note', 'size', 'tag']);
});

test('a product with a mistake, or of another name, is refused with its place', LIMIT, async () => {
  write(ITEM(BEGIN.replace('string', 'strnig')));
  const { code, said } = await deploy();
  expect(code).toBe(1);
  expect(said).toContain('entities/item.yaml:3:');
  expect(said).toContain('did you mean "string"?');
  write(ITEM(BEGIN), { 'product.yaml': 'name: yard\n' });
  expect((await deploy()).said).toContain('the revision is of the product yard, and the tenant serves shop');
  // The command line alone refuses these.
  symlinkSync(file, join(folder(), 'entities', 'link.yaml'));
  expect(await deploy()).toMatchObject({ code: 2, said: expect.stringContaining('leads out of the folder') as string });
  rmSync(join(folder(), 'entities', 'link.yaml'));
  expect(await deploy('')).toMatchObject({ code: 2, said: expect.stringContaining('no terminal to ask at') as string });
  expect(await deploy('--yes', '')).toMatchObject({
    code: 2,
    said: expect.stringContaining('no key to deploy with') as string,
  });
});

test('an archive is bounded and stays where it belongs', LIMIT, async () => {
  const good = [{ path: 'product.yaml', text: PRODUCT }];
  for (const [archive, why] of [
    [tarGzOf([...good, { path: '../outside.yaml', text: 'x' }]), 'a path that leads elsewhere'],
    [tarGzOf([...good, { path: '/etc/skep.yaml', text: 'x' }]), 'a path that leads elsewhere'],
    [tarGzOf([...good, { path: 'entities/a.yaml', kind: '2' }]), 'an entry that is no file and no directory'],
    [tarGzOf([...good, { path: 'product.yaml', text: PRODUCT }]), 'twice'],
    [tarGzOf([...good, { path: 'entities', text: 'x' }, { path: 'entities/a.yaml', text: 'x' }]), 'entities'],
    [
      tarGzOf(Array.from({ length: limits.product.filesMax + 1 }, (_, i) => ({ path: `web/${i}`, text: '' }))),
      'more than 4096 files',
    ],
    [gzipSync(Buffer.alloc(limits.product.unpackedBytesMax + 1)), 'does not unzip'],
    [tarOf(good).subarray(0, 700), 'no end'],
    [Buffer.from('no archive'), 'no'],
  ] as const) {
    const answer = await send(archive);
    expect([answer.status, (answer.json as { code: string }).code], answer.text).toEqual([422, 'product_refused']);
    expect(answer.text).toContain(why);
  }
  const large = await send(Buffer.alloc(limits.product.archiveBytesMax + 1, 1));
  expect([large.status, (large.json as { code: string }).code]).toEqual([413, 'product_too_large']);
  // A job that is cut short removes what it has unpacked behind the answer.
  await expect.poll(() => readdirSync(join(dir, 'data', 'revisions.loading')), { timeout: 60_000 }).toEqual([]);
});

test('a product reads no variable that its checkout on the node does not read', LIMIT, async () => {
  write(ITEM(BEGIN), { 'product.yaml': `${PRODUCT}roles: { writer: "\${OTHER_SECRET}" }\n` });
  const { code, said } = await deploy();
  expect(code).toBe(1);
  expect(said).toContain(
    '${OTHER_SECRET}: a deployed product may read the variables that its checkout on the node reads',
  );
  expect(said).not.toContain('of another product');
});

test('the key deploys to its product, and does nothing else', LIMIT, async () => {
  // Other keys, other planes, other tenants.
  expect((await ask('GET', 'tenants')).json).toEqual({
    product: 'acme:shop:dev',
    tenants: [
      { tenant: 'main', state: 'active' },
      { tenant: 'other', state: 'active' },
    ],
  });
  expect((await ask('GET', 'tenants', undefined, strangers)).status).toBe(401);
  expect((await ask('GET', 'tenants', undefined, key, 'acme:yard:dev:superadmin')).status).toBe(401);
  expect((await ask('GET', 'tenants', undefined, key, TENANT)).status).toBe(401);
  expect((await ask('GET', 'tenants', undefined, `${key}x`)).status).toBe(401);
  for (const tenant of ['superadmin', 'shared', 'absent', 'x:y'])
    expect([404, 403]).toContain((await ask('POST', `tenants/${tenant}/plans`, { revision: null })).status);
  // A digest alone names no product of another: only what this plane has sent.
  const [group] = readdirSync(join(dir, 'data', 'revisions')).filter((name) => name.length === 2);
  const [kept] = readdirSync(join(dir, 'data', 'revisions', group!));
  const sha = kept!.length === 64 ? kept! : group! + kept!;
  expect((await ask('POST', 'tenants/main/plans', { revision: 'f'.repeat(64) })).json).toMatchObject({
    code: 'unknown_revision',
  });
  const own = { ...positionHeaders('acme:yard:dev:superadmin'), Authorization: `ApiKey ${strangers}` };
  const theirs = await call(gateway(), 'POST', '/superadmin/deploy/tenants/main/plans', own, { revision: sha });
  expect(theirs.json).toMatchObject({ code: 'unknown_revision' });
  // No other route takes it, and none of the others' callers come in here.
  const plane = { ...positionHeaders('acme:shop:dev:superadmin'), Authorization: `ApiKey ${key}` };
  const [id] = key.split('.');
  for (const [method, path, body] of [
    ['POST', '/auth/token', undefined],
    ['POST', '/auth/apikey', { capabilities: { roles: ['skep-deployer'] } }],
    ['DELETE', `/auth/apikey/${id}`, undefined],
    ['POST', '/superadmin/impersonate', { tenant: TENANT, user: 'ann@example.org', reason: 'x', mode: 'full' }],
    ['GET', '/data/rest/item', undefined],
    ['GET', '/data/admin/data/plans/x', undefined],
    ['GET', '/data/superadmin/tenant', undefined],
  ] as const) {
    const answer = await call(gateway(), method, path, plane, body);
    expect([401, 403], `${method} ${path} ${answer.text}`).toContain(answer.status);
  }
  expect((await ask('GET', 'tenants')).status).toBe(200);
  for (const tenant of [TENANT, OTHER_TENANT]) {
    const answer = await call(gateway(), 'GET', '/superadmin/deploy/tenants', callers.get(tenant));
    expect([401, 403]).toContain(answer.status);
  }
});

test(
  'a node that is killed in the middle serves whole revisions, and the same deploy again ends it',
  LIMIT,
  async () => {
    write(ITEM(`${BEGIN}, size: { type: string, nullable: true }, tag: { type: string, nullable: true }`));
    expect((await deploy()).code).toBe(0);
    const rows = Array.from({ length: 3000 }, (_, i) => ({ name: `row ${i}`, note: `n${i}`, size: String(i) }));
    for (const tenant of [TENANT, OTHER_TENANT]) {
      const answer = await call(gateway(), 'POST', '/data/bulk?entity=item&format=json', callers.get(tenant), rows);
      expect(answer.status, answer.text).toBe(200);
    }
    const before = ['name', 'note', 'size', 'tag'];
    for (let round = 0; round < rounds({ suite: 2, ci: 3 }); round++) {
      const field = `f${round}`;
      const type = round % 2 === 0 ? 'integer' : 'string';
      const indexed = `note: { type: string, nullable: true, index: ${round % 2 === 0} }`;
      const extra = Array.from({ length: round + 1 }, (_, i) => `f${i}: { type: string, nullable: true }`).join(', ');
      write(
        ITEM(`${indexed}, size: { type: ${type}, nullable: true }, tag: { type: string, nullable: true }, ${extra}`),
      );
      const allow = '--yes --allow alter_column_type:item.size';
      const under = deploy(allow);
      await passed(Math.random() * 900); // wherever it is by then
      await node.end('SIGKILL');
      await under;
      await start();
      for (const tenant of [TENANT, OTHER_TENANT]) {
        const fields = await fieldsOf(tenant);
        expect([before, [...before, field].sort()]).toContainEqual(fields);
        const count = await rest('GET', 'item?limit=1', undefined, tenant);
        expect((count.json as { total: number }).total).toBeGreaterThanOrEqual(3000);
      }
      const again = await deploy(allow);
      expect(again.code, again.said).toBe(0);
      before.push(field);
      before.sort();
      for (const tenant of [TENANT, OTHER_TENANT]) {
        expect(await fieldsOf(tenant)).toEqual(before);
        const row = (await rest('GET', 'item?name=row%2017&fields=size,note', undefined, tenant)).json;
        expect(row).toMatchObject({ data: [{ size: type === 'integer' ? 17 : '17', note: 'n17' }] });
      }
    }
  },
);
