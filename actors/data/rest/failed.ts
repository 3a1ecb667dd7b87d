/** What the engine refused, under the verb's own code (docs/contract/data.md §10.1: these take their status from the engine). */
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Failure } from '#actors/engine/rows/failure.ts';
import { refuse } from '../refusals.ts';

type EngineCode =
  | 'v2.query_failed'
  | 'v2.create_failed'
  | 'v2.update_failed'
  | 'v2.delete_failed'
  | 'v2.restore_failed'
  | 'v2.search_query_failed';

export function failed<C extends EngineCode>(code: C, { status, message, details }: Failure): Refusal<C> {
  return refuse<C>(code, { status, message, ...(details !== undefined && { details }) });
}

/** 404 `v2.entity_not_found`, on the routes whose tables name it. */
export function entityNotFound({ message }: Failure): Refusal<'v2.entity_not_found'> {
  return refuse('v2.entity_not_found', { message });
}
