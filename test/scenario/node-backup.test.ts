/** A whole node into sets and out of them. Contract: docs/contract/platform.md §5; docs/decisions/backup.md BK-14 to BK-18. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openControl } from '#runtime/control.ts';
import { startNode, type Node } from '#runtime/node.ts';
import { DirectoryPlace } from '#storage/backup-set/directory-place.ts';
import { proveSet } from '#storage/backup-set/prove-set.ts';
import { readManifest, type ListedFile, type PartRef, type SetManifest } from '#storage/backup-set/manifest.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { readLog } from '#test/kit/intake-log.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { S3_KEYS, startS3, type S3Server } from '#test/kit/s3-server.ts';
import { assertSound } from '#test/kit/sound.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { callVault } from '#test/kit/vault-process.ts';
import { textOf } from '#test/storage/backup-set/place.cases.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 90_000 };
const dir = mkdtempSync(join(tmpdir(), 'skep-node-backup-'));
const place = join(dir, 'backups');
mkdirSync(place);
const file = join(dir, 'platform.yaml');
const vaultPlace = positionHeaders(TENANT);
let it: TestNode;
let closeControl: () => Promise<void> | void;
let s3: S3Server;
let identity: string;
/** A key of TENANT, good in every tenant of its product. */
let wideKey: string;
let extra: (backups: string) => string;

beforeAll(async () => {
  s3 = await startS3('sets');
  identity = await generateIdentity();
  const base = await freePortBase();
  extra = (backups) =>
    `audit: { enabled: true }\nvault: { enabled: true, profile: development, port: ${base + 7} }\nbackups: ${backups}\n`;
  it = await startTestNode({ dir, extra: extra(`{ to: ${place} }`) });
  closeControl = await openControl(it.platform.storage.dir, it.node);
  const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
  wideKey = ((await it.node.ask(TENANT, 'identity', 'key.issue', wish)) as { key: string }).key;
  const bearer = await it.service();
  for (let i = 0; i < 20; i++) await created(it.gateway, bearer, `row-${i}`);
  await upload(it.gateway, bearer, 'p1', 'the bytes of a file');
  await callVault(`${it.node.listeners['vault']!}/secret/a`, null, 'PUT', { value: 'hunter2' }, vaultPlace);
  expect((await submit(it.node)).status).toBe(200);
}, 90_000);

