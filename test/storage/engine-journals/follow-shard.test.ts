/** A standby's store behind a log that another node writes: what it takes, what it leaves for the claim, and what it refuses. */
import { afterEach, expect, it } from 'vitest';
import { openEnvironment, type Environment } from '#storage/environment.ts';
import { shardPath, type Archive } from '#storage/archive.ts';
import { ShardFollower } from '#storage/engine-journals/follow-shard.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { EngineRefused, TrimGap } from '#storage/log-engine/port.ts';
import { place } from '#test/storage/place.ts';
import { durable, openOver, rowsOf, write } from './kit.ts';

const opened: Environment[] = [];
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.close();
});

const fail = (error: Error): never => {
  throw error;
};

function followerIn(log: MemoryLog, dataDir: string): ShardFollower {
  const environment = openEnvironment(shardPath(dataDir, 0), { onFatal: fail });
  opened.push(environment);
  const bounds = { gatherMax: 100, putsMax: 10 };
  return new ShardFollower({ engine: log.connect(), shard: 0, environment, bounds, readBytesMax: 4096 });
}

async function toItsEnd(follower: ShardFollower): Promise<void> {
  while (await follower.step());
}

async function fill(archive: Archive, from: number, to: number): Promise<void> {
  const store = archive.store(0, 7);
  for (let n = from; n < to; n++) await durable(store, write(store, `k${n % 50}`, `${n} `.repeat(20)));
}

const logOfTwo = (): MemoryLog => new MemoryLog({ shards: 2, random: () => 0 });

it('takes what is confirmed and leaves the newest entry for the claim; a takeover reads that one alone', async () => {
  const log = logOfTwo();
  const [here, there] = [place(), place()];
  const archive = await openOver(log.connect(), there);
  await fill(archive, 0, 200);
  const follower = followerIn(log, here);
  await toItsEnd(follower);
  const { tail } = await log.connect().look(0);
  expect(follower.seq).toBe(tail - 1);
  await fill(archive, 200, 230);
  await toItsEnd(follower);
  expect(follower.seq).toBe(tail + 29);
  const rows = rowsOf(archive.store(0, 7));
  await opened.pop()!.close();
  const taken = await openOver(log.connect(), here);
  expect(taken.stats().replayed).toBe(1);
  expect(rowsOf(taken.store(0, 7))).toEqual(rows);
  await taken.close();
  await archive.close();
});

it('goes on where a process before it ended, and takes nothing of it twice', async () => {
  const log = logOfTwo();
  const [here, there] = [place(), place()];
  const archive = await openOver(log.connect(), there);
  await fill(archive, 0, 100);
  const first = followerIn(log, here);
  await first.step();
  const { seq } = first;
  expect(seq).toBeGreaterThan(0);
  await opened.pop()!.close();
  const again = followerIn(log, here);
  expect(again.seq).toBe(seq);
  await toItsEnd(again);
  expect(again.seq).toBe((await log.connect().look(0)).tail - 1);
  await archive.close();
});

it('says so where entries are gone that it needs, and where its store is of another log, and takes nothing then', async () => {
  const log = logOfTwo();
  const [here, there] = [place(), place()];
  const archive = await openOver(log.connect(), there);
  await fill(archive, 0, 20);
  await toItsEnd(followerIn(log, here));
  await opened.pop()!.close();
  const other = logOfTwo();
  const elsewhere = await openOver(other.connect(), place());
  await fill(elsewhere, 500, 540);
  const wrong = followerIn(other, here);
  await expect(wrong.step()).rejects.toThrow(EngineRefused);
  expect(wrong.seq).toBe((await log.connect().look(0)).tail - 1);
  const engine = other.connect();
  const [entry] = (await engine.readConfirmed(0, 9, 1)).entries;
  const { chain, seq } = entry!;
  expect(await engine.noteSnapshot(0, { seq, chain, name: 'copy' })).toBe(true);
  await engine.trim(0, seq);
  await expect(followerIn(other, place()).step()).rejects.toThrow(TrimGap);
  await elsewhere.close();
  await archive.close();
});
