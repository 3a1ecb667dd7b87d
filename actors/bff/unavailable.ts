/** Answers when the service's turn could not run or could not be kept (docs/contract/common.md §8.2: 507 where there is no room). */
import { limits } from '#config/limits.ts';
import type { Why } from '#actors/host/why.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

const WHEN_FULL = { headers: { 'Retry-After': String(limits.storage.fullRetrySeconds) } };

export function unavailable(why: Why): Refusal<'bff.failed' | 'bff.storage_full' | 'bff.unavailable'> {
  if (why === 'fault' || why === 'too_costly') return refuse('bff.failed');
  if (why === 'storage_full') return refuse('bff.storage_full', WHEN_FULL);
  return refuse('bff.unavailable', { headers: { 'Retry-After': String(limits.host.retryAfterSeconds) } });
}
