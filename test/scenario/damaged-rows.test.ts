/** A row that cannot be read, asked for by its id: GET and PATCH name it as damaged, DELETE takes it out of the way with all that belongs to it. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { decodeRecord } from '#storage/record.ts';
import { damageRow, entriesOf, type FoundEntry } from '#test/kit/damage.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { unpackDirectory, type OldDirectory } from '#test/kit/old-directory.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { assertSound } from '#test/kit/sound.ts';
import { positionHeaders } from '#test/kit/test-node.ts';

let old: OldDirectory;
let node: ProcessNode;
let bearer: Record<string, string>;
/** Ids by what they are: a hall that nothing refers to, one that visits refer to, a piece that is deleted, one that is purged. */
let hall: string;
let visited: string;
let piece: string;
let purged: string;
let damaged: FoundEntry;

const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(node.listeners['gateway']! + path, {
    method,
    headers: { ...bearer, 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: JSON.parse(text) as never };
};

const degraded = async (): Promise<{ scope: string; name: string; reason: string }[]> => {
  const ready = await fetch(`${node.listeners['operations']!}/readyz`, { headers: { Accept: 'application/json' } });
  expect(ready.status).toBe(200);
  return ((await ready.json()) as { degraded: { scope: string; name: string; reason: string }[] }).degraded;
};

const start = async (tenant: string): Promise<void> => {
  node = await startProcess(old.file, { SKEP_PORT_BASE: String(await freePortBase()) }, ['env', '-C', old.dir]);
  const here = positionHeaders(tenant);
  const answer = await fetch(`${node.listeners['gateway']!}/auth/token`, {
    method: 'POST',
    headers: { ...here, Authorization: `ApiKey ${old.found.serviceKeys[tenant]!}` },
  });
  bearer = { ...here, Authorization: `Bearer ${((await answer.json()) as { token: string }).token}` };
};

beforeAll(async () => {
  old = unpackDirectory('clean');
  const tenant = old.found.tenants[0]!;
  const rows = Object.entries(old.found.rows).filter(([name]) => name.startsWith(`${tenant} `));
  const idOf = (entity: string, wanted: (row: Readonly<Record<string, unknown>>) => boolean): string =>
    rows.find(([name, row]) => name.startsWith(`${tenant} ${entity} `) && wanted(row))![0].split(' ')[2]!;
  visited = idOf('hall', ({ label }) => label === 'hall 1');
  const referred = new Set(rows.flatMap(([, row]) => [row['inside_id'], row['near_id']]));
  piece = /\/id\/(\w+)/.exec(old.found.files.find((file) => file.tenant === tenant)!.path)![1]!;
  purged = idOf('piece', ({ id }) => !referred.has(id) && id !== piece);
  await start(tenant);
  const made = await call('POST', '/data/rest/hall', { label: 'the lost one', floor: 90, place: 90 });
  hall = (made.json as { data: { id: string }[] }).data[0]!.id;
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
  const data = join(old.dir, 'data');
  damaged = await damageRow(data, hall);
  for (const id of [visited, piece, purged]) await damageRow(data, id);
  await start(tenant);
}, 180_000);

afterAll(() => old.remove());

test(
  'GET, PATCH, PUT and restore of it are refused by name, with the status of the contract',
  { timeout: 60_000 },
  async () => {
    const path = `/data/rest/hall/id/${hall}`;
    const named = { error: expect.stringMatching(/is damaged.*restore it from a backup, or delete it/) };
    const details = { damaged: true };
    for (const query of ['', '?meta=true'])
      expect(await call('GET', path + query)).toMatchObject({
        status: 500,
        json: { code: 'v2.query_failed', details, ...named },
      });
    expect(await call('PATCH', path, { floor: 9 })).toMatchObject({
      status: 500,
      json: { code: 'v2.update_failed', details, ...named },
    });
    const undone = await call('POST', `/data/rest/piece/id/${piece}/restore`);
    expect(undone).toMatchObject({ status: 500, json: { code: 'v2.restore_failed', details, ...named } });
    const again = await call('POST', '/data/rest/hall', { id: hall, label: 'another', floor: 80, place: 80 });
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('is taken by another row')]);
    expect(node.logged()).not.toContain('"msg":"a fault');
    expect((await degraded()).map(({ name }) => name)).toContain(`${old.found.tenants[0]} hall`);
  },
);

test('rows that refer to it hold it; no version of it meets If-Match', { timeout: 60_000 }, async () => {
  const held = await call('DELETE', `/data/rest/hall/id/${visited}`);
  expect(held).toMatchObject({ status: 422, json: { code: 'v2.delete_failed', details: { entity: 'visit' } } });
  const stale = await call('DELETE', `/data/rest/hall/id/${hall}`, undefined, { 'If-Match': '"1"' });
  expect(stale).toMatchObject({ status: 412, json: { code: 'v2.precondition_failed' } });
  expect((await call('GET', `/data/rest/hall/id/${hall}`)).status).toBe(500);
});

test(
  'DELETE takes it out of the way: its unique values are free, it is not there any more',
  { timeout: 60_000 },
  async () => {
    const before = await call('POST', '/data/rest/hall', { label: 'the lost one', floor: 90, place: 90 });
    expect(before.status, before.text).toBe(422);
    const gone = await call('DELETE', `/data/rest/hall/id/${hall}`);
    expect([gone.status, gone.text]).toEqual([200, '{"data":[],"count":0,"total":1}']);
    expect((await call('GET', `/data/rest/hall/id/${hall}`)).status).toBe(404);
    expect((await call('DELETE', `/data/rest/hall/id/${hall}`)).status).toBe(404);
    const after = await call('POST', '/data/rest/hall', { label: 'the lost one', floor: 90, place: 90 });
    expect(after.status, after.text).toBe(201);
    expect((await call('DELETE', `/data/rest/piece/id/${piece}?stats=true`)).json).toMatchObject({
      data: [],
      total: 1,
      stats: { rows_affected: 1 },
    });
    expect((await call('DELETE', `/data/rest/piece/id/${purged}?purge=true`)).status).toBe(200);
    const reasons = (await degraded()).map(({ name, reason }) => `${name}: ${reason}`);
    expect(reasons.filter((line) => line.includes(' piece:'))).toEqual([]);
  },
);

test('its event says that it was damaged', { timeout: 60_000 }, async () => {
  const segments = join(old.dir, 'data/audit/logs/tenant', ...old.found.tenants[0]!.split(':'), 'segments');
  const lines = (): string[] =>
    readdirSync(segments)
      .filter((name) => name.endsWith('.log'))
      .flatMap((name) => readFileSync(join(segments, name), 'utf8').split('\n'));
  const ofHall = (line: string): boolean => line.includes('"data.hall.delete"') && line.includes('"damaged":true');
  await expect.poll(() => lines().filter(ofHall), { timeout: 30_000 }).toEqual([expect.stringContaining(hall)]);
});

test('the directory is sound but for the row that was left; bytes of deleted rows are kept, of purged ones not', async () => {
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
  const data = join(old.dir, 'data');
  await expect(assertSound(data)).rejects.toThrow(/has 2 faults/); // the value and the row of the visited hall
  const kept = await entriesOf(data, ({ table }) => table === TABLES.set_aside.no);
  const records = kept.map(({ value }) => decodeRecord(value, 'set_aside') as { entity: string; value: Buffer });
  expect(records.map(({ entity }) => entity).toSorted()).toEqual(['hall', 'piece']);
  const bytes = records.find(({ entity }) => entity === 'hall')!.value;
  expect(Buffer.from(bytes).equals(damaged.value)).toBe(true);
}, 60_000);
