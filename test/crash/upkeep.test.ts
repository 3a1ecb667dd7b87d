/**
 * kill -9 inside seeds, retention and drains: no seed is half there, no row is lost, half anonymized or gone before its archive
 * holds it, no task is lost; another run finishes what was begun.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Operators } from '#test/kit/operators.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, type Answer, type Headers } from '#test/kit/test-node.ts';
import { rounds } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 2, ci: 3 });
const SEED_ROWS = 4000;
const VISITS = 3000;
const dir = mkdtempSync(join(tmpdir(), 'skep-upkeep-crash-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Visit {
  readonly id: string;
  readonly name: string | null;
  readonly version: number;
}

test(`nothing is half done in ${ROUNDS} kills`, { timeout: 120_000 + ROUNDS * 20_000 }, async () => {
  const localdir = join(dir, 'product');
  mkdirSync(localdir);
  cpSync(fileURLToPath(new URL('../kit/products/upkeep', import.meta.url)), localdir, { recursive: true });
  for (let round = 0; round < ROUNDS; round++) seedFile(localdir, round);
  const world = await Operators.open({ dir, localdir });
  const headers = world.headers('superadmin');
  await world.node.stop();
  const file = writePlatformFile(dir, { localdir });

  const ids = await prepare(file, headers);
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    const send = sender(node.listeners['gateway']!, headers);
    await verify(send, ids, round);
    const under = [
      send('POST', 'admin/data/seeds/runs', { names: [`many${round}`] }),
      send('POST', 'admin/data/retention/runs', { batch_size: 20, phases: ['anonymize', 'archive', 'archive_delete'] }),
      send('POST', 'admin/data/materialize/drain'),
    ].map((asked) => asked.catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 250));
    await node.end('SIGKILL');
    await Promise.all(under);
  }

  const node = await startProcess(file);
  const send = sender(node.listeners['gateway']!, headers);
  await verify(send, ids, ROUNDS);
  const seeded = await send('POST', 'admin/data/seeds/runs', {});
  expect([seeded.status, await countOf(send, 'country')]).toEqual([200, ROUNDS * SEED_ROWS + 5]);
  expect((await send('POST', 'admin/data/retention/runs', {})).status).toBe(200);
  expect([await countOf(send, 'visit'), await countOf(send, 'visit_archive')]).toEqual([1, VISITS]);
  await send('POST', 'admin/data/materialize/drain');
  const places = await rowsOf<{ visits: number }>(send, 'place');
  expect(places.map(({ visits }) => visits)).toEqual([1]);
  expect(await node.end('SIGTERM')).toBe(0);
});

function seedFile(product: string, round: number): void {
  const rows = Array.from({ length: SEED_ROWS }, (_, at) => JSON.stringify({ code: `r${round}n${at}` }));
  writeFileSync(join(product, 'seeds', `many${round}.jsonl`), rows.join('\n'));
  const text = `name: many${round}\nentity: country\nfile: many${round}.jsonl\n`;
  writeFileSync(join(product, 'seeds', `many${round}.yaml`), text);
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const sender =
  (gateway: string, headers: Headers): Send =>
  (method, path, body) =>
    call(gateway, method, `/data/${path}`, headers, body);

/** A place with one visit of tomorrow and many that are long over; their ids. */
async function prepare(file: string, headers: Headers): Promise<ReadonlySet<string>> {
  const node = await startProcess(file);
  const send = sender(node.listeners['gateway']!, headers);
  const place = ((await send('POST', 'rest/place', {})).json as { data: { id: string }[] }).data[0]!.id;
  const row = (seen: string, name: string) => JSON.stringify({ seen, name, shop_id: place });
  const rows = Array.from({ length: VISITS }, (_, at) => row('2020-01-01', `n${at}`));
  rows.push(row('2999-01-01', 'young'));
  const imported = await send('POST', 'bulk?entity=visit&format=jsonl', rows.join('\n'));
  expect(imported.json).toMatchObject({ imported: VISITS + 1 });
  const ids = new Set((await rowsOf<Visit>(send, 'visit')).map(({ id }) => id));
  expect(await node.end('SIGTERM')).toBe(0);
  return ids;
}

async function verify(send: Send, ids: ReadonlySet<string>, rounds: number): Promise<void> {
  const seeds = ((await send('GET', 'admin/data/seeds')).json as { seeds: { name: string; status: string }[] }).seeds;
  const codes = (await rowsOf<{ code: string }>(send, 'country', 50_000)).map(({ code }) => code);
  for (let round = 0; round < rounds; round++) {
    const there = codes.filter((code) => code.startsWith(`r${round}n`)).length;
    const { status } = seeds.find(({ name }) => name === `many${round}`)!;
    expect([status, there]).toEqual(there === 0 ? ['pending', 0] : ['applied', SEED_ROWS]);
  }
  const live = await rowsOf<Visit>(send, 'visit');
  const archived = new Map((await rowsOf<Visit>(send, 'visit_archive')).map((row) => [row.id, row]));
  expect(new Set([...live.map(({ id }) => id), ...archived.keys()])).toEqual(ids);
  // What is archived was anonymized before; what is kept was either changed whole or not at all.
  expect([...archived.values()].filter(({ name }) => name !== null)).toEqual([]);
  expect(await countOf(send, 'visit')).toBe(live.length);
  expect(await countOf(send, 'visit_archive')).toBe(archived.size);
}

async function rowsOf<T>(send: Send, entity: string, most = 10_000): Promise<T[]> {
  const rows: T[] = [];
  for (let offset = 0; offset < most; offset += 5000) {
    const page = ((await send('GET', `rest/${entity}?limit=5000&offset=${offset}`)).json as { data: T[] }).data;
    rows.push(...page);
    if (page.length < 5000) break;
  }
  return rows;
}

async function countOf(send: Send, entity: string): Promise<number> {
  return ((await send('GET', `rest/${entity}?limit=1`)).json as { total: number }).total;
}
