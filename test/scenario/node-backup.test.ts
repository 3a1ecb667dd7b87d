/** A whole node into sets and out of them. Contract: docs/contract/platform.md §5; docs/decisions/backup.md BK-14 to BK-18. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNode } from '#runtime/node.ts';
import type { Node } from '#runtime/node.ts';
import { DirectoryPlace } from '#storage/backup-set/directory-place.ts';
import { readList, readManifest } from '#storage/backup-set/manifest.ts';
import type { PartRef, SetManifest } from '#storage/backup-set/manifest.ts';
import { freePortBase } from '#test/kit/demo-process.ts';
import { readLog } from '#test/kit/intake-log.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { S3_KEYS, startS3 } from '#test/kit/s3-server.ts';
import type { S3Server } from '#test/kit/s3-server.ts';
import { assertSound } from '#test/kit/sound.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';
import { callVault } from '#test/kit/vault-process.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 90_000 };
const dir = mkdtempSync(join(tmpdir(), 'skep-node-backup-'));
const place = join(dir, 'backups');
const file = join(dir, 'platform.yaml');
const vaultPlace = positionHeaders(TENANT);
let it: TestNode;
let s3: S3Server;
let identity: string;
let extra: (backups: string) => string;

beforeAll(async () => {
  s3 = await startS3('sets');
  identity = await generateIdentity();
  const base = await freePortBase();
  extra = (backups) =>
    `audit: { enabled: true }\nvault: { enabled: true, profile: development, port: ${base + 7} }\nbackups: ${backups}\n`;
  it = await startTestNode({ dir, extra: extra(`{ to: ${place} }`) });
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
