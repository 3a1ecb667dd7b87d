/** A data directory that was put back as a whole: with `storage.mark` the node notices, and starts only when an operator accepts it. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { readOutsideMark } from '#storage/outside-mark.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-rolled-back-'));
const data = join(dir, 'data');
const copy = join(dir, 'copy');
const second = join(dir, 'second');
const mark = join(second, 'skep.mark');
let node: Node | undefined;
let key: string;
let headers: Headers;

afterAll(async () => {
  await node?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const file = writePlatformFile(dir);
  writeFileSync(file, readFileSync(file, 'utf8').replace('storage: { ', `storage: { mark: ${mark}, `));
  node = await startNode(platformOf(file));
  const token = await exchange(node.listeners['gateway']!, key);
  headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
}

async function stop(): Promise<void> {
  await node!.stop();
  node = undefined;
}

const create = async (id: string): Promise<void> => {
  const made = await call(node!.listeners['gateway']!, 'POST', '/data/rest/paper', headers, { id, title: id });
  expect(made.status).toBe(201);
};
const isThere = async (id: string): Promise<number> =>
  (await call(node!.listeners['gateway']!, 'GET', `/data/rest/paper/id/${id}`, headers)).status;
const putBack = (): void => {
  rmSync(data, { recursive: true });
  cpSync(copy, data, { recursive: true });
};

test('a node is refused its start over an older copy, and names mark, reason and the verb; accepted once, it serves', async () => {
  const before = await startTestNode({ dir });
  key = before.serviceKey;
  await before.stop();
  mkdirSync(second);
  await start();
  await create('early');
  await stop();
  cpSync(data, copy, { recursive: true });
  await start();
  await create('late');
  await stop();
  putBack();
  await expect(start()).rejects.toThrow(`is not what its mark ${mark} knows: it is an earlier copy`);
  await expect(start()).rejects.toThrow(`skep storage accept ${data} --mark ${mark}`);
  expect((await skep(`storage accept ${data} --mark ${mark}`)).code).toBe(0);
  await start();
  expect([await isThere('early'), await isThere('late')]).toEqual([200, 404]);
  await create('after');
  await stop();
  await start();
  expect(await isThere('after')).toBe(200);
  await stop();
}, 120_000);

test('a copy that was taken while the node ran is known by the record at which it ends', async () => {
  await start();
  await create('one');
  rmSync(copy, { recursive: true });
  cpSync(data, copy, { recursive: true });
  await create('two');
  await stop();
  rmSync(data, { recursive: true });
  renameSync(copy, data);
  await expect(start()).rejects.toThrow(/it ends at record \d+ of journal \d+, and record \d+ was durable/);
  expect((await skep(`storage accept ${data} --mark ${mark}`)).code).toBe(0);
}, 120_000);

test('while the node serves the mark follows; one that cannot be written is named as degraded, and the node goes on', async () => {
  await start();
  const operations = node!.listeners['operations']!;
  const degraded = async (): Promise<string> =>
    (await call(operations, 'GET', '/readyz', { Accept: 'application/json' })).text;
  const before = JSON.stringify(readOutsideMark(mark));
  await create('follows');
  await expect.poll(() => JSON.stringify(readOutsideMark(mark)), { timeout: 10_000 }).not.toBe(before);
  renameSync(second, `${second}.away`);
  await create('unmarked');
  await expect.poll(degraded, { timeout: 10_000 }).toContain('cannot be written');
  expect((await call(operations, 'GET', '/readyz')).status).toBe(200);
  renameSync(`${second}.away`, second);
  await expect.poll(degraded, { timeout: 10_000 }).not.toContain('cannot be written');
  await stop();
  expect(existsSync(mark)).toBe(true);
}, 120_000);