afterAll(async () => {
  await it.node.stop().catch(() => undefined);
  await s3.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function created(gateway: string, bearer: Headers, name: string): Promise<void> {
  const answer = await call(gateway, 'POST', '/data/rest/item', bearer, { name });
  expect(answer.status, answer.text).toBe(201);
}

async function upload(gateway: string, bearer: Headers, id: string, bytes: string): Promise<void> {
  const body = new FormData();
  body.append('id', id);
  body.append('title', id);
  body.append('scan', new File([bytes], 'a.txt'));
  const answer = await fetch(`${gateway}/data/rest/paper`, { method: 'POST', headers: bearer, body });
  expect(answer.status, await answer.text()).toBe(201);
}

const submit = (node: Node) =>
  call(node.listeners['intake']!, 'POST', '/f/contact', {}, { name: 'Ada', email: 'ada@example.org' });

async function names(gateway: string, bearer: Headers): Promise<string[]> {
  const page = await call(gateway, 'GET', '/data/rest/item?limit=1000&orderby=id', bearer);
  expect(page.status, page.text).toBe(200);
  return (page.json as { data: { name: string }[] }).data.map(({ name }) => name).toSorted();
}

/** What a node that was started on a restored directory shows. */
async function shownBy(data: string) {
  const restored = writeRestored(data, (await freePortBase()) + 7);
  const node = await startNode(platformOf(restored));
  try {
    const gateway = node.listeners['gateway']!;
    const bearer = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, it.serviceKey)}` };
    await created(gateway, bearer, 'after the restore');
    expect((await submit(node)).status).toBe(200);
    const secret = await callVault(`${node.listeners['vault']!}/secret/a`, null, 'GET', undefined, vaultPlace);
    return {
      names: (await names(gateway, bearer)).filter((name) => name !== 'after the restore'),
      file: await (
        await fetch(`${gateway}/data/rest/paper/id/p1?download=true&field=scan`, { headers: bearer })
      ).text(),
      secret: (secret.json as { value?: unknown }).value,
      submissions: readLog(join(data, 'intake', 'jsonl')).length - 1,
    };
  } finally {
    await node.stop();
    await assertSound(data);
  }
}

function writeRestored(data: string, port: number): string {
  const text = readFileSync(file, 'utf8')
    .replace(/dir: [^,}\s]+/, `dir: ${data}`)
    .replace(/^backups: .*$/m, '')
    .replace(/port: \d+ \}/, `port: ${port} }`);
  const restored = join(dir, 'restored.yaml');
  writeFileSync(restored, text);
  return restored;
}

const latest = (): SetManifest => {
  const id = readdirSync(join(place, 'sets')).toSorted().at(-1)!.replace('.json', '');
  return readManifest(readFileSync(join(place, 'sets', `${id}.json`), 'utf8'), id, place);
};

test(
  'rows, files, audit logs, submissions and secrets come back from a set that was taken beside writes',
  LIMIT,
  async () => {
    const before = await names(it.gateway, await it.service());
    const bearer = await it.service();
    const loading = new AbortController();
    const load = (async () => {
      for (let i = 0; !loading.signal.aborted; i++) await created(it.gateway, bearer, `beside-${i}`);
    })();
    const report = await it.node.backups.now();
    loading.abort();
    await load;
    expect(report).toMatchObject({ removed_sets: 0 });
    const into = join(dir, 'restored');
    const { code, err } = await skep(`backup restore --from ${place} --into ${into}`);
    expect(code, err).toBe(0);
    const reading = { place: new DirectoryPlace(place), encryption: null, decrypt: null };
    await proveSet(latest(), reading, into);
    const forms = join(into, 'intake', 'jsonl');
    const [form] = readdirSync(forms).map((name) => join(forms, name)) as [string];
    const lines = readFileSync(form);
    writeFileSync(form, Buffer.from(lines).fill('x', 3, 4));
    await expect(proveSet(latest(), reading, into)).rejects.toThrow('intake/jsonl');
    writeFileSync(form, lines);
    const shown = await shownBy(into);
    expect(shown.names).toEqual(expect.arrayContaining(before));
    expect(shown).toMatchObject({ file: 'the bytes of a file', secret: 'hunter2', submissions: 1 });
    const log = join(into, 'audit/logs/tenant/acme/shop/dev/main');
    const verified = await skep(`audit query ${log} --limit 1000 --output json`);
    const made = (JSON.parse(verified.out) as { action: string; source_seq: number }[]).filter(({ action }) =>
      action.startsWith('data.'),
    );
    expect(made.length).toBeGreaterThan(before.length); // the one after the restore, too
    expect(new Set(made.map(({ source_seq }) => source_seq)).size).toBe(made.length);
  },
);

test('what has not changed is not stored again, and one tenant comes back beside the one of today', LIMIT, async () => {
  await it.node.backups.now();
  const first = latest();
  const second = await it.node.backups.now();
  // What every backup changes: the node's own log, and the signed heads beside it.
  expect(second.new_bytes).toBeLessThan(second.bytes / 2);
  const partsOf = ({ tenants, trees }: SetManifest) => [
    ...tenants.filter(({ no }) => no !== 1).map(({ rows, list }) => [rows, list]),
    ...trees.filter(({ as }) => !as.startsWith('audit/')).map(({ as, list }) => [as, list]),
  ];
  expect(partsOf(latest())).toEqual(partsOf(first));
  const before = await names(it.gateway, await it.service());
  await created(it.gateway, await it.service(), 'of today');
  const from = await skep(`backup list -f ${file} -o json`);
  expect(JSON.parse(from.out)).toHaveLength(3);
  const { code, err } = await skep(
    `backup restore -f ${file} --set ${latest().id} --tenant ${TENANT} --as acme:shop:dev:yesterday`,
  );
  expect(code, err).toBe(0);
  const answer = await call(it.gateway, 'POST', '/auth/token', {
    ...positionHeaders('acme:shop:dev:yesterday'),
    Authorization: `ApiKey ${wideKey}`,
  });
  const bearer = {
    ...positionHeaders('acme:shop:dev:yesterday'),
    Authorization: `Bearer ${(answer.json as { token: string }).token}`,
  };
  expect(await names(it.gateway, bearer)).toEqual(before);
  expect(await names(it.gateway, await it.service())).toContain('of today');
  expect(readdirSync(join(dir, 'data')).filter((name) => name.endsWith('.skep'))).toEqual([]);
});

/** A part of each kind that a set is made of. */
async function partsOfEachKind(set: SetManifest): Promise<[kind: string, part: PartRef][]> {
  const lists = async (list: PartRef) =>
    (await textOf(new DirectoryPlace(place), list.sha256))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ListedFile)
      .filter(({ bytes }) => bytes > 0);
  const main = set.tenants.find(({ key }) => key === TENANT)!;
  const found: [string, PartRef][] = [
    ['rows', main.rows],
    ['list', main.list],
    ['control plane', set.tenants[0]!.rows],
  ];
  for (const one of await lists(main.list)) found.push([one.store === undefined ? 'file' : one.store, one]);
  for (const { as, list } of set.trees) for (const one of (await lists(list)).slice(0, 1)) found.push([as, one]);
  return found;
}

test(
  'a flipped byte, a missing part and two that changed places are refused by name; nothing is restored',
  LIMIT,
  async () => {
    const set = latest();
    const id = set.id;
    const kinds = await partsOfEachKind(set);
    expect(new Set(kinds.map(([kind]) => kind))).toEqual(
      new Set(
        [
          'rows',
          'list',
          'control plane',
          'file',
          '_product',
          'audit/keys',
          'audit/logs',
          'audit/logs/.state',
          'vault/state',
          'vault/store',
          'intake/embedded',
          'intake/jsonl',
        ].filter((kind) => kind !== 'audit/keys'),
      ),
    );
    const into = join(dir, 'never');
    const refused = async (part: string, why: string): Promise<void> => {
      const { code, err } = await skep(`backup restore --from ${place} --set ${id} --into ${into}`);
      expect([code, err]).toEqual([1, expect.stringContaining(part)]);
      expect(err).toContain(why);
      expect(readdirSync(dir).filter((name) => name.startsWith('never'))).toEqual([]);
      await expect(it.node.backups.verify({ set: id })).rejects.toThrow(part);
    };
    const pathOf = ({ sha256 }: PartRef): string => join(place, 'parts', sha256.slice(0, 2), sha256);
    for (const [kind, part] of kinds) {
      const path = pathOf(part);
      const bytes = readFileSync(path);
      const altered = Buffer.from(bytes);
      altered[Math.floor(bytes.length / 2)]! ^= 1;
      writeFileSync(path, altered);
      await refused(part.sha256, kind === 'list' ? 'list' : 'was altered');
      writeFileSync(path, bytes);
    }
    const [[, rows], [, list]] = kinds as [[string, PartRef], [string, PartRef]];
    const [one, other] = [rows, list].map((part) => readFileSync(pathOf(part))) as [Buffer, Buffer];
    rmSync(pathOf(rows));
    await refused(rows.sha256, 'is missing');
    writeFileSync(pathOf(rows), other);
    writeFileSync(pathOf(list), one);
    await refused(rows.sha256, 'was altered');
    writeFileSync(pathOf(rows), one);
    writeFileSync(pathOf(list), other);
    expect(await it.node.backups.verify({ set: id, restore: true })).toMatchObject({ id, restored: true });
    expect(existsSync(join(dir, 'data', 'backup', 'proof'))).toBe(false);
    const manifest = join(place, 'sets', `${id}.json`);
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(rows.sha256, list.sha256));
    await refused(`manifest of set ${id}`, 'was altered');
    writeFileSync(manifest, text);
  },
);

test('encrypted, in a bucket: only the identity reads the set, and equal parts are not sent twice', LIMIT, async () => {
  const recipient = await identityToRecipient(identity);
  const bucket = `{ url: "127.0.0.1:${s3.port}", bucket: sets, prefix: node-1/, usessl: false, accesskey: ${S3_KEYS.access}, secretkey: ${S3_KEYS.secret} }`;
  await closeControl();
  await it.node.stop();
  writePlatformFile(dir, { extra: extra(`{ s3: ${bucket}, encrypt: { recipients: [${recipient}] } }`) });
  const node = await startNode(platformOf(file));
  try {
    const first = await node.backups.now();
    const sent = s3.objects.size;
    const second = await node.backups.now();
    expect(second.new_bytes).toBeLessThan(first.new_bytes / 4);
    expect(s3.objects.size - sent).toBeLessThan(sent / 2);
    expect(await node.backups.status()).toMatchObject({ sets: 2, encrypted: true, newest: second.set });
    // Without an identity their lengths are compared; the lists are read.
    expect(await node.backups.verify({ set: 'latest' })).toMatchObject({ id: second.set, read: 0 });
  } finally {
    await node.stop();
  }
  const sealed = [...s3.objects].filter(([key]) => /parts\/.*\.[0-9a-f]{16}$/.test(key));
  expect(sealed.length).toBeGreaterThan(10);
  for (const [, { bytes }] of sealed) expect(bytes.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n/);
  const into = join(dir, 'from-bucket');
  const key = join(dir, 'backup.key');
  writeFileSync(key, `# a remark\n${await generateIdentity()}\n`);
  for (const option of ['', ` --identity ${key}`]) {
    const { code, err } = await skep(`backup restore -f ${file} --into ${into}${option}`);
    expect([code, err]).toEqual([1, expect.stringMatching(option === '' ? /is encrypted/ : /cannot be decrypted/)]);
    expect(existsSync(into)).toBe(false);
  }
  writeFileSync(key, `${identity}\n`);
  const { code, err } = await skep(`backup restore -f ${file} --into ${into} --identity ${key}`);
  expect(code, err).toBe(0);
  expect(await shownBy(into)).toMatchObject({ file: 'the bytes of a file', secret: 'hunter2', submissions: 1 });
});
