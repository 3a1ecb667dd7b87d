/** Requests and answers of the process that reads shards (`shard-work.process.ts`). */
import type { ShardLook, Unread } from '#storage/check.ts';
import type { ShardRepair } from '#storage/repair.ts';
import type { DamagedJournal } from '#storage/journal/replay.ts';

/** A tenant from the registry in shard 0. */
export interface PlacedTenant {
  readonly key: string;
  readonly shard: number;
}

export interface WorkOptions {
  readonly withEntities?: boolean;
  readonly dropRows?: boolean;
}

/** The answer of each verb for a shard. */
export interface ShardAnswers {
  readonly check: ShardLook;
  readonly repair: ShardRepair;
  /** Its lines went to standard output. */
  readonly dump: null;
  /** All tenants of the node, from shard 0. */
  readonly tenants: readonly PlacedTenant[];
  /** For all shards at once; requested from the first one. */
  readonly giveUp: readonly DamagedJournal[];
}

export type ShardVerb = keyof ShardAnswers;

/** A line on the process's third stream behind the standard ones. */
export type ShardLine<V extends ShardVerb> =
  | { readonly answer: ShardAnswers[V] }
  /** Its pages cannot be read, or another error occurred. */
  | { readonly error: Unread };

/** The file descriptor of these lines. */
export const ANSWERS_FD = 3;
