import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fc } from '#test/kit/property.ts';
import type { Archive } from '#storage/archive.ts';
import { findJournals, lastEpoch, retireJournals } from '#storage/journal/directories.ts';
import { decodeChunk, type ChunkHead } from '#storage/journal-copy/chunk.ts';
import { JournalCopier } from '#storage/journal-copy/copier.ts';
import { redo } from '#storage/journal-copy/redo.ts';
import { u32 } from '#storage/key.ts';
import { keptRoot } from '#storage/journal/kept.ts';
import { rounds } from '#test/kit/rounds.ts';
import { pace } from '#test/storage/backup/kit.ts';
import { bytes, openAt, place, text } from '#test/storage/place.ts';
import { MemoryChunks } from './memory-chunks.ts';

type State = ReadonlyMap<string, string>;
type Step =
  | { readonly do: 'write'; readonly store: number; readonly keys: readonly number[]; readonly size: number }
  | { readonly do: 'copy' | 'refused' | 'unanswered' | 'backup' | 'crash' | 'stop' | 'again' | 'follow' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('write' as const), store: fc.nat({ max: 2 }), keys: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 6 }), size: fc.constantFrom(1, 300, 9000) }) }, // prettier-ignore
  { weight: 6, arbitrary: fc.record({ do: fc.constant('copy' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('refused', 'unanswered', 'backup', 'crash', 'stop', 'again', 'follow'),
    }),
  },
);

/** Tenant and shard of the three stores. */
const STORES = [[1, 0], [2, 0], [1, 1]] as const; // prettier-ignore

