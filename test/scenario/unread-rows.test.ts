/** One row that cannot be read: lists, searches, exports and writes of its entity go on without it; it is named, and taken out on demand. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardPath } from '#storage/archive.ts';
import { openEnvironment } from '#storage/environment.ts';
import { findShards, KEYS_END, placeOf, withShard } from '#storage/inspect.ts';
import { decodeRecord } from '#storage/record.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { unpackDirectory, type OldDirectory } from '#test/kit/old-directory.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

let old: OldDirectory;
let node: ProcessNode;
let bearer: Record<string, string>;
let victim: string;

/** Turns a bit in the record of a row. */
async function damage(dataDir: string, id: string): Promise<void> {
  for (const shard of findShards(dataDir)) {
    const found: [string, Buffer][] = [];
    await withShard(dataDir, shard, (environment) => {
      for (const { key, value } of environment.range('\0', KEYS_END)) {
        const place = placeOf(key);
        if (place === null || place.table < 256 || value.length < 40) continue;
        const slots = decodeRecord(value, 'row') as unknown[];
        if (Array.isArray(slots) && slots[5] === id) found.push([key, Buffer.from(value)]);
      }
    });
    if (found.length === 0) continue;
    found[0]![1][12]! ^= 1;
    const environment = openEnvironment(shardPath(dataDir, shard), {
      onFatal: (error) => {
        throw error;
      },
    });
    await environment.commit(found);
    await environment.close();
    return;
  }
  throw new Error(`no row ${id}`);
}

const call = async (method: string, path: string, body?: object) => {
  const init = {
    method,
    headers: { ...bearer, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  };
  const answer = await fetch(node.listeners['gateway']! + path, init);
  const text = await answer.text();
  return { status: answer.status, text, rows: () => (JSON.parse(text) as { data: { id: string }[] }).data };
};

beforeAll(async () => {
  old = unpackDirectory('clean');
  const tenant = old.found.tenants[0]!;
  victim = Object.keys(old.found.rows)
    .find((name) => name.startsWith(`${tenant} hall `))!
    .split(' ')[2]!;
  await damage(join(old.dir, 'data'), victim);
  node = await startProcess(old.file, { SKEP_PORT_BASE: String(await freePortBase()) }, ['env', '-C', old.dir]);
  const here = positionHeaders(tenant);
  const answer = await fetch(`${node.listeners['gateway']!}/auth/token`, {
    method: 'POST',
    headers: { ...here, Authorization: `ApiKey ${old.found.serviceKeys[tenant]!}` },
  });
  bearer = { ...here, Authorization: `Bearer ${((await answer.json()) as { token: string }).token}` };
}, 180_000);

afterAll(() => old.remove());

test(
  'lists by table and by index, searches and exports leave it out and serve the rest',
  { timeout: 60_000 },
  async () => {
    for (const path of ['/data/rest/hall?limit=100', '/data/rest/hall?orderby=floor', '/data/rest/hall?floor=1']) {
      const listed = await call('GET', path);
      expect(listed.status, listed.text).toBe(200);
      expect(listed.rows().map(({ id }) => id)).not.toContain(victim);
      expect(listed.rows().length).toBeGreaterThan(0);
    }
    expect((await call('POST', '/data/rest/hall/search', {})).status).toBe(200);
    const exported = await call('PATCH', '/data/bulk?entity=hall&format=jsonl');
    expect([exported.status, exported.text.includes(victim)]).toEqual([200, false]);
    expect(exported.text.trim().split('\n').length).toBeGreaterThan(2);
  },
);

test('other rows are written and deleted; the row itself is refused by name', { timeout: 60_000 }, async () => {
  const made = await call('POST', '/data/rest/hall', { label: 'a new one', floor: 70, place: 70 });
  expect(made.status, made.text).toBe(201);
  const [{ id }] = made.rows() as [{ id: string }];
  expect((await call('PATCH', `/data/rest/hall/id/${id}`, { floor: 71 })).status).toBe(200);
  expect((await call('DELETE', `/data/rest/hall/id/${id}`)).status).toBe(200);
  expect((await call('GET', `/data/rest/hall/id/${victim}`)).status).toBe(500);
});

test('it is named once in the log, and listed as degraded while /readyz stays 200', { timeout: 60_000 }, async () => {
  const lines = node
    .logged()
    .split('\n')
    .filter((line) => line.includes('a row cannot be read and is left out'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    tenant: old.found.tenants[0],
    entity: 'hall',
    key: expect.stringMatching(/^2c/),
  });
  const ready = await fetch(`${node.listeners['operations']!}/readyz`, { headers: { Accept: 'application/json' } });
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    {
      degraded: [
        { scope: 'part', name: `${old.found.tenants[0]} hall`, reason: expect.stringContaining('--drop-rows') },
      ],
    },
  ]);
});

test('taken out with the verb, its entity is whole; its bytes are kept', { timeout: 60_000 }, async () => {
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
  const data = join(old.dir, 'data');
  expect((await skep(`storage check ${data}`)).err).toContain('CRC does not fit');
  expect((await skep(`storage repair ${data} --drop-rows`)).code).toBe(0);
  expect((await skep(`storage check ${data}`)).code).toBe(0);
  expect(readFileSync(join(data, 'set-aside.jsonl'), 'utf8').split('\n')).toHaveLength(2);
});
