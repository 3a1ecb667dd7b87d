/** Copies of the shards of a node, as main has them made: schedule, order, what fails, what operators are told. The hosts are played. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { chained } from '#storage/log-engine/chain.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { copyName, type CopyPlace } from '#storage/shard-copy/place.ts';
import type { DegradedReport } from '#actors/protocol/degraded.ts';
import { ShardCopies } from '#runtime/cluster/shard-copies.ts';
import type { Job } from '#runtime/copies/job.ts';
import { good } from '#test/config/load-text.ts';

const LOG = 'storage: {journal: {driver: postgres, url: "postgres://a:b@c/d", snapshots: {to: /copies, every: 1h}}}';
const { copyFirstAfterMs, copyLateMs, copyRetryMs } = limits.storage;

async function world(text = LOG) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(1_790_000_000_000);
  const log = new MemoryLog({ shards: 3, random: () => 0.5 });
  const engine = log.connect();
  const places = await Promise.all([0, 1, 2].map((shard) => written(engine, shard)));
  const asked: number[] = [];
  const lines: string[] = [];
  const degraded = new Map<string, DegradedReport>();
  const state = { failing: new Set<number>(), names: new Map<number, string[]>(), isFull: false };
  const published: (readonly [shard: number, upTo: number, trimmed: number])[] = [];
  const place: CopyPlace = {
    where: 'here',
    put: () => Promise.resolve(),
    read: () => {
      throw new Error('hosts read');
    },
    list: (shard) => Promise.resolve(state.names.get(shard) ?? []),
    pieces: () => Promise.resolve([]),
    remove: (name) => {
      for (const [shard, names] of state.names)
        state.names.set(
          shard,
          names.filter((one) => one !== name),
        );
      return Promise.resolve();
    },
  };
  /** A host that copies what the log has. */
  const report = async (job: Job): Promise<unknown> => {
    if (job.kind === 'shard.history') {
      if (state.isFull) throw new Error('the place takes no pieces');
      published.push([job.shard, job.upTo.seq, (await engine.look(job.shard)).trimmed]);
      return { pieces: 2, bytes: 20 };
    }
    if (job.kind !== 'shard.copy') throw new Error('no other job');
    const { shard, newest } = job;
    asked.push(shard);
    if (state.failing.has(shard)) throw new Error('the place is full');
    const { tail: seq } = await engine.look(shard);
    if (newest !== null && newest.seq >= seq) return null;
    const { chain } = places[shard]!;
    const name = copyName({ shard, seq, chain: chain(), madeMs: Date.now(), sha256: 'a'.repeat(64) });
    state.names.set(shard, [...(state.names.get(shard) ?? []), name]);
    return { seq, chain: chain(), name, bytes: 10 };
  };
  const platform = good(text);
  let job: Job | null = null;
  const copies = new ShardCopies({
    platform: () => platform,
    hosts: {
      shardCount: 3,
      beginJob: (_, wish) => {
        expect(job).toBeNull(); // one at a time
        job = wish;
        return Promise.resolve(1);
      },
      lookAtJob: async () => {
        const wish = job!;
        job = null;
        return { ended: true, report: await report(wish) };
      },
    },
    open: () => Promise.resolve({ engine, place, id: 'log' }),
    clock: { now: () => Date.now() },
    log: {
      info: (_: unknown, line: string) => lines.push(line),
      warn: (_: unknown, line: string) => lines.push(line),
    } as never,
    degraded: {
      report: (entry) => void degraded.set(entry.name, entry),
      clear: (_, name) => void degraded.delete(name),
    },
    wait: () => Promise.resolve(),
  });
  onTestFinished(() => copies.stop());
  return { copies, engine, places, asked, lines, degraded, state, published };
}

