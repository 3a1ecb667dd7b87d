/** The real archive beside plain memory: every read is made in both, every crash must leave a state that memory has been in. */
import { expect } from 'vitest';
import { rmSync } from 'node:fs';
import { StorageFull } from '#storage/fault.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Bytes, Entry, Reader, Snapshot, Store, Turn } from '#storage/port.ts';
import type { Archive } from '#storage/archive.ts';
import type { Random } from '#test/kit/random.ts';
import { bytes, openAt, text } from '#test/storage/place.ts';
import { crashImage } from './disk.ts';

type State = Map<Bytes, string>;
type Writes = readonly (readonly [key: Bytes, value: string | null])[];

/** Shard, tenant and datastore of each store: neighbours within one shard, and one in another. */
const PLACES = [
  [0, 1, 0],
  [0, 1, 1],
  [0, 2, 0],
  [1, 1, 0],
] as const;

export const STORES = PLACES.length;

interface Committed {
  readonly number: number;
  readonly store: number;
  readonly writes: Writes;
}

/** A turn in both worlds; what it staged is remembered for the crash. */
export interface Pair {
  readonly store: number;
  readonly real: Turn;
  readonly model: Turn;
  readonly writes: [Bytes, string | null][];
}

export interface SnapshotPair {
  readonly real: Snapshot;
  readonly model: Snapshot;
}

export interface ScanRange {
  readonly from: Bytes;
  readonly to: Bytes;
  readonly reverse: boolean;
  /** Entries after which the scan is left. */
  readonly count: number;
}

export class World {
  readonly #root: string;
  readonly #random: Random;
  #incarnation = 0;
  #archive!: Archive;
  #real: Store[] = [];
  #model: MemoryStore[] = [];
  /** What the archive held when it was opened, and what was committed since, in order. */
  readonly #base: State[] = PLACES.map(() => new Map<Bytes, string>());
  #tail: Committed[] = [];
  #durableNumber = 0;
  #lastNumber = 0;
  /** Newest record that wrote a key. */
  #writer: Map<Bytes, number>[] = [];
  #gate: (() => void)[] = [];
  #gateOpen = false;
  readonly seen = { crashes: 0, lost: 0, full: 0, commits: 0, replayed: 0, closes: 0 };

  constructor(root: string, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  get #directory(): string {
    return `${this.#root}/${this.#incarnation}`;
  }

  async open(): Promise<void> {
    const archive = await openAt(this.#directory, {
      schedule: (begin) => (this.#gateOpen ? begin() : this.#gate.push(begin)),
      limits: { overlayEntriesMax: 100, segmentBytes: 8192, commitPutsMax: 7, freeBytesMin: 1 },
    });
    this.#archive = archive;
    this.seen.replayed += archive.stats().replayed;
    this.#real = PLACES.map(([shard, tenant, datastore]) => archive.store(shard, tenant, datastore));
    this.#writer = PLACES.map(() => new Map<Bytes, number>());
    this.#durableNumber = this.#lastNumber = 0;
    this.#tail = [];
  }