/** Threads of libuv remove journals meanwhile: a copy that misses one that it has seen is made again. */
function copyWhole(from: string, to: string): void {
  for (;;) {
    try {
      return cpSync(from, to, { recursive: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      rmSync(to, { recursive: true, force: true });
    }
  }
}

/** A directory that is written, crashes and is opened again, with a copier beside it. */
class World {
  dir = join(place(), 'data');
  now = 1_764_000_000_000;
  readonly chunks = new MemoryChunks();
  archive!: Archive;
  epoch = 0;
  copier!: JournalCopier;
  readonly states: State[] = STORES.map(() => new Map());
  /** Of each store: its state after each of its records. */
  readonly history = STORES.map((): { epoch: number; number: number; state: State }[] => []);
  readonly backups: { store: number; epoch: number; number: number; beganMs: number; state: State }[] = [];
  written = 0;
  crashes = 0;

  async begin(): Promise<void> {
    mkdirSync(this.dir);
    await this.open();
    await this.again();
    await this.copier.copy();
  }

  async open(): Promise<void> {
    const found = findJournals(this.dir);
    this.archive = await openAt(this.dir, { keeps: true, limits: { segmentBytes: 32 * 1024 } });
    this.epoch = lastEpoch(this.dir);
    retireJournals(found, true);
  }

  async again(): Promise<void> {
    this.copier = await JournalCopier.open({
      dataDir: this.dir,
      place: this.chunks,
      encryption: null,
      firstTold: 0,
      now: () => ++this.now,
      bytesMax: 16 * 1024,
      keptBytesMax: 1e9,
    });
  }

  async take(next: Step): Promise<void> {
    this.now += 1000;
    switch (next.do) {
      case 'write':
        return this.#write(next.store, next.keys, next.size);
      case 'copy':
        await this.copier.copy();
        return;
      case 'refused':
        this.chunks.refuses = new Error('the place is full');
        await this.copier.copy().catch(() => undefined);
        this.chunks.refuses = null;
        return;
      case 'unanswered':
        this.chunks.losesAnswers = true;
        await this.copier.copy().catch(() => undefined);
        this.chunks.losesAnswers = false;
        return;
      case 'backup':
        for (const [store, [tenant, shard]] of STORES.entries()) {
          const snapshot = this.archive.store(shard, tenant).snapshot();
          this.backups.push({
            store,
            ...this.archive.shown(shard),
            beganMs: ++this.now,
            state: this.states[store]!,
          });
          snapshot.close();
        }
        return;
      case 'crash': {
        const image = join(place(), 'data');
        copyWhole(this.dir, image);
        await this.archive.close();
        this.dir = image;
        this.crashes++;
        await this.open();
        return this.again();
      }
      case 'stop':
        await this.archive.close();
        return this.open();
      case 'again':
        return this.again();
      case 'follow':
        return this.archive.drain();
    }
  }

  async #write(store: number, keys: readonly number[], size: number): Promise<void> {
    const [tenant, shard] = STORES[store]!;
    const target = this.archive.store(shard, tenant);
    const turn = target.begin();
    const state = new Map(this.states[store]);
    for (const key of keys) {
      const name = `k${key}`;
      if (key % 3 === 0 && state.has(name)) {
        turn.del(name);
        state.delete(name);
      } else {
        const value = `${++this.written}`.padEnd(size, '.');
        turn.put(name, bytes(value));
        state.set(name, value);
      }
    }
    turn.commit();
    this.states[store] = state;
    this.history[store]!.push({ epoch: this.epoch, number: turn.newest, state });
    await new Promise<void>((resolve) => target.whenDurable(turn.newest, resolve));
  }

  heads(): ChunkHead[] {
    return Array.from(this.chunks.held, ([name, chunk]) => decodeChunk(chunk, name).head);
  }
}

/** The state of a store after the records of these chunks: the newest one that they reach. Records of a store never come without those before them. */
function stateAt(world: World, store: number, heads: readonly ChunkHead[]): State {
  const reached = new Map<number, number>();
  for (const { epoch, last } of heads.flatMap(({ pieces }) => pieces))
    reached.set(epoch, Math.max(last, reached.get(epoch) ?? 0));
  const has = world.history[store]!.map(({ epoch, number }) => number <= (reached.get(epoch) ?? 0));
  const count = has.indexOf(false) === -1 ? has.length : has.indexOf(false);
  expect(has.lastIndexOf(true)).toBe(count - 1);
  return world.history[store]![count - 1]?.state ?? new Map();
}

it(
  'brings any backup to any later moment: what was durable then, and nothing of later',
  { timeout: 600_000 },
  async () => {
    let crashes = 0;
    let redone = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 45 }), async (steps) => {
        const world = new World();
        await world.begin();
        for (const next of steps) await world.take(next);
        await world.archive.close();
        while ((await world.copier.copy()).more);
        await world.copier.copy();
        crashes += world.crashes;
        const heads = world.heads();
        expect(heads.flatMap(({ gaps }) => gaps)).toEqual([]);
        const numbers = [...new Set(heads.map(({ seq }) => seq))];
        expect(numbers).toEqual(numbers.map((_, i) => i + 1));
        // All of it is copied, and nothing waits any more.
        for (const [store, state] of world.states.entries()) expect(stateAt(world, store, heads)).toEqual(state);
        expect(readdirSync(keptRoot(world.dir))).toEqual([]);
        for (const { store, beganMs, state, epoch, number } of world.backups.slice(-4))
          for (const [i, { moment }] of heads.entries()) {
            if (moment <= beganMs) continue;
            const got = new Map(state);
            const [tenant, shard] = STORES[store]!;
            const from = { shard, prefix: `${u32(tenant)}\0`, epoch, number, beganMs };
            const write = (key: string, value: Uint8Array | null): undefined => {
              if (value === null) got.delete(key);
              else got.set(key, text(value)!);
            };
            const { momentMs } = await redo({ place: world.chunks, from, untilMs: moment, write, pace, decrypt: null });
            // A chunk of a copier that catches up shows no moment: the one before it does.
            const start = heads.findLastIndex((head) => head.moment <= beganMs);
            const to = Math.max(
              start,
              heads.slice(0, i + 1).findLastIndex(({ complete }) => complete),
            );
            expect(momentMs).toBe(heads[to]!.moment);
            // A backup may show more than an early chunk has: it was taken before that was copied.
            const then = stateAt(world, store, heads.slice(0, to + 1));
            const isBehind =
              world.history[store]!.findIndex((at) => at.state === then) <
              world.history[store]!.findIndex((at) => at.state === state);
            expect(got).toEqual(isBehind ? state : then);
            redone++;
          }
      }),
      { numRuns: rounds({ suite: 15, ci: 100 }) },
    );
    expect(crashes).toBeGreaterThan(0);
    expect(redone).toBeGreaterThan(0);
  },
);
