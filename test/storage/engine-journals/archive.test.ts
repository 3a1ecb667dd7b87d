/** A real archive whose turns are acknowledged by logs in an engine: in memory, and in a PostgreSQL with a synchronous standby. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ShardStopped, StorageFull } from '#storage/fault.ts';
import { engineJournals } from '#storage/engine-journals/engine-journals.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { EngineRefused, type LogEngine } from '#storage/log-engine/port.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { FatefulProxy } from '#test/storage/log-engine/fateful-proxy.ts';
import { openAt, place } from '#test/storage/place.ts';
import { durable, forgetShards, openOver, rowsOf, settingsOf, write } from './kit.ts';

const memoryLog = (): MemoryLog => {
  const random = new Random(testSeed());
  return new MemoryLog({ shards: 2, random: () => random.next() });
};

/** Keys are written over, deleted and large: what the log alone must bring back. */
async function fill(engine: LogEngine, dataDir: string): Promise<Record<string, string>[]> {
  const archive = await openOver(engine, dataDir);
  const random = new Random(testSeed());
  const expected = [0, 1].map((): Record<string, string> => ({}));
  const stores = [0, 1].map((no) => archive.store(no, 7));
  const waits: Promise<void>[] = [];
  for (let n = 0; n < 600; n++) {
    const no = random.below(2);
    const key = `k${random.below(80)}`;
    const value = random.chance(0.2) ? null : `${n} `.repeat(1 + random.below(random.chance(0.05) ? 5000 : 20));
    if (value === null) delete expected[no]![key];
    else expected[no]![key] = value;
    waits.push(durable(stores[no]!, write(stores[no]!, key, value)));
    if (random.chance(0.05)) await waits.at(-1);
  }
  // Larger than an entry.
  const large = 'x'.repeat(2.5 * engine.entryBytesMax);
  expected[1]!['large'] = large;
  waits.push(durable(stores[1]!, write(stores[1]!, 'large', large)));
  await Promise.all(waits);
  expect(stores.map(rowsOf)).toEqual(expected);
  await archive.close();
  return expected;
}

async function readsFromTheLogAlone(engine: LogEngine): Promise<void> {
  const dataDir = place();
  const expected = await fill(engine, dataDir);
  forgetShards(dataDir);
  const again = await openOver(engine, dataDir);
  expect(again.stats().replayed).toBe(601);
  expect([0, 1].map((no) => rowsOf(again.store(no, 7)))).toEqual(expected);
  await durable(again.store(0, 7), write(again.store(0, 7), 'one more', 'v'));
  await again.close();
  const third = await openOver(engine, dataDir);
  expect(third.stats().replayed).toBe(0);
  expect(rowsOf(third.store(0, 7))).toEqual({ ...expected[0], 'one more': 'v' });
  await third.close();
}