  begin(store: number): Pair {
    const model = (this.#model[store] ??= new MemoryStore());
    return { store, real: this.#real[store]!.begin(), model: model.begin(), writes: [] };
  }

  get(pair: Pair, key: Bytes): string | undefined {
    const value = text(pair.real.get(key));
    expect(value).toBe(text(pair.model.get(key)));
    this.#expectSeen(pair, key, key);
    return value;
  }

  /** Scans in both worlds, at most `count` entries. */
  scan(pair: Pair, range: ScanRange): void {
    const { from, to, reverse, count } = range;
    const seen = compareScan(pair.real, pair.model, range);
    const last = seen.at(-1);
    if (seen.length < count || last === undefined) this.#expectSeen(pair, from, to);
    else this.#expectSeen(pair, reverse ? last : from, reverse ? to : last);
  }

  /** The reply rule: the turn knows the newest record that is not durable among all it came across. */
  #expectSeen(pair: Pair, from: Bytes, to: Bytes): void {
    for (const [key, number] of this.#writer[pair.store]!) {
      if (key < from || key > to || (key === to && from !== to) || number <= this.#durableNumber) continue;
      if (!pair.writes.some(([own]) => own === key)) expect(pair.real.newest).toBeGreaterThanOrEqual(number);
    }
    expect(pair.real.newest).toBeLessThanOrEqual(this.#lastNumber);
  }

  put(pair: Pair, key: Bytes, value: string | null): void {
    for (const turn of [pair.real, pair.model]) {
      if (value === null) turn.del(key);
      else turn.put(key, bytes(value));
    }
    pair.writes.push([key, value]);
  }

  commit(pair: Pair): void {
    try {
      pair.real.commit();
    } catch (error) {
      if (!(error instanceof StorageFull)) throw error;
      this.seen.full++;
      return this.abort(pair);
    }
    pair.model.commit();
    if (pair.writes.length > 0) this.#committed(pair, pair.writes.splice(0));
  }

  #committed({ real, store }: Pair, writes: Writes): void {
    const number = real.newest;
    expect(number).toBe(++this.#lastNumber);
    this.seen.commits++;
    this.#tail.push({ number, store, writes });
    for (const [key] of writes) this.#writer[store]!.set(key, number);
    this.#real[store]!.whenDurable(number, () => {
      expect(number).toBeGreaterThan(this.#durableNumber);
      this.#durableNumber = number;
    });
  }

  abort(pair: Pair): void {
    pair.real.abort();
    pair.model.abort();
  }

  snapshot(store: number): SnapshotPair {
    const model = (this.#model[store] ??= new MemoryStore());
    return { real: this.#real[store]!.snapshot(), model: model.snapshot() };
  }

  /** Lets one waiting group of LMDB go, with `meanwhile` done while it is in flight. */
  async follow(meanwhile: () => void): Promise<void> {
    const begin = this.#gate.shift();
    if (begin === undefined) return;
    const before = this.#commits;
    begin();
    meanwhile();
    while (this.#commits === before) await new Promise((resolve) => setImmediate(resolve));
  }

  get #commits(): number {
    const { shards } = this.#archive.stats();
    return shards[0]!.commits + shards[1]!.commits;
  }

  /** Waits until the newest commit is durable. */
  async sync(): Promise<void> {
    await new Promise<void>((resolve) => this.#real[0]!.whenDurable(this.#lastNumber, resolve));
  }

  /** Ends without closing: what the disk may then hold is opened again, and must be a state that was. */
  async crash(): Promise<void> {
    const before = this.#directory;
    const durable = this.#durableNumber;
    const tail = this.#tail;
    const image = `${this.#root}/${this.#incarnation + 1}`;
    crashImage(before, image, durable, this.#random);
    await this.#close();
    rmSync(before, { recursive: true });
    this.#incarnation++;
    await this.open();
    this.seen.crashes++;
    this.#settleOn(durable, tail);
  }

  /** Ends cleanly and opens the same directory: nothing may be missing and nothing may need a replay. */
  async restart(): Promise<void> {
    const tail = this.#tail;
    const last = this.#lastNumber;
    await this.#close();
    const { replayed } = this.seen;
    await this.open();
    expect(this.seen.replayed).toBe(replayed);
    this.seen.closes++;
    this.#settleOn(last, tail);
  }

  async #close(): Promise<void> {
    this.#gateOpen = true;
    for (const begin of this.#gate.splice(0)) begin();
    await this.#archive.close();
    this.#gateOpen = false;
  }

  async end(): Promise<void> {
    await this.#close();
  }

  /** Finds the state, at or after `durable`, that the archive is in; memory takes it over. */
  #settleOn(durable: number, tail: readonly Committed[]): void {
    const found = stateText(this.#real.map((store) => stateOf(store.begin())));
    const state = this.#base;
    let at = 0;
    while (at < tail.length && tail[at]!.number <= durable) apply(state, tail[at++]!);
    while (stateText(state) !== found && at < tail.length) apply(state, tail[at++]!);
    if (found !== stateText(state))
      throw new Error(`no state from number ${durable} to ${tail.length}: ${differs(found, stateText(state))}`);
    this.seen.lost += tail.length - at;
    this.#model = state.map(memoryWith);
  }
}

function apply(state: readonly State[], { store, writes }: Committed): void {
  for (const [key, value] of writes) {
    if (value === null) state[store]!.delete(key);
    else state[store]!.set(key, value);
  }
}

function stateOf(reader: Reader): State {
  const state: State = new Map();
  for (const { key, value } of reader.range('', '\xff')) state.set(key, text(value)!);
  return state;
}

function stateText(states: readonly State[]): string {
  return JSON.stringify(states.map((state) => [...state].sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The first lines that only one side has. */
function differs(found: string, expected: string): string {
  const ours = new Set(expected.split('],['));
  const theirs = new Set(found.split('],['));
  const extra = [...theirs].filter((line) => !ours.has(line));
  const missing = [...ours].filter((line) => !theirs.has(line));
  return `extra ${extra.slice(0, 3).join(' ')}, missing ${missing.slice(0, 3).join(' ')}`;
}

function memoryWith(state: State): MemoryStore {
  const store = new MemoryStore();
  const turn = store.begin();
  for (const [key, value] of state) turn.put(key, bytes(value));
  turn.commit();
  return store;
}

/** Steps both scans together and leaves both after `count` entries; gives the keys. */
export function compareScan(real: Reader, model: Reader, range: ScanRange): Bytes[] {
  const { from, to, reverse, count } = range;
  const mine = model.range(from, to, reverse);
  const seen: Bytes[] = [];
  for (const entry of real.range(from, to, reverse)) {
    expect(lineOf(entry)).toBe(lineOf(mine.next().value as Entry | undefined));
    seen.push(entry.key);
    if (seen.length === count) return seen;
  }
  expect(mine.next().done).toBe(true);
  return seen;
}

const lineOf = (entry: Entry | undefined): string =>
  entry === undefined ? 'the end' : `${entry.key}=${text(entry.value)}`;
