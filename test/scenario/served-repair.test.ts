/** `skep tenant repair`: a tenant's indexes, counts and uses made anew from its rows while it is served and written. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import type { Place } from '#storage/inspect.ts';
import { decodeRecord } from '#storage/record.ts';
import { damageRow, entriesOf, flipKey, writeEntries } from '#test/kit/damage.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { unpackDirectory, type OldDirectory } from '#test/kit/old-directory.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { assertSound } from '#test/kit/sound.ts';
import { positionHeaders } from '#test/kit/test-node.ts';

let old: OldDirectory;
let node: ProcessNode;
let tenant: string;
let headers: Record<string, string>;
let visit: string;

const data = (): string => join(old.dir, 'data');
const isEntryOf = (text: string) => (place: Place, value: Uint8Array) =>
  place.table >= 256 && value.length <= 17 && place.tuple.includes(text);

const start = async (): Promise<void> => {
  node = await startProcess(old.file, { SKEP_PORT_BASE: String(await freePortBase()) }, ['env', '-C', old.dir]);
  const here = positionHeaders(tenant);
  const answer = await fetch(`${node.listeners['gateway']!}/auth/token`, {
    method: 'POST',
    headers: { ...here, Authorization: `ApiKey ${old.found.serviceKeys[tenant]!}` },
  });
  const { token } = (await answer.json()) as { token: string };
  headers = { ...here, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
};

const listed = async (path: string): Promise<{ id: string }[]> =>
  ((await (await fetch(node.listeners['gateway']! + path, { headers })).json()) as { data: { id: string }[] }).data;

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));

const repair = (...more: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const words = ['-C', old.dir, launcher, 'tenant', 'repair', '-f', old.file, tenant, '-o', 'json', ...more];
    execFile('env', words, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
  });

beforeAll(async () => {
  old = unpackDirectory('clean');
  tenant = old.found.tenants[0]!;
  const [lost] = await entriesOf(data(), isEntryOf('hall 1'));
  await writeEntries(data(), lost!.shard, [lost!.key, null]);
  const [count] = await entriesOf(
    data(),
    ({ table, tenant: no }) => table === TABLES.row_count.no && no === lost!.place.tenant,
  );
  await writeEntries(data(), count!.shard, [count!.key, null]);
  const [use] = await entriesOf(
    data(),
    ({ table, tenant: no }) => table === TABLES.blob_use.no && no === lost!.place.tenant,
  );
  await writeEntries(data(), use!.shard, [use!.key, null]);
  visit = Object.keys(old.found.rows)
    .find((name) => name.startsWith(`${tenant} visit `))!
    .split(' ')[2]!;
  await damageRow(data(), visit);
  await start();
}, 180_000);

afterAll(() => old.remove());

test('it is found again by its index, beside callers that write; what cannot be read is left and counted', async () => {
  expect(await listed('/data/rest/hall?label=hall%201')).toHaveLength(0);
  const world = { isOver: false };
  const writing = (async () => {
    for (let n = 0; !world.isOver; n++) {
      const body = JSON.stringify({ label: `new ${n}`, floor: 1000 + n, place: n });
      const made = await fetch(`${node.listeners['gateway']!}/data/rest/hall`, { method: 'POST', headers, body });
      expect(made.status).toBe(201);
    }
  })();
  const { code, out, err } = await repair();
  world.isOver = true;
  await writing;
  expect([code, err.includes('Error')]).toEqual([0, false]);
  expect(JSON.parse(out)).toMatchObject({ tenant, mended_index: 1, mended_count: 1, mended_use: 1, left: 1 });
  expect(await listed('/data/rest/hall?label=hall%201')).toHaveLength(1);
}, 90_000);

test('--drop-rows takes out what cannot be read, and keeps its bytes; then there is nothing to mend', async () => {
  expect((await fetch(`${node.listeners['gateway']!}/data/rest/visit/id/${visit}`, { headers })).status).toBe(500);
  const dropped = await repair('--drop-rows');
  expect(JSON.parse(dropped.out)).toMatchObject({ mended_row: 1, left: 0 });
  expect((await fetch(`${node.listeners['gateway']!}/data/rest/visit/id/${visit}`, { headers })).status).toBe(404);
  expect(JSON.parse((await repair()).out)).toEqual({ tenant, left: 0 });
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
  await assertSound(data());
  const kept = await entriesOf(data(), ({ table }) => table === TABLES.set_aside.no);
  expect(kept.map(({ value }) => decodeRecord(value, 'set_aside'))).toMatchObject([
    { entity: 'visit', by: 'skep tenant repair' },
  ]);
}, 90_000);

test('a shard whose keys are out of order is refused, with what to do', async () => {
  const [label] = await entriesOf(data(), isEntryOf('hall 2'));
  expect(flipKey(data(), label!, 'hall 2')).toBeGreaterThan(0);
  await start();
  const refused = await repair();
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/are out of order.*\n.*skep storage repair/);
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
}, 90_000);
