/** What is known of the notes: each state that a writer has given one, and so what each subscriber has to be told of the kept changes. Pure. */

export interface NoteState {
  readonly title: string;
  readonly owner: string | null;
  readonly open: boolean;
  readonly isDeleted: boolean;
}

/** A change as subscribers are told it. */
export interface Told {
  readonly seq: number;
  readonly op: string;
  readonly id: string;
  readonly version: number;
  readonly tx: number;
  readonly row: ShownNote | null;
}

export interface ShownNote {
  readonly id: string;
  readonly title: string;
  readonly owner: string | null;
  readonly open: boolean;
  readonly version: number;
}

/** What a subscriber asks for, in the words of each way to ask. */
export interface Filter {
  readonly query: string;
  readonly where: Readonly<Record<string, unknown>>;
  readonly graphql: string;
  readonly meets: (state: NoteState) => boolean;
}

export const FILTERS: readonly Filter[] = [
  { query: '', where: {}, graphql: '{}', meets: () => true },
  { query: '&open=true', where: { open: true }, graphql: '{ open: { eq: true } }', meets: ({ open }) => open },
  {
    query: '&title%5Bgte%5D=n',
    where: { 'title[gte]': 'n' },
    graphql: '{ title: { gte: "n" } }',
    meets: ({ title }) => title >= 'n',
  },
];

/** Whose eyes look: the row rule lets a user see open notes and those of its own, a service all. */
export interface Sight {
  /** The user; null for a service. */
  readonly subject: string | null;
  readonly filter: Filter;
}

export function sees({ subject, filter }: Sight, state: NoteState | undefined): boolean {
  if (state === undefined || state.isDeleted) return false;
  return (subject === null || state.open || state.owner === subject) && filter.meets(state);
}

const keyOf = (id: string, version: number): string => `${id} ${version}`;

/** A change without what may differ between subscribers. */
export const lineOf = ({ seq, op, id, version, tx }: Omit<Told, 'row'>): string =>
  `${seq} ${op} ${id} v${version} tx ${tx}`;

interface Kept {
  readonly state: NoteState;
  /** Which write made it: those of one envelope have the same. */
  readonly write: number;
}

export class Notes {
  readonly #states = new Map<string, Kept[]>();
  /** The version of each note at the last look: its changes up to there were judged. */
  readonly #looked = new Map<string, number>();
  /** Changes since, those among them whose write was acknowledged. */
  readonly #since = new Set<string>();
  readonly acknowledged = new Set<string>();
  #writes = 0;

  nextWrite(): number {
    return ++this.#writes;
  }

  /** A write is kept: versions begin at 1. */
  keep(id: string, version: number, state: NoteState, write: number): void {
    const states = this.#states.get(id) ?? [];
    if (version !== states.length + 1) throw new Error(`${id} has version ${version} behind ${states.length}`);
    this.#states.set(id, states);
    states.push({ state, write });
    this.#since.add(keyOf(id, version));
  }

  acknowledge(id: string, version: number): void {
    this.acknowledged.add(keyOf(id, version));
  }

  state(id: string, version: number): NoteState | undefined {
    return this.#states.get(id)?.[version - 1]?.state;
  }

  /** What is wrong with the whole log as a service reads it: it holds each kept write once, in order, and nothing else. */
  faultsOf(log: readonly Told[]): string[] {
    const faults: string[] = [];
    const left = new Set(this.#since);
    const writeOfTx = new Map<number, number>();
    const txOfWrite = new Map<number, number>();
    const versions = new Map(this.#looked);
    let before = 0;
    for (const told of log) {
      const { seq, id, version, op, tx } = told;
      const kept = this.#states.get(id)?.[version - 1];
      if (!left.delete(keyOf(id, version)) || kept === undefined) {
        faults.push(`phantom or double: ${lineOf(told)}`);
        continue;
      }
      if (seq <= before || version !== (versions.get(id) ?? 0) + 1) faults.push(`out of order: ${lineOf(told)}`);
      const natural = this.#opOf({ subject: null, filter: FILTERS[0]! }, told);
      if (op !== natural) faults.push(`${natural} expected: ${lineOf(told)}`);
      if ((writeOfTx.get(tx) ?? kept.write) !== kept.write || (txOfWrite.get(kept.write) ?? tx) !== tx)
        faults.push(`another commit: ${lineOf(told)}`);
      writeOfTx.set(tx, kept.write);
      txOfWrite.set(kept.write, tx);
      versions.set(id, version);
      before = seq;
    }
    for (const key of left) faults.push(`gap: ${key}${this.acknowledged.has(key) ? ', which was acknowledged' : ''}`);
    return faults;
  }

  /** What a subscriber is to be told of the log. */
  expected(sight: Sight, log: readonly Told[]): Omit<Told, 'row'>[] {
    return log.flatMap(({ seq, id, version, tx }) => {
      const op = this.#opOf(sight, { id, version });
      return op === null ? [] : [{ seq, op, id, version, tx }];
    });
  }

  /** What is wrong with the row of a change: it is one that was kept, no older than the change, and one that the subscriber may see. */
  rowFault(sight: Sight, { op, id, version, row }: Told): string | null {
    if (row === null) {
      const later = (this.#states.get(id) ?? []).slice(version - 1);
      return later.every(({ state }) => sees(sight, state)) ? `${op} ${id} v${version}: no row` : null;
    }
    const state = this.state(id, row.version);
    const isOfIt = row.id === id && row.version >= version && state !== undefined;
    if (!isOfIt || row.title !== state.title || row.owner !== state.owner || row.open !== state.open)
      return `${op} ${id} v${version}: phantom row ${JSON.stringify(row)}`;
    if (op === 'gone' || !sees(sight, state)) return `${op} ${id} v${version}: hidden row ${JSON.stringify(row)}`;
    return null;
  }

  /** The notes that a subscriber sees at a position of the log, as lines. */
  seenAt(sight: Sight, log: readonly Told[], position: number): string[] {
    const versions = new Map(this.#looked);
    for (const { seq, id, version } of log) if (seq <= position) versions.set(id, version);
    return [...versions]
      .filter(([id, version]) => sees(sight, this.state(id, version)))
      .map(([id, version]) => `${id} v${version} ${this.state(id, version)!.title}`)
      .toSorted();
  }

  /** Everything so far was judged. */
  looked(log: readonly Told[]): void {
    for (const { id, version } of log) this.#looked.set(id, version);
    this.#since.clear();
    this.acknowledged.clear();
  }

  /** Null where the subscriber is told nothing. */
  #opOf(sight: Sight, { id, version }: { readonly id: string; readonly version: number }): string | null {
    const [before, after] = [this.state(id, version - 1), this.state(id, version)];
    const [was, is] = [sees(sight, before), sees(sight, after)];
    if (was) return is ? 'update' : 'gone';
    if (!is) return null;
    if (before === undefined) return 'create';
    return before.isDeleted ? 'restore' : 'update';
  }
}
