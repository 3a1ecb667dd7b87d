/** A journal that a disk has damaged: the tenants of its shards get 503, all others are served, and an operator is told what to do. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { findJournals } from '#storage/journal/directories.ts';
import { recordWrites } from '#storage/journal/record.ts';
import { readJournal } from '#storage/journal/replay.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call, exchange, positionHeaders, startTestNode, type Answer, type TestNode } from '#test/kit/test-node.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-damaged-journal-'));
const image = join(dir, 'image');
let node: Node | undefined;
let first: TestNode | undefined;
/** A tenant of a shard of host 1, and one of host 0. */
let hurt: string;
let well: string;
let token: string;

afterAll(async () => {
  await node?.stop();
  await first?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (tenant: string, method: string, path: string, body?: unknown): Promise<Answer> => {
  const headers = { ...positionHeaders(tenant), Authorization: `Bearer ${token}` };
  return call((node ?? first!.node).listeners['gateway']!, method, path, headers, body);
};
const create = (tenant: string, id: string): Promise<Answer> =>
  ask(tenant, 'POST', '/data/rest/paper', { id, title: id, note: `note of ${id}` });
async function start(): Promise<void> {
  const file = writePlatformFile(dir, { hosts: 2 });
  writeFileSync(file, readFileSync(file, 'utf8').replace(join(dir, 'data'), image));
  node = await startNode(platformOf(file));
}

/** Spoils the record that holds a text; the journal's name. */
function spoil(text: string): string {
  for (const journal of findJournals(image)) {
    const path = join(journal, '0000000001.segment');
    const file = readFileSync(path);
    for (const record of readJournal(journal)) {
      const writes = [...recordWrites(record)];
      if (!writes.some(({ value }) => value !== null && Buffer.from(value).includes(text))) continue;
      const at = file.indexOf(record.payload) + record.payload.length - 1;
      file[at] = file[at]! ^ 0x04;
      writeFileSync(path, file);
      return journal;
    }
  }
  throw new Error(`no record holds ${text}`);
}

test('a damaged record stops the tenants of its shards, with 503, and no others', async () => {
  first = await startTestNode({ dir, hosts: 2 });
  const tenants = first.node.tenants();
  const onHost = (host: number): string | undefined => tenants.find(({ shard }) => shard % 2 === host)?.position.key;
  expect([onHost(0), onHost(1)].every((key) => key === TENANT || key === OTHER_TENANT)).toBe(true);
  well = onHost(0)!;
  hurt = onHost(1)!;
  const issued = await first.node.ask(TENANT, 'identity', 'key.issue', {
    service: 'test',
    capabilities: { scope: ['acme:dev:shop:*'] },
  });
  token = await exchange(first.gateway, (issued as { key: string }).key);
  for (const tenant of [well, hurt])
    for (const id of ['one', 'two', 'three'])
      expect((await create(tenant, `${id}-${tenant.split(':')[3]!}`)).status).toBe(201);
  await first.stop();
  cpSync(join(dir, 'data'), image, { recursive: true });
  // As a cut of power leaves it before LMDB has followed: the journals of a second run, over the shards as they were before it.
  node = await startNode(first.platform);
  first = undefined;
  for (let no = 0; no < 40; no++) expect((await create(hurt, `burst-${no}`)).status).toBe(201);
  cpSync(join(dir, 'data', 'journal'), join(image, 'journal'), { recursive: true });
  // A machine this slow may have found the journal idle meanwhile, and noted that LMDB had it all: not the LMDB of this image.
  for (const journal of findJournals(image)) rmSync(join(journal, 'durable'), { force: true });
  await node.stop();
  const journal = spoil('note of burst-7');
  await start();
  expect((await ask(well, 'GET', `/data/rest/paper/id/two-${well.split(':')[3]!}`)).status).toBe(200);
  expect((await create(well, 'goes-on')).status).toBe(201);
  const refused = await ask(hurt, 'GET', '/data/rest/paper/id/burst-1');
  expect([refused.status, (refused.json as { code: string }).code]).toEqual([503, 'v2.engine_unavailable']);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect(findJournals(image)).toContain(journal);
}, 120_000);

test('operations list the shards with what to do, /readyz stays 200, and no fault is logged for each request', async () => {
  const operations = node!.listeners['operations']!;
  expect((await call(operations, 'GET', '/readyz')).status).toBe(200);
  const { json } = await call(operations, 'GET', '/readyz', { Accept: 'application/json' });
  const { degraded } = json as { degraded: { scope: string; name: string; reason: string }[] };
  const shards = degraded.filter(({ scope }) => scope === 'shard');
  expect(shards.length).toBeGreaterThan(0);
  for (const { reason } of shards) expect(reason).toContain('skep storage repair <dir> --drop-records');
}, 60_000);

test('it stays so over further starts, until an operator gives the record up: then all are served, and only that is missing', async () => {
  await node!.stop();
  await start();
  expect((await ask(hurt, 'GET', '/data/rest/paper/id/burst-1')).status).toBe(503);
  expect((await ask(well, 'GET', '/data/rest/paper/id/goes-on')).status).toBe(200);
  await node!.stop();
  const refused = await skep(`storage repair ${image}`);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--drop-records')]);
  const done = await skep(`storage repair ${image} --drop-records`);
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('records given up')]);
  await start();
  expect((await ask(hurt, 'GET', '/data/rest/paper/id/burst-7')).status).toBe(404);
  expect((await ask(hurt, 'GET', '/data/rest/paper/id/burst-1')).status).toBe(200);
  expect((await ask(hurt, 'GET', '/data/rest/paper/id/burst-39')).status).toBe(200);
  await node!.stop();
  node = undefined;
}, 120_000);
