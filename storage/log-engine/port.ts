/**
 * An engine elsewhere that keeps several copies, seen as one log for each shard, each with one writer at a time. One case file (test/storage/log-engine/engine.cases.ts) says for all drivers
 * what they do. Why it is this and no more: docs/decisions/storage.md ST-29.
 *
 * Three rules hold for every verb. What changes something resolves only when the change is on as many copies as the engine promises. What rejects with OutcomeUnknown may have happened or not:
 * the same call again, with the same arguments, settles it. And nothing is decided by what a read says, for a read may come from a server that the others have given up.
 */
/** A hash, hexadecimal: the first 16 bytes of a SHA-256 (chain.ts). */
export type Chain = string;

/** What a writer adds to a shard's log, whole or not at all. */
export interface LogEntry {
  readonly shard: number;
  /** Of the claim under which it is written. */
  readonly epoch: number;
  /** Its position: 1 is the first of a shard, and there are no gaps. */
  readonly seq: number;
  /** The newest position of the shard that its writer knew to be durable when it sent this one: below `seq`. */
  readonly confirmed: number;
  /** Number of the first record in the body; 0 in an entry without records. */
  readonly first: number;
  /** Milliseconds since 1970: no instant in the body is later. The next owner's instants begin above it. */
  readonly time: number;
  /** Hash of all entries of the shard up to this one (chain.ts). Entries with one chain are one entry. */
  readonly chain: Chain;
  /** At most `entryBytesMax` bytes. */
  readonly body: Uint8Array;
}

/** `lost`: the shard has another owner, or another entry at this position. Whether the entry is in the log is not known to its writer then: a position taken by it before stays taken. */
export type AppendOutcome = 'durable' | 'lost';

/** A copy of a shard that holds all entries up to `seq`, and from which a reader goes on. */
export interface SnapshotNote {
  readonly seq: number;
  /** Of the entry at `seq`. */
  readonly chain: Chain;
  /** Where the copy is, in the words of its store. */
  readonly name: string;
}

/** What is known of a shard, as a hint: it may be old when it arrives. */
export interface ShardState {
  readonly epoch: number;
  /** Position of the newest entry, 0 before the first. */
  readonly tail: number;
  /** The newest position that a writer has said to be durable. */
  readonly confirmed: number;
  /** The name under which it was claimed; null while it is free. */
  readonly owner: string | null;
  /** Entries up to this position may be gone. */
  readonly trimmed: number;
  /** Newest first, at most SNAPSHOTS_KEPT. */
  readonly snapshots: readonly SnapshotNote[];
}

/** How many notes of snapshots a shard keeps: a copy whose note is gone may be removed. */
export const SNAPSHOTS_KEPT = 3;

/** Where a shard's log ends, as a hint. */
export interface ShardEnd {
  readonly shard: number;
  /** Position of the newest entry, and the newest that a writer has said to be durable. */
  readonly tail: number;
  readonly confirmed: number;
}

export interface ClaimWish {
  readonly shard: number;
  /** The epoch of the shard as the claimer knows it. */
  readonly seen: number;
  readonly owner: string;
  /** A UUID drawn for this claim alone: it tells a claimer whose answer was lost that the claim is its own. */
  readonly token: string;
}

export interface Claim {
  readonly shard: number;
  /** `seen` + 1. */
  readonly epoch: number;
  /** Position and chain of the newest entry: the claimer's first one goes behind it. */
  readonly tail: number;
  readonly chain: Chain;
  readonly trimmed: number;
  readonly snapshots: readonly SnapshotNote[];
  /** The latest `time` of all entries. */
  readonly time: number;
}

export interface Chunk {
  /** Dense, from the position asked for. */
  readonly entries: readonly LogEntry[];
  /** How far the log goes for this reader: it has everything when its last entry is at this position. */
  readonly end: number;
}

export interface LogEngine {
  readonly entryBytesMax: number;
  look(shard: number): Promise<ShardState>;
  /** Of all shards, by number: for a reader that follows them. */
  ends(): Promise<readonly ShardEnd[]>;
  /** Takes a shard from the epoch `seen`, for good: null when another claim or a release came first. Nothing of an older epoch enters the log behind it. */
  claim(wish: ClaimWish): Promise<Claim | null>;
  /**
   * Adds entries, at most one of a shard, in one round trip; gives their outcomes in their order. One shard's loss does not harm the others.
   * A writer sends the next entry of a shard only when the one before has an outcome. Throws RangeError for entries that no log takes.
   */
  append(entries: readonly LogEntry[]): Promise<readonly AppendOutcome[]>;
  /**
   * For the owner that takes over: entries behind `after`, confirmed or not; null when the shard is not of this epoch. What lies before an entry of this epoch that was acknowledged is durable.
   * Gives one entry at least where there is one, and about `bytesMax` at most. Throws TrimGap.
   */
  readOwn(shard: number, epoch: number, after: number, bytesMax: number): Promise<Chunk | null>;
  /** For everyone else: entries behind `after` that a writer has confirmed, as of one moment. Throws TrimGap. */
  readConfirmed(shard: number, after: number, bytesMax: number): Promise<Chunk>;
  /** Gives a shard up: its epoch goes up by one, and it has no owner. Does nothing when it is not of this epoch. */
  release(shard: number, epoch: number): Promise<void>;
  /** Notes a copy that lies in its store. False, and nothing noted, when one that is as new is noted, or when the log does not reach so far. */
  noteSnapshot(shard: number, note: SnapshotNote): Promise<boolean>;
  /** Lets the entries up to `seq` go. Rejects with TrimRefused above the newest noted snapshot. */
  trim(shard: number, seq: number): Promise<void>;
  /** Gives the room of entries back that are let go, in chapters of the engine's own size; how many chapters went. Called every few minutes. */
  reclaim(): Promise<number>;
  close(): Promise<void>;
}

/** No answer, or one that does not count: the change may have happened. */
export class OutcomeUnknown extends Error {}

/** The engine does not take part any more: it is another one, or an older copy of it, or it is not set up as promised. An operator has to look. */
export class EngineRefused extends Error {}

/** Entries that were asked for are gone: the reader needs a snapshot. */
export class TrimGap extends Error {
  readonly trimmed: number;

  constructor(shard: number, after: number, trimmed: number) {
    super(`shard ${shard}: entries up to ${trimmed} may be gone, and those behind ${after} were asked for`);
    this.trimmed = trimmed;
  }
}

export class TrimRefused extends Error {
  constructor(shard: number, seq: number) {
    super(`shard ${shard}: no noted snapshot holds all entries up to ${seq}, so they stay`);
  }
}