test('where a history is kept, hosts put entries beside the copies before they go; none go while that fails, and the next round goes on', async () => {
  const { copies, engine, lines, places, published, state } = await world(
    LOG.replace('storage: {', 'storage: {history: 24h, '),
  );
  for (let n = 0; n < 4; n++) {
    await places[1]!.more();
    await copies.now();
  }
  // The others rest on their one copy.
  expect(published.filter(([shard]) => shard === 0)).toEqual([[0, 1, 0]]);
  expect(published.filter(([shard]) => shard === 1).map(([, upTo, trimmed]) => [upTo, trimmed])).toEqual([
    [2, 0],
    [3, 2],
  ]);
  state.isFull = true;
  await places[1]!.more();
  await expect(copies.now()).rejects.toThrow('shard 1: the place takes no pieces');
  const { snapshots, trimmed } = await engine.look(1);
  expect([snapshots.at(-1)!.seq, trimmed]).toEqual([4, 3]);
  expect(lines.at(-1)).toContain('the log in the database grows');
  state.isFull = false;
  await places[1]!.more();
  expect(await copies.now()).toMatchObject({ copied: 1, pieces: 2 });
  const again = await engine.look(1);
  expect(again.trimmed).toBe(again.snapshots.at(-1)!.seq);
});

/** A shard with an entry; `more` adds one. */
async function written(engine: ReturnType<MemoryLog['connect']>, shard: number) {
  const claim = (await engine.claim({ shard, seen: 0, owner: 'x', token: `${shard}` }))!;
  let { chain, tail } = claim;
  const more = async (): Promise<void> => {
    const entry = chained(chain, {
      shard,
      epoch: 1,
      seq: tail + 1,
      confirmed: tail,
      first: 0,
      time: 0,
      body: Buffer.from('x'),
    });
    await engine.append([entry]);
    ({ chain, seq: tail } = entry);
  };
  await more();
  return { chain: () => chain, more };
}

test('shards are copied one after another, noted, and cut; those without news are told apart', async () => {
  const { copies, engine, places, asked, state } = await world();
  expect(await copies.now()).toMatchObject({ copied: 3, unchanged: 0, bytes: 30 });
  for (let n = 0; n < 4; n++) {
    await places[1]!.more();
    expect(await copies.now()).toMatchObject({ copied: 1, unchanged: 2 });
  }
  expect(asked).toEqual(Array.from({ length: 5 }, () => [0, 1, 2]).flat());
  const { snapshots, trimmed } = await engine.look(1);
  expect([snapshots.map(({ seq }) => seq), trimmed, state.names.get(1)!.length]).toEqual([[5, 4, 3], 3, 3]);
  // The others rest on their one copy.
  expect((await engine.look(0)).trimmed).toBe(1);
});

test('a shard that fails stops no other; the node says so at once in its log, and after half an hour in what is degraded', async () => {
  const { copies, engine, lines, degraded, state } = await world();
  state.failing.add(0);
  await expect(copies.now()).rejects.toThrow('shard 0: the place is full');
  expect((await engine.look(2)).snapshots).toHaveLength(1);
  expect(lines.at(-1)).toContain('Nothing is lost and writes go on');
  expect(degraded.size).toBe(0);
  vi.setSystemTime(Date.now() + copyLateMs);
  await expect(copies.now()).rejects.toThrow('full');
  expect(degraded.get('copies of shards')).toMatchObject({ scope: 'backup', lasts: 'cleared' });
  state.failing.clear();
  await copies.now();
  expect(degraded.size).toBe(0);
});

test('the schedule begins a while after the start, leaves young copies alone, and tries again what failed', async () => {
  const { copies, asked, places, state } = await world();
  const until = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
    await vi.waitFor(() => expect(asked.length % 3).toBe(0));
  };
  copies.start();
  await until(copyFirstAfterMs - limits.backup.tickMs);
  expect(asked).toEqual([]);
  state.failing.add(1);
  await until(2 * limits.backup.tickMs);
  expect(asked).toHaveLength(3);
  state.failing.clear();
  for (const { more } of places) await more();
  await vi.advanceTimersByTimeAsync(copyRetryMs + limits.backup.tickMs);
  // The copies of the two others are ten minutes old.
  await vi.waitFor(() => expect(asked).toEqual([0, 1, 2, 1]));
});

test('one round at a time; without a place, or behind a stop, there is none', async () => {
  const { copies } = await world();
  const first = copies.now();
  await expect(copies.now()).rejects.toThrow('copies are being made since');
  await first;
  const none = await world('');
  await expect(none.copies.now()).rejects.toThrow('names no place for copies');
  none.copies.start();
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(none.asked).toEqual([]);
});
