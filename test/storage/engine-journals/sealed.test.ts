/** A log whose bodies are sealed: nothing of a row is in it, every changed bit is noticed, and claims, standbys, rotations and logs that were plain before go on. */
import { afterEach, expect, it } from 'vitest';
import { openEnvironment, type Environment } from '#storage/environment.ts';
import { shardPath } from '#storage/archive.ts';
import { Corruption } from '#storage/fault.ts';
import { BodyReader } from '#storage/engine-journals/body.ts';
import { ShardFollower } from '#storage/engine-journals/follow-shard.ts';
import { chained, FIRST_CHAIN } from '#storage/log-engine/chain.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { EngineRefused, type LogEntry } from '#storage/log-engine/port.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { place } from '#test/storage/place.ts';
import { changed, durable, forgetShards, openOver, rowsOf, write } from './kit.ts';

const SECRET = 'the planted value of a row';
const opened: Environment[] = [];
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.close();
});

const logOfTwo = (): MemoryLog => new MemoryLog({ shards: 2, random: () => 0 });

/** Writes rows under names, and closes again. */
async function written(log: MemoryLog, dataDir: string, seal: LogSeal | null, names: readonly string[]) {
  const archive = await openOver(log.connect(), dataDir, { seal });
  const store = archive.store(0, 7);
  for (const name of names) await durable(store, write(store, name, `${SECRET} ${name}`));
  const rows = rowsOf(store);
  await archive.close();
  return rows;
}

async function entriesOf(log: MemoryLog): Promise<readonly LogEntry[]> {
  const engine = log.connect();
  const { epoch } = await engine.look(0);
  return (await engine.readOwn(0, epoch, 0, 1e9))!.entries;
}

const takes = async (seal: LogSeal | null, entries: readonly LogEntry[]): Promise<number> => {
  const reader = new BodyReader(seal);
  await reader.know(entries);
  return entries.flatMap((entry) => reader.take(entry)).length;
};

it('nothing of a row is in the entries; another node reads them, behind a claim and as a standby', async () => {
  const log = logOfTwo();
  const keys = vaultOf(1);
  const archive = await openOver(log.connect(), place(), { seal: sealOf(keys) });
  const store = archive.store(0, 7);
  for (let n = 0; n < 60; n++) await durable(store, write(store, `k${n % 20}`, `${SECRET} ${n}`));
  const rows = rowsOf(store);
  const entries = await entriesOf(log);
  expect(entries.length).toBeGreaterThan(60);
  for (const { body } of entries) expect(Buffer.from(body).includes('planted')).toBe(false);
  const here = place();
  const environment = openEnvironment(shardPath(here, 0), { onFatal: (error) => expect(error).toBeUndefined() });
  opened.push(environment);
  const work = {
    engine: log.connect(),
    shard: 0,
    environment,
    bounds: { gatherMax: 100, putsMax: 10 },
    readBytesMax: 4096,
  };
  const standby = new ShardFollower({ ...work, seal: sealOf(keys) });
  while (await standby.step());
  expect(standby.seq).toBe(entries.at(-1)!.seq - 1);
  await opened.pop()!.close();
  const taken = await openOver(log.connect(), here, { seal: sealOf(keys) });
  expect(rowsOf(taken.store(0, 7))).toEqual(rows);
  await taken.close();
  await archive.close();
});

it('every changed bit of every entry is noticed, also by a reader to whom the chain was made to fit', async () => {
  const log = logOfTwo();
  const seal = sealOf(vaultOf(1));
  await written(log, place(), seal, ['a', 'b', 'c']);
  const entries = (await entriesOf(log)).filter(({ first }) => first !== 0);
  expect(await takes(seal, entries)).toBe(3);
  let flips = 0;
  for (const [at, entry] of entries.entries())
    for (let byte = 0; byte < entry.body.length; byte++)
      for (const bit of [1, 128]) {
        const body = Buffer.from(entry.body);
        body[byte]! ^= bit;
        const spoilt = entries.with(at, chained(FIRST_CHAIN, { ...entry, body }));
        await expect(takes(seal, spoilt)).rejects.toThrow();
        flips++;
      }
  expect(flips).toBeGreaterThan(600);
  // Moved to another place, or to another shard; cut short; taken for a plain one.
  for (const change of [
    { seq: 99 },
    { shard: 1 },
    { epoch: 9 },
    { first: 2 },
    { body: entries[0]!.body.subarray(0, 30) },
  ])
    await expect(takes(seal, [{ ...entries[0]!, ...change }])).rejects.toThrow(Corruption);
  const plain = logOfTwo();
  await written(plain, place(), null, ['a']);
  const [forged] = (await entriesOf(plain)).filter(({ first }) => first !== 0);
  await expect(takes(seal, [entries[0]!, { ...forged!, epoch: entries[0]!.epoch }])).rejects.toThrow('is not sealed');
});

it('a log that was plain seals from a point on, under one key and then the next, and all of it is read', async () => {
  const log = logOfTwo();
  const dataDir = place();
  await written(log, dataDir, null, ['plain']);
  await written(log, dataDir, sealOf(vaultOf(1)), ['first']);
  const rows = await written(log, dataDir, sealOf(vaultOf(1, 2)), ['second']);
  expect(Object.keys(rows)).toHaveLength(3);
  forgetShards(dataDir);
  // This one was opened before the second key was begun: it asks the vault for it.
  expect(await written(log, dataDir, sealOf(vaultOf(1), { vault: vaultOf(1, 2) }), [])).toEqual(rows);
  const formats = (await entriesOf(log)).filter(({ first }) => first !== 0).map(({ body }) => body[0]);
  expect(formats).toEqual([1, 2, 2]);
});

it('without its key, or with another one, a log is not opened, and nothing of it is taken', async () => {
  const log = logOfTwo();
  await written(log, place(), sealOf(vaultOf(1)), ['a', 'b']);
  await expect(openOver(log.connect(), place(), { seal: null })).rejects.toThrow(/is sealed\n.*storage\.journal\.seal/);
  await expect(openOver(log.connect(), place(), { seal: sealOf(vaultOf(2)) })).rejects.toThrow(EngineRefused);
  const other = sealOf(new Map([[1, Buffer.alloc(32, 7)]]));
  const here = place();
  await expect(openOver(log.connect(), here, { seal: other })).rejects.toThrow(/sealed by another key/);
  expect(Object.keys(await written(log, here, sealOf(vaultOf(1)), []))).toEqual(['a', 'b']);
});

it('records that take several entries are sealed in each of them', async () => {
  const log = logOfTwo();
  const dataDir = place();
  const seal = sealOf(vaultOf(1));
  const small = changed(log.connect(), { entryBytesMax: 200 });
  const archive = await openOver(small, dataDir, { seal });
  const store = archive.store(0, 7);
  await durable(store, write(store, 'long', SECRET.repeat(40)));
  const rows = rowsOf(store);
  await archive.close();
  const entries = await entriesOf(log);
  expect(entries.length).toBeGreaterThan(7);
  for (const { body } of entries)
    expect([body.length <= 200, Buffer.from(body).includes('planted')]).toEqual([true, false]);
  forgetShards(dataDir);
  expect(await written(log, dataDir, seal, [])).toEqual(rows);
});
