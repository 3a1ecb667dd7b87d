/** The journals over an engine in memory, one rule at a time. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { readApplied, readReach } from '#storage/applied.ts';
import { engineJournals } from '#storage/engine-journals/engine-journals.ts';
import { Corruption, ShardStopped } from '#storage/fault.ts';
import { Follower } from '#storage/follower.ts';
import type { Journals } from '#storage/journal/port.ts';
import { chained } from '#storage/log-engine/chain.ts';
import { KEPT_RULES } from '#test/storage/log-engine/memory-statements.ts';
import { MemoryLog, type MemoryLogOptions } from '#test/storage/log-engine/memory.ts';
import { EngineRefused, type LogEngine, type LogEntry } from '#storage/log-engine/port.ts';
import { Budget } from '#storage/overlay/budget.ts';
import { Cell } from '#storage/overlay/cell.ts';
import { Overlay } from '#storage/overlay/overlay.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { changed } from './kit.ts';
import { MemoryEnvironment } from './memory-environment.ts';
import { loopTurn, recordsInLog, small } from './owner.ts';

const put = (key: string, value = key): { key: string; value: Uint8Array } => ({ key, value: Buffer.from(value) });

function logOf(options: Partial<MemoryLogOptions> = {}): MemoryLog {
  const random = new Random(testSeed());
  return new MemoryLog({ shards: 3, random: () => random.next(), ...options });
}

const SHARDS = [0, 1, 2];

interface Opened {
  readonly journals: Journals;
  readonly environments: Map<number, MemoryEnvironment>;
  readonly faults: Error[];
}

async function open(
  engine: LogEngine,
  environments = new Map(SHARDS.map((no) => [no, new MemoryEnvironment()])),
): Promise<Opened> {
  const faults: Error[] = [];
  const opening = engineJournals({ ...small(engine, 'a', loopTurn), waitingBytesMax: 1e9 });
  const { journals } = await opening(environments, (error) => faults.push(error));
  return { journals, environments, faults };
}

const durable = (journals: Journals, shard: number, number: number): Promise<void> =>
  new Promise((resolve) => journals.of(shard).whenDurable(number, resolve));

it('one call takes what waits in all shards, what comes meanwhile goes with the next, and answers come in the order of the numbers', async () => {
  const calls: LogEntry[][] = [];
  const engine = logOf().connect();
  const { journals } = await open(
    changed(engine, {
      append: (entries) => {
        if (entries[0]!.first > 0) calls.push([...entries]);
        return engine.append(entries);
      },
    }),
  );
  const said: string[] = [];
  const write = (shard: number): number => {
    const number = journals.of(shard).append([put('k')]);
    journals.of(shard).whenDurable(number, () => said.push(`${shard} ${number}`));
    return number;
  };
  for (const no of [0, 0, 1, 0]) write(no);
  journals.of(0).whenDurable(1, () => said.push('0 1 again'));
  await loopTurn();
  for (const no of [0, 2]) write(no);
  await journals.settled();
  expect(calls.map((entries) => entries.map(({ shard, first }) => `${shard} ${first}`))).toEqual([
    ['0 1', '1 1'],
    ['0 4', '2 1'],
  ]);
  expect(said).toEqual(['0 1', '0 1 again', '0 2', '0 3', '1 1', '0 4', '2 1']);
  expect([journals.of(0).last, journals.of(0).durable, journals.of(1).durable]).toEqual([4, 4, 1]);
  expect(journals.stats()).toMatchObject({ records: 6, syncs: 2 });
});

it('a callback that throws keeps no other from its answer', async () => {
  const { journals } = await open(logOf().connect());
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
  const number = journals.of(0).append([put('k')]);
  journals.of(0).whenDurable(number, () => {
    throw new Error('planted');
  });
  await durable(journals, 0, number);
  expect(await thrown).toMatchObject({ message: 'planted' });
});

it('a record that is larger than an entry is there when its last part is, and not at all without it', async () => {
  const log = logOf();
  const engine = log.connect();
  let left = Number.POSITIVE_INFINITY;
  const append: LogEngine['append'] = (entries) => (left-- > 0 ? engine.append(entries) : new Promise(() => undefined));
  const { journals, environments } = await open(changed(engine, { entryBytesMax: 100, append }));
  const large = 'x'.repeat(1000);
  const one = journals.of(0).append([put('a'), put('b', large)]);
  const two = journals.of(0).append([put('c')]);
  await durable(journals, 0, two);
  expect(journals.stats().syncs).toBeGreaterThan(10);
  // The next one begins, and another owner comes before its end.
  left = 3;
  journals.of(0).append([put('a', large)]);
  await expect.poll(() => left).toBeLessThan(0);
  expect(journals.of(0).durable).toBe(two);
  const next = await open(log.connect());
  const unfinished = await log.connect().readOwn(0, 2, 0, 1e6);
  expect(unfinished!.entries.filter(({ first }) => first === 3).length).toBe(3);
  expect(next.environments.get(0)!.rows()).toEqual({ a: 'a', b: large, c: 'c' });
  expect((await recordsInLog(log.connect(), 0)).map(({ id }) => id)).toEqual([`0 1 ${one}`, `0 1 ${two}`]);
  expect(environments.get(0)!.rows()).toEqual({});
  const number = next.journals.of(0).append([put('d')]);
  await durable(next.journals, 0, number);
});

it('nothing is acknowledged behind a refusal of the engine, and it is reported once', async () => {
  const engine = logOf().connect();
  let refuses = false;
  const { journals, faults } = await open(
    changed(engine, {
      append: (entries) => (refuses ? Promise.reject(new EngineRefused('planted')) : engine.append(entries)),
    }),
  );
  refuses = true;
  let isAnswered = false;
  const number = journals.of(0).append([put('k')]);
  journals.of(0).whenDurable(number, () => (isAnswered = true));
  await journals.settled();
  expect(faults.map(({ cause }) => cause)).toEqual([new EngineRefused('planted')]);
  expect(() => journals.of(1).append([put('k')])).toThrow('takes no more');
  await journals.close(true);
  expect([isAnswered, faults.length]).toEqual([false, 1]);
});

it('sealed, it takes no record; closed, its shards are free', async () => {
  const log = logOf();
  const { journals } = await open(log.connect());
  const number = journals.of(0).append([put('k')]);
  journals.seal();
  expect(() => journals.of(0).append([put('k')])).toThrow('takes no more');
  await journals.close(true);
  expect(journals.of(0).durable).toBe(number);
  expect(await log.connect().look(0)).toMatchObject({ epoch: 2, owner: null });
  expect(() => journals.of(7)).toThrow('shard 7 has no journal here');
});

it('a shard that another owner claims meanwhile is stopped, and the others are open', async () => {
  const log = logOf();
  const engine = log.connect();
  const other = log.connect();
  const { found, journals } = await engineJournals(
    small(
      changed(engine, {
        claim: async (wish) => {
          if (wish.shard === 1) await other.claim({ ...wish, owner: 'b', token: 'another' });
          return engine.claim(wish);
        },
      }),
      'a',
      loopTurn,
    ),
  )(new Map(SHARDS.map((no) => [no, new MemoryEnvironment()])), () => undefined);
  expect([...found.stopped].map(([no, { what }]) => [no, what])).toEqual([
    [1, 'the log of shard 1: another owner took it'],
  ]);
  await durable(journals, 0, journals.of(0).append([put('k')]));
  expect(() => journals.of(1)).toThrow('no journal');
});

describe('an owner that gives its shards up while they are claimed', () => {
  /** The shard is released, by the owner before, between the claimer's look at it and its claim. */
  async function claimed(mayClaim?: () => boolean) {
    const log = logOf();
    const owner = log.connect();
    const before = await open(owner);
    const number = before.journals.of(1).append([put('k')]);
    await durable(before.journals, 1, number);
    const engine = log.connect();
    const late = changed(engine, {
      claim: async (wish) => {
        if (wish.shard === 1) await owner.release(1, before.journals.of(1).epoch);
        return engine.claim(wish);
      },
    });
    const environments = new Map(SHARDS.map((no) => [no, new MemoryEnvironment()]));
    const options = {
      ...small(late, 'b', loopTurn),
      waitingBytesMax: 1e9,
      ...(mayClaim !== undefined && { mayClaim }),
    };
    return { environments, ...(await engineJournals(options)(environments, () => undefined)) };
  }

  it('takes nothing from a claimer that has its place: it claims from the epoch behind that', async () => {
    let asked = 0;
    const { environments, found, journals } = await claimed(() => ++asked > 0);
    expect([...found.stopped]).toEqual([]);
    expect(environments.get(1)!.rows()).toEqual({ k: 'k' });
    await durable(journals, 1, journals.of(1).append([put('l')]));
    expect(asked).toBe(SHARDS.length + 1);
  });

  it('is another owner for a claimer that does not know whether it has its place', async () => {
    const { found } = await claimed();
    expect([...found.stopped.keys()]).toEqual([1]);
  });
});

