/**
 * What each verb does to the rows of a server: statements of one moment, without waits. `rules` is here so that tests can break one at a time and see that the cases notice; a rule that
 * nothing notices would be no rule.
 */
import { EMPTY_ROW, withEntry, withSnapshot, type MemoryServer, type NodeTable, type Row } from './memory-server.ts';
import { TrimGap, TrimRefused } from '#storage/log-engine/port.ts';
import type {
  Chunk,
  Claim,
  ClaimWish,
  LogEntry,
  ShardEnd,
  ShardState,
  SnapshotNote,
} from '#storage/log-engine/port.ts';

/** Each is true in an engine that keeps the port. */
export interface MemoryRules {
  /** An append compares its epoch with the shard's. */
  readonly comparesEpoch: boolean;
  /** An append compares its position with the shard's end. */
  readonly comparesPosition: boolean;
  /** An entry that is found again counts when a commit behind it is acknowledged, and not because it was found. */
  readonly coversWhatItFinds: boolean;
  /** That commit leaves `confirmed` as it was: its sender knows no more than before. */
  readonly coveringConfirmsNothing: boolean;
  /** A wait that was cancelled is no acknowledgement. */
  readonly doubtsCancelledWaits: boolean;
  /** A claim is found again by its token, and not by its epoch. */
  readonly knowsClaimsByToken: boolean;
  /** The owner's read demands its epoch. */
  readonly guardsOwnReads: boolean;
  /** Others read confirmed entries only. */
  readonly hidesUnconfirmed: boolean;
  /** Notes of snapshots go forward only. */
  readonly notesForward: boolean;
  /** Nothing above the newest snapshot is let go. */
  readonly trimsBelowSnapshots: boolean;
  /** A read of entries that were let go answers that they are gone. */
  readonly tellsOfGaps: boolean;
}

export const KEPT_RULES: MemoryRules = {
  comparesEpoch: true,
  comparesPosition: true,
  coversWhatItFinds: true,
  coveringConfirmsNothing: true,
  doubtsCancelledWaits: true,
  knowsClaimsByToken: true,
  guardsOwnReads: true,
  hidesUnconfirmed: true,
  notesForward: true,
  trimsBelowSnapshots: true,
  tellsOfGaps: true,
};

/** Rows to commit (none: a read, which waits for nothing) and the answer. */
export interface Ran<T> {
  readonly rows: ReadonlyMap<number, Row>;
  /** The table of nodes, where it changes. */
  readonly table?: NodeTable;
  readonly answer: T;
}

export type Statement<T> = (server: MemoryServer) => Ran<T>;

const NONE: ReadonlyMap<number, Row> = new Map();
const read = <T>(answer: T): Ran<T> => ({ rows: NONE, answer });
const write = <T>(shard: number, row: Row, answer: T): Ran<T> => ({ rows: new Map([[shard, row]]), answer });

export function emptyRows(shards: number): Map<number, Row> {
  return new Map(Array.from({ length: shards }, (_, shard) => [shard, EMPTY_ROW]));
}

export function look(shard: number): Statement<ShardState> {
  return (server) => {
    const { epoch, tail, confirmed, owner, trimmed, snapshots } = server.row(shard);
    return read({ epoch, tail, confirmed, owner, trimmed, snapshots });
  };
}

export function ends(): Statement<readonly ShardEnd[]> {
  return (server) => {
    const shards = [...server.shards()].toSorted((a, b) => a - b);
    return read(
      shards.map((shard) => {
        const { tail, confirmed } = server.row(shard);
        return { shard, tail, confirmed };
      }),
    );
  };
}

export function claim({ shard, seen, owner, token }: ClaimWish, rules: MemoryRules): Statement<Claim | null> {
  return (server) => {
    const row = server.row(shard);
    if (row.epoch === seen) {
      const taken: Row = { ...row, epoch: seen + 1, owner, token };
      return write(shard, taken, claimOf(shard, taken));
    }
    const isMine = row.epoch === seen + 1 && (row.token === token || !rules.knowsClaimsByToken);
    return isMine ? write(shard, row, claimOf(shard, row)) : read(null);
  };
}

function claimOf(shard: number, { epoch, tail, chain, trimmed, snapshots, time }: Row): Claim {
  return { shard, epoch, tail, chain, trimmed, snapshots, time };
}