describe('over the engine in memory', () => {
  it('reads all of it from the log alone', { timeout: 60_000 }, () => readsFromTheLogAlone(memoryLog().connect()));

  it('a shard that another owner takes is lost, its other shard goes on, and its LMDB is the beginning of the log', async () => {
    const log = memoryLog();
    const [here, there] = [place(), place()];
    const lost: number[] = [];
    const archive = await openOver(log.connect(), here, { onLost: (no) => lost.push(no) });
    const [one, two] = [archive.store(0, 7), archive.store(1, 7)];
    await durable(one, write(one, 'a', 'first'));
    const other = await openOver(log.connect(), there, { shards: [0] });
    expect(rowsOf(other.store(0, 7))).toEqual({ a: 'first' });
    let isAnswered = false;
    one.whenDurable(write(one, 'a', 'behind it'), () => (isAnswered = true));
    await expect.poll(() => lost).toEqual([0]);
    expect(() => archive.store(0, 7)).toThrow(ShardStopped);
    expect(() => write(one, 'a', 'later')).toThrow('another owner took it');
    one.whenDurable(0, () => (isAnswered = true));
    // What the lost shard had waiting takes no room any more.
    await archive.drain();
    expect([archive.stats().overlayEntries, two.pressure]).toEqual([0, 0]);
    await durable(two, write(two, 'b', 'goes on'));
    expect(isAnswered).toBe(false);
    await archive.close();
    await durable(other.store(0, 7), write(other.store(0, 7), 'a', 'second'));
    await other.close();
    const back = await openOver(log.connect(), here);
    expect([0, 1].map((no) => rowsOf(back.store(no, 7)))).toEqual([{ a: 'second' }, { b: 'goes on' }]);
    await back.close();
  });

  it('a store that is no beginning of the log is refused: of another log, of one that was put back, of files', async () => {
    const log = memoryLog();
    const dataDir = place();
    const archive = await openOver(log.connect(), dataDir);
    await durable(archive.store(0, 7), write(archive.store(0, 7), 'a', 'v'));
    await archive.close();
    await expect(openOver(memoryLog().connect(), dataDir)).rejects.toThrow(EngineRefused);
    const another = memoryLog();
    const elsewhere = await openOver(another.connect(), place());
    for (const no of [0, 1])
      for (let n = 0; n < 3; n++) await durable(elsewhere.store(no, 7), write(elsewhere.store(no, 7), 'a', `w${n}`));
    await expect(openOver(another.connect(), dataDir)).rejects.toThrow('is not the one that was read before');
    // It refused before it claimed: the owner has not lost its shards.
    await durable(elsewhere.store(0, 7), write(elsewhere.store(0, 7), 'a', 'still here'));
    expect(rowsOf(elsewhere.store(0, 7))).toEqual({ a: 'still here' });
    await elsewhere.close();
    await expect(openAt(dataDir)).rejects.toThrow('follows a log elsewhere');

    const files = place();
    const local = await openAt(files);
    await durable(local.store(0, 7), write(local.store(0, 7), 'a', 'v'));
    await local.close();
    await expect(openOver(memoryLog().connect(), files)).rejects.toThrow('has record 1 of files');
  });

  it('takes no record while too many bytes wait for the log, and takes them again when it is back', async () => {
    const log = memoryLog();
    const journals = engineJournals(settingsOf(log.connect(), { waitingBytesMax: 1000 }));
    const archive = await openOver(log.connect(), place(), { journals });
    const store = archive.store(0, 7);
    log.isStandbyAway = true;
    const first = durable(store, write(store, 'a', 'x'.repeat(2000)));
    expect(() => write(store, 'b', 'v')).toThrow(StorageFull);
    log.isStandbyAway = false;
    await first;
    await durable(store, write(store, 'b', 'v'));
    expect(Object.keys(rowsOf(store))).toEqual(['a', 'b']);
    await archive.close();
  });
});

describe.runIf(hasPostgres)('over PostgreSQL with a standby', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());

  const optionsOf = (url: string) => ({ url, replication: 'strict' as const, answerMs: 20_000 });

  it('reads all of it from the log alone', { timeout: 120_000 }, async () => {
    await createTables(optionsOf(pair.primary.url), 2);
    const engine = new PostgresEngine(optionsOf(pair.primary.url));
    await readsFromTheLogAlone(engine);
    await engine.close();
  });

  it(
    'what was acknowledged is there when answers were lost and the standby took over',
    { timeout: 120_000 },
    async () => {
      await pair.primary.sql('drop schema public cascade; create schema public');
      await createTables(optionsOf(pair.primary.url), 2);
      const proxy = new FatefulProxy(pair.primary.port);
      // The server that is left has no standby, and a strict engine would wait for one without an end.
      const managed = (url: string): PostgresEngine =>
        new PostgresEngine({ ...optionsOf(url), replication: 'managed' });
      const engine = managed(`postgres://skep@127.0.0.1:${await proxy.open()}/postgres`);
      onTestFinished(() => proxy.close());
      const lost: number[] = [];
      const archive = await openOver(engine, place(), { onLost: (no) => lost.push(no) });
      const acknowledged: Record<string, string> = {};
      for (let n = 0; n < 60; n++) {
        if (n % 5 === 1) proxy.doom('answer lost');
        if (n % 7 === 2) proxy.doom('request lost');
        const store = archive.store(n % 2, 7);
        await durable(store, write(store, `k${n}`, `v${n}`));
        acknowledged[`k${n}`] = `v${n}`;
      }
      const store = archive.store(0, 7);
      await pair.standby.kill();
      let isAnswered = false;
      store.whenDurable(write(store, 'late', 'v'), () => (isAnswered = true));
      await expect.poll(async () => (await pair.primary.sql(WAITING))[0]!['n']).toBe(1);
      await pair.primary.kill();
      await pair.standby.start();
      pair.standby.promote();
      await pair.standby.set('synchronous_standby_names', '');
      const next = managed(pair.standby.url);
      const opened = await openOver(next, place());
      expect({ ...rowsOf(opened.store(0, 7)), ...rowsOf(opened.store(1, 7)) }).toEqual(acknowledged);
      // The old owner sends its record again, to a server on which the shard is another's.
      proxy.turnTo(pair.standby.port);
      await expect.poll(() => lost).toEqual([0]);
      expect(isAnswered).toBe(false);
      for (const one of [archive, opened, engine, next]) await one.close();
    },
  );
});

const WAITING = `select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'`;