it('a server that does not know the epoch yet from which the shard was given up is asked again', async () => {
  const log = logOf();
  const engine = log.connect();
  const other = log.connect();
  let looks = 0;
  const stale = changed(engine, {
    look: async (shard) => {
      const state = await engine.look(shard);
      return shard === 1 && ++looks < 4 ? { ...state, epoch: 0 } : state;
    },
  });
  const released = (await other.claim({ shard: 1, seen: 0, owner: 'b', token: 'another' }))!;
  await other.release(1, released.epoch);
  let pauses = 0;
  const paused = (): Promise<void> => (pauses++, loopTurn());
  const opening = engineJournals({ ...small(stale, 'a', paused), mayClaim: () => true });
  const { found, journals } = await opening(
    new Map(SHARDS.map((no) => [no, new MemoryEnvironment()])),
    () => undefined,
  );
  expect([...found.stopped]).toEqual([]);
  expect([journals.of(1).epoch, pauses > 0]).toEqual([3, true]);
});

it('an entry that no writer of this format makes is damage', async () => {
  const engine = logOf().connect();
  const claim = (await engine.claim({ shard: 0, seen: 0, owner: 'x', token: 't' }))!;
  const entry = { shard: 0, epoch: 1, seq: 1, confirmed: 0, first: 1, time: 0, body: Buffer.from('what is this') };
  await engine.append([chained(claim.chain, entry)]);
  await expect(open(engine)).rejects.toThrow(Corruption);
});

