/**
 * The contract as a plain model: what turns committed, in order, and how much of it was acknowledged. A node that comes back must be in a state that it
 * was in: all turns up to one that is no earlier than the newest acknowledged, and nothing of those behind it.
 */
export type Rows = Map<string, string>;

export interface Commit {
  /** Of the journal's record. */
  readonly number: number;
  readonly tenant: number;
  readonly writes: ReadonlyMap<string, string | null>;
  /** What the turn reports to the audit log. */
  readonly events: readonly string[];
}

/** Every commit writes its own count here, so that a state says which commit was the last. */
export const LAST_KEY = 'row:~last';

export class Ledger {
  /** As of the last opening. */
  #base: Rows[];
  /** Committed since. */
  #tail: Commit[] = [];
  #now: Rows[];
  /** Newest record that wrote a key, by tenant. */
  #writers: Map<string, number>[];
  #acknowledged = 0;
  /** What the audit log must have in the end, by tenant: the events of commits that are not undone. */
  readonly events: string[][];
  #eventsInBase: number[];
  /** Commits so far, those that a crash has undone too. */
  commits = 0;
  acknowledgements = 0;
  undone = 0;

  constructor(tenants: number) {
    this.#base = Array.from({ length: tenants }, () => new Map());
    this.#now = this.#base.map((rows) => new Map(rows));
    this.#writers = this.#base.map(() => new Map());
    this.events = this.#base.map(() => []);
    this.#eventsInBase = this.#base.map(() => 0);
  }

  rows(tenant: number): ReadonlyMap<string, string> {
    return this.#now[tenant]!;
  }

  /** The record that a turn must wait for when it has read this key: 0 where that is durable. */
  awaits(tenant: number, key: string): number {
    const number = this.#writers[tenant]!.get(key) ?? 0;
    return number > this.#acknowledged ? number : 0;
  }

  committed(commit: Commit): void {
    const before = this.#tail.at(-1)?.number ?? 0;
    if (commit.number <= before) throw new Error(`record ${commit.number} came behind ${before}`);
    this.commits++;
    this.#tail.push(commit);
    apply(this.#now, commit);
    for (const key of commit.writes.keys()) this.#writers[commit.tenant]!.set(key, commit.number);
    this.events[commit.tenant]!.push(...commit.events);
  }

  acknowledged(number: number): void {
    this.acknowledgements++;
    if (number > this.#acknowledged) this.#acknowledged = number;
  }

  /** A new owner has opened the stores, and found this in them. Throws where that is no state that was, or one that lacks what was acknowledged. */
  reopened(found: readonly ReadonlyMap<string, string>[]): void {
    const kept = this.#keptIn(found);
    const state = this.#base.map((rows) => new Map(rows));
    const events = this.events.map((all, tenant) => all.slice(0, this.#eventsInBase[tenant]));
    for (const commit of this.#tail.slice(0, kept)) {
      apply(state, commit);
      events[commit.tenant]!.push(...commit.events);
    }
    for (const [tenant, rows] of state.entries()) assertSame(tenant, rows, found[tenant]!);
    const lost = this.#tail.slice(kept).find(({ number }) => number <= this.#acknowledged);
    if (lost !== undefined) throw new Error(`record ${lost.number} was acknowledged and is lost`);
    this.undone += this.#tail.length - kept;
    this.#begin(state, events);
  }

  /** How many of the commits are there, by the newest that left its count. */
  #keptIn(found: readonly ReadonlyMap<string, string>[]): number {
    const counts = new Set(found.map((rows) => rows.get(LAST_KEY)));
    return this.#tail.findLastIndex(({ writes }) => counts.has(writes.get(LAST_KEY)!)) + 1;
  }

  #begin(state: Rows[], events: readonly string[][]): void {
    this.#base = state;
    this.#now = state.map((rows) => new Map(rows));
    this.#writers = state.map(() => new Map());
    this.#tail = [];
    this.#acknowledged = 0;
    for (const [tenant, all] of events.entries()) {
      this.events[tenant] = all;
      this.#eventsInBase[tenant] = all.length;
    }
  }
}

function apply(state: readonly Rows[], { tenant, writes }: Commit): void {
  for (const [key, value] of writes) {
    if (value === null) state[tenant]!.delete(key);
    else state[tenant]!.set(key, value);
  }
}

const short = (value: string | undefined): string => (value === undefined ? 'nothing' : value.slice(0, 24));

export function assertSame(
  tenant: number,
  wanted: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): void {
  for (const key of new Set([...wanted.keys(), ...found.keys()]))
    if (wanted.get(key) !== found.get(key))
      throw new Error(
        `tenant ${tenant} has ${short(found.get(key))} under ${key}, and ${short(wanted.get(key))} was committed`,
      );
}
