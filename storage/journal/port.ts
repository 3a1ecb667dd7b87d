/**
 * What acknowledges the turns of a shard, whatever keeps it: files of this machine (file-journals.ts), or a log elsewhere. Shards, turns and LMDB's followers know this alone.
 * Numbers count up within one shard and one epoch. They need not be dense: a journal that several shards share numbers all of their records.
 */
import type { LogReach } from '../applied.ts';
import type { Environment } from '../environment.ts';
import type { EncodedAhead, JournalWrite } from './record.ts';
import type { DamagedJournal, JournalCut } from './replay.ts';

/** Why a shard is not served that was lost. */
export const LOST = 'another owner took it';

export interface ShardJournal {
  /** Of this opening: greater than every one under which records of the shard were written before. */
  readonly epoch: number;
  /** Number of the shard's newest record, 0 before the first. */
  readonly last: number;
  /** All of the shard's records up to this number are durable. It may be above `last`. */
  readonly durable: number;
  /** Adds one record, whole or not at all, and gives its number; `encoded`: its first writes, made ahead. Keys and values must be checked before. Throws when the journal takes no more: StorageFull, ShardStopped. */
  append(writes: readonly JournalWrite[], encoded?: EncodedAhead | null): number;
  /** Calls `then` when record `number` is durable: at once when it is, else in the order of the numbers and of the calls. */
  whenDurable(number: number, then: () => void): void;
  /** Where in a log elsewhere the durable record `number` lies, for LMDB to say; null for files of this machine. */
  reach(number: number): LogReach | null;
  /** LMDB has all records of the shard up to `number`: they are not needed any more. */
  retire(number: number): void;
}

export interface JournalStats {
  readonly bytes: number;
  readonly records: number;
  /** Flushes that are durable: one fdatasync each. */
  readonly syncs: number;
  readonly segments: number;
}

/** The journals of the shards that one thread owns. */
export interface Journals {
  /** Throws for a shard that is not open here. */
  of(shard: number): ShardJournal;
  /** The followers' entry: called after records became durable, behind the callbacks that waited for them. */
  onDurable(listener: () => void): void;
  /** Called once for a shard that another owner took: it takes no more, and nothing of it is acknowledged. Files of this machine lose none. */
  onLost(listener: (shard: number) => void): void;
  stats(): JournalStats;
  /** Takes no more records: the last numbers are final from here on. */
  seal(): void;
  /** Acknowledges nothing from now on. */
  halt(): void;
  /** Resolves when nothing waits to become durable. */
  settled(): Promise<void>;
  /** Waits for what is on its way and closes; `isFollowed`: every environment has everything, so that nothing is kept for a replay. */
  close(isFollowed: boolean): Promise<void>;
}

/** What the opening of journals found. */
export interface Found {
  /** Records that were acknowledged and not yet in their environment, and are now. */
  readonly records: number;
  /** Shards that may miss records which were acknowledged, by number: they are not to be served. */
  readonly stopped: ReadonlyMap<number, DamagedJournal>;
  /** Ends that were cut: what was on its way and never acknowledged. */
  readonly cuts: readonly JournalCut[];
  /** Damage that lost nothing: every shard had it. */
  readonly harmless: readonly DamagedJournal[];
}

/**
 * Brings the environments (by shard number) up to the end of what was acknowledged, and begins to write. `onFatal` is called once, at the first failure behind which nothing may be acknowledged.
 * Throws Corruption, and leaves nothing open then.
 */
export type OpenJournals = (
  environments: ReadonlyMap<number, Environment>,
  onFatal: (error: Error) => void,
) => Promise<{ readonly journals: Journals; readonly found: Found }>;
