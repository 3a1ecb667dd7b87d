/** What the process that reads shards (`shard-work.process.ts`) is asked for, and what it answers. */
import type { ShardLook, Unread } from '#storage/check.ts';
import type { ShardRepair } from '#storage/repair.ts';
import type { DamagedJournal } from '#storage/replay.ts';

/** A tenant as the registry in shard 0 knows it. */
export interface PlacedTenant {
  readonly key: string;
  readonly shard: number;
}

export interface WorkOptions {
  readonly withEntities?: boolean;
  readonly dropRows?: boolean;
}

/** What each verb answers for a shard. */
export interface ShardAnswers {
  readonly check: ShardLook;
  readonly repair: ShardRepair;
  /** Its lines went to standard output. */
  readonly dump: null;
  /** All tenants of the node: they are asked of shard 0. */
  readonly tenants: readonly PlacedTenant[];
  /** Of all shards at once; asked of the first one. */
  readonly giveUp: readonly DamagedJournal[];
}

export type ShardVerb = keyof ShardAnswers;

/** A line on the process's third stream behind the standard ones. */
export type ShardLine<V extends ShardVerb> =
  | { readonly answer: ShardAnswers[V] }
  /** Its pages cannot be read, or another error came between. */
  | { readonly error: Unread };

/** The file descriptor of these lines. */
export const ANSWERS_FD = 3;