/** An engine whose standby did not get what counts: an owner whose LMDB has a part of an entry that is gone. */
async function torn(): Promise<{ log: MemoryLog; environments: Map<number, MemoryEnvironment> }> {
  const log = logOf({ rules: { ...KEPT_RULES, doubtsCancelledWaits: false } });
  const { journals, environments } = await open(log.connect());
  log.isStandbyAway = true;
  const journal = journals.of(0);
  const overlay = new Overlay();
  const environment = environments.get(0)!;
  environment.commitsLeft = 1;
  const follower = new Follower({
    environment,
    overlay,
    budget: new Budget(100, 1e6),
    epoch: journal.epoch,
    putsMax: 2,
    sweepCells: 1,
    sweepBytes: 1,
    calmCellsMax: 1,
    waitsMax: 1,
    durable: () => journal.durable,
    reach: (number) => journal.reach(number),
    onFollowed: () => undefined,
    schedule: (begin) => begin(),
  });
  journals.onDurable(() => follower.follow());
  const cells = ['a', 'b', 'c', 'd'].map((key) => new Cell(key, Buffer.from(key)));
  const number = journal.append(cells);
  for (const cell of cells) {
    cell.number = number;
    overlay.growing.add(cell);
  }
  for (let n = 0; n < 3; n++) await loopTurn();
  log.cancelWaits();
  log.wake();
  await expect.poll(() => environment.rows()).toEqual({ a: 'a', b: 'b' });
  expect(readApplied(environment)).toEqual({ epoch: 0, number: 0 });
  expect(readReach(environment)).toMatchObject({ whole: { seq: 1 }, through: { seq: 2 } });
  journals.halt();
  follower.abandon();
  const left = new Map([...environments].map(([no, one]) => [no, one.crash()]));
  return { log, environments: left };
}

it('a store that a crash tore in the middle of a sweep comes to the end of its log', async () => {
  const { log, environments } = await torn();
  log.isStandbyAway = false;
  log.wake();
  await log.settled();
  const again = await open(log.connect(), environments);
  expect(again.environments.get(0)!.rows()).toEqual({ a: 'a', b: 'b', c: 'c', d: 'd' });
});

it('a torn store is refused by a log that lost the entry of which it has a part, and by one with another in its place', async () => {
  const { log, environments } = await torn();
  log.takeOver();
  log.isStandbyAway = false;
  const image = new Map([...environments].map(([no, one]) => [no, one.crash()]));
  await expect(open(log.connect(), image)).rejects.toThrow('the log ends before entry 2');
  const other = await open(log.connect());
  await durable(other.journals, 0, other.journals.of(0).append([put('e')]));
  const later = new Map([...environments].map(([no, one]) => [no, one.crash()]));
  await expect(open(log.connect(), later)).rejects.toThrow('entry 2 is not the one of which its store has a part');
});

it('a lost shard answers nothing, also not for what is durable', async () => {
  const log = logOf();
  const { journals } = await open(log.connect());
  const first = journals.of(0).append([put('k')]);
  await durable(journals, 0, first);
  await open(log.connect());
  const lost: number[] = [];
  journals.onLost((no) => lost.push(no));
  const said: number[] = [];
  const second = journals.of(0).append([put('k')]);
  journals.of(0).whenDurable(second, () => said.push(second));
  await journals.settled();
  journals.of(0).whenDurable(first, () => said.push(first));
  expect([lost, said]).toEqual([[0], []]);
  expect(() => journals.of(0).append([put('k')])).toThrow(ShardStopped);
  expect(journals.of(0).durable).toBe(first);
});