/** Adds the entries that fit; which ones did. */
export function add(entries: readonly LogEntry[], rules: MemoryRules): Statement<readonly boolean[]> {
  return (server) => {
    const rows = new Map<number, Row>();
    const answer = entries.map((entry) => {
      const row = server.row(entry.shard);
      if (rules.comparesEpoch && row.epoch !== entry.epoch) return false;
      if (rules.comparesPosition && row.tail !== entry.seq - 1) return false;
      rows.set(entry.shard, withEntry(row, entry));
      return true;
    });
    return { rows, answer };
  };
}

/** What is at the place of an entry that did not fit: the entry itself, nothing yet, or what makes it lost. */
export type Found = 'mine' | 'absent' | 'lost';

export function find(entries: readonly LogEntry[]): Statement<readonly Found[]> {
  return (server) =>
    read(
      entries.map(({ shard, epoch, seq, chain }) => {
        const row = server.row(shard);
        if (row.epoch !== epoch) return 'lost';
        const there = row.entries.find((one) => one.seq === seq);
        if (there === undefined) return 'absent';
        return there.epoch === epoch && there.chain === chain ? 'mine' : 'lost';
      }),
    );
}

/** A commit behind the entries that changes nothing: its acknowledgement says that they are on all copies. */
export function cover(entries: readonly LogEntry[], rules: MemoryRules): Statement<readonly boolean[]> {
  return (server) => {
    const rows = new Map<number, Row>();
    const answer = entries.map(({ shard, epoch, seq }) => {
      const row = server.row(shard);
      if (row.epoch !== epoch) return false;
      if (rules.coversWhatItFinds)
        rows.set(shard, rules.coveringConfirmsNothing ? row : { ...row, confirmed: Math.max(row.confirmed, seq) });
      return true;
    });
    return { rows, answer };
  };
}

/** Entries from one moment; an error where they are gone. */
export type ChunkOrGap = Chunk | TrimGap;

export function readOwn(
  [shard, epoch, after, bytesMax]: readonly [number, number, number, number],
  rules: MemoryRules,
): Statement<ChunkOrGap | null> {
  return (server) => {
    const row = server.row(shard);
    if (rules.guardsOwnReads && row.epoch !== epoch) return read(null);
    return read(chunkOf(shard, row, after, row.tail, bytesMax, rules));
  };
}

export function readConfirmed(
  [shard, after, bytesMax]: readonly [number, number, number],
  rules: MemoryRules,
): Statement<ChunkOrGap> {
  return (server) => {
    const row = server.row(shard);
    const end = rules.hidesUnconfirmed ? row.confirmed : row.tail;
    return read(chunkOf(shard, row, after, end, bytesMax, rules));
  };
}

function chunkOf(
  shard: number,
  row: Row,
  after: number,
  end: number,
  bytesMax: number,
  rules: MemoryRules,
): ChunkOrGap {
  if (rules.tellsOfGaps && after < row.trimmed) return new TrimGap(shard, after, row.trimmed);
  const entries: LogEntry[] = [];
  let bytes = 0;
  for (const entry of row.entries) {
    if (entry.seq <= after) continue;
    bytes += entry.body.length;
    if (entry.seq > end || (entries.length > 0 && bytes > bytesMax)) break;
    entries.push(entry);
  }
  return { entries, end };
}

export function release(shard: number, epoch: number): Statement<void> {
  return (server) => {
    const row = server.row(shard);
    if (row.epoch !== epoch) return read(undefined);
    return write(shard, { ...row, epoch: epoch + 1, owner: null, token: null }, undefined);
  };
}

export function noteSnapshot(shard: number, note: SnapshotNote, rules: MemoryRules): Statement<boolean> {
  return (server) => {
    const row = server.row(shard);
    const newest = row.snapshots[0];
    if (newest?.name === note.name && newest.seq === note.seq) return write(shard, row, true);
    if (note.seq > row.tail || (rules.notesForward && note.seq <= (newest?.seq ?? 0))) return read(false);
    return write(shard, withSnapshot(row, note), true);
  };
}

export function trim(shard: number, seq: number, rules: MemoryRules): Statement<TrimRefused | null> {
  return (server) => {
    const row = server.row(shard);
    if (rules.trimsBelowSnapshots && seq > (row.snapshots[0]?.seq ?? 0)) return read(new TrimRefused(shard, seq));
    return write(shard, { ...row, trimmed: Math.max(row.trimmed, seq) }, null);
  };
}

/** Removes what was let go of one shard; whether there was anything. */
export function reclaim(shard: number): Statement<boolean> {
  return (server) => {
    const row = server.row(shard);
    const entries = row.entries.filter(({ seq }) => seq > row.trimmed);
    return entries.length === row.entries.length ? read(false) : write(shard, { ...row, entries }, true);
  };
}
