/** A store whose work takes time of a simulated clock, and what slices take by it: how long, rows seen, entries written. */
import type { Activation } from '#actors/host/activation.ts';
import type { SimulatedClock } from './simulated-clock.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Bytes, Entry, Snapshot, Turn } from '#storage/port.ts';

/** Milliseconds; what a commit takes is that of each entry that it has. */
export interface Costs {
  readonly readMs: number;
  readonly stageMs: number;
  readonly commitMs: number;
}

export interface SeenSlice {
  readonly ms: number;
  readonly read: number;
  readonly bytes: number;
  readonly committed: number;
}

const NOTHING: Costs = { readMs: 0, stageMs: 0, commitMs: 0 };

export class PacedStore extends MemoryStore {
  readonly slices: SeenSlice[] = [];
  /** Entries of each commit, and of those whether it was made ready before. */
  readonly commits: { readonly staged: number; readonly prepared: boolean }[] = [];
  #clock: SimulatedClock | null = null;
  #costs = NOTHING;
  #read = 0;
  #bytes = 0;
  #committed = 0;

  /** From here on work takes time, and the slices of the tenant are watched. */
  watch(activation: Activation, clock: SimulatedClock, costs: Costs): void {
    this.#clock = clock;
    this.#costs = costs;
    Object.assign(activation.context, { beginSlice: () => this.#beginSlice(clock) });
  }

  #beginSlice(clock: SimulatedClock): () => void {
    const began = clock.fine();
    const { read, bytes, committed } = this.#sums;
    return () => {
      const now = this.#sums;
      const ms = clock.fine() - began;
      this.slices.push({
        ms,
        read: now.read - read,
        bytes: now.bytes - bytes,
        committed: now.committed - committed,
      });
    };
  }

  get #sums() {
    return { read: this.#read, bytes: this.#bytes, committed: this.#committed };
  }

  #took(ms: number): void {
    this.#clock?.advance(ms);
  }

  #paced<R extends { range: (from: Bytes, to: Bytes, reverse?: boolean) => IterableIterator<Entry> }>(reader: R): R {
    const range = reader.range.bind(reader);
    const see = ({ value }: Entry): void => {
      this.#took(this.#costs.readMs);
      this.#read++;
      this.#bytes += value.length;
    };
    return Object.assign(reader, {
      *range(from: Bytes, to: Bytes, reverse?: boolean) {
        for (const entry of range(from, to, reverse)) {
          see(entry);
          yield entry;
        }
      },
    });
  }

  override begin(): Turn {
    const turn = this.#paced(super.begin());
    const [put, del, commit] = [turn.put.bind(turn), turn.del.bind(turn), turn.commit.bind(turn)];
    const prepare = turn.prepare.bind(turn);
    let staged = 0;
    let prepared = false;
    const stage = (): void => {
      staged++;
      prepared = false;
      this.#took(this.#costs.stageMs);
    };
    return Object.assign(turn, {
      put: (...args: Parameters<Turn['put']>) => {
        stage();
        put(...args);
      },
      del: (key: Bytes) => {
        stage();
        del(key);
      },
      *prepare() {
        yield* prepare();
        prepared = true;
      },
      commit: () => {
        this.#took(staged * this.#costs.commitMs);
        this.#committed += staged;
        this.commits.push({ staged, prepared });
        commit();
      },
    });
  }

  override snapshot(): Snapshot {
    return this.#paced(super.snapshot());
  }
}
