/**
 * A database with one synchronous standby, in memory: commits in one order, each of which counts when the standby has it too. Like the real one it locks the row of a shard for as long as a
 * commit waits for the standby; when such a wait is cancelled, the change is seen though one copy alone has it; and when the standby takes over, what it did not have is gone.
 */
import { FIRST_CHAIN } from '#storage/log-engine/chain.ts';
import { SNAPSHOTS_KEPT, type LogEntry, type SnapshotNote } from '#storage/log-engine/port.ts';
import type { NodeSight } from '#storage/log-engine/nodes-port.ts';

/** A shard as the server has it. */
export interface Row {
  readonly epoch: number;
  readonly tail: number;
  readonly confirmed: number;
  readonly chain: string;
  readonly time: number;
  readonly owner: string | null;
  readonly token: string | null;
  readonly trimmed: number;
  readonly snapshots: readonly SnapshotNote[];
  /** Dense, up to `tail`; those that were let go are missing at the front. */
  readonly entries: readonly LogEntry[];
}

/** Lives of nodes, by their ids, and the one that serves. */
export interface NodeTable {
  readonly nodes: ReadonlyMap<string, NodeSight>;
  readonly serving: string | null;
  /** How often a life has begun to run hosts for another one, and of each life the number of its newest word about that. */
  readonly carried: number;
  readonly carryNos: ReadonlyMap<string, number>;
}

const NO_NODES: NodeTable = { nodes: new Map(), serving: null, carried: 0, carryNos: new Map() };

/** The table of nodes where shards are named whose rows a statement changes. */
export const NODES = -1;

/** A change as it lies in the server's own log: rows as they are behind it. */
export interface Commit {
  readonly rows: ReadonlyMap<number, Row>;
  /** The table of nodes behind it; absent where it stays as it was. */
  readonly table?: NodeTable | undefined;
  /** Called when the commit counts: the standby has it. */
  readonly acknowledge: () => void;
  /** Called instead of it when the wait was cancelled: seen, and on one copy. */
  readonly cancel: () => void;
}

export const EMPTY_ROW: Row = {
  epoch: 0,
  tail: 0,
  confirmed: 0,
  chain: FIRST_CHAIN,
  time: 0,
  owner: null,
  token: null,
  trimmed: 0,
  snapshots: [],
  entries: [],
};

export class MemoryServer {
  /** As readers see it. */
  readonly #rows = new Map<number, Row>();
  /** As the standby has it. */
  readonly #copy = new Map<number, Row>();
  #table: NodeTable;
  #tableCopy: NodeTable;
  /** What waits for the standby, oldest first; those whose wait was cancelled are seen already. */
  readonly #waiting: { readonly commit: Commit; isSeen: boolean }[] = [];

  constructor(rows: ReadonlyMap<number, Row>, table: NodeTable = NO_NODES) {
    this.#table = this.#tableCopy = table;
    for (const [shard, row] of rows) {
      this.#rows.set(shard, row);
      this.#copy.set(shard, row);
    }
  }

  row(shard: number): Row {
    const row = this.#rows.get(shard);
    if (row === undefined) throw new RangeError(`there is no shard ${shard}`);
    return row;
  }

  get table(): NodeTable {
    return this.#table;
  }

  shards(): number[] {
    return [...this.#rows.keys()];
  }

  /** Whether a statement that changes these shards can run: none of their rows is locked by a commit that waits. */
  isFree(shards: readonly number[]): boolean {
    return !this.#waiting.some(({ commit, isSeen }) => !isSeen && shards.some((shard) => isLocked(commit, shard)));
  }

  commit(commit: Commit): void {
    this.#waiting.push({ commit, isSeen: false });
  }

  get waits(): number {
    return this.#waiting.length;
  }

  /** The standby gets the oldest commit. */
  replicate(): void {
    const oldest = this.#waiting.shift();
    if (oldest === undefined) return;
    for (const [shard, row] of oldest.commit.rows) this.#copy.set(shard, row);
    this.#tableCopy = oldest.commit.table ?? this.#tableCopy;
    if (oldest.isSeen) return;
    this.#see(oldest.commit);
    oldest.commit.acknowledge();
  }

  /** An administrator ends a wait: the number of those that can be is `unseen`. */
  cancel(nth: number): void {
    const one = this.#unseen()[nth];
    if (one === undefined) return;
    one.isSeen = true;
    this.#see(one.commit);
    one.commit.cancel();
  }

  get unseen(): number {
    return this.#unseen().length;
  }

  /** The standby takes over with what it has. This one goes on to be read by those that have not noticed. */
  takeOver(): MemoryServer {
    return new MemoryServer(this.#copy, this.#tableCopy);
  }

  #unseen(): { readonly commit: Commit; isSeen: boolean }[] {
    return this.#waiting.filter(({ isSeen }) => !isSeen);
  }

  #see({ rows, table }: Commit): void {
    for (const [shard, row] of rows) this.#rows.set(shard, row);
    this.#table = table ?? this.#table;
  }
}

function isLocked({ rows, table }: Commit, shard: number): boolean {
  return shard === NODES ? table !== undefined : rows.has(shard);
}

/** The row with one entry more. */
export function withEntry(row: Row, entry: LogEntry): Row {
  return {
    ...row,
    tail: entry.seq,
    confirmed: Math.max(row.confirmed, entry.confirmed),
    chain: entry.chain,
    time: Math.max(row.time, entry.time),
    entries: [...row.entries, entry],
  };
}

/** The row with one note more. */
export function withSnapshot(row: Row, note: SnapshotNote): Row {
  return { ...row, snapshots: [note, ...row.snapshots].slice(0, SNAPSHOTS_KEPT) };
}
