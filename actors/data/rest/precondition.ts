/**
 * `If-Match` on writes (RFC 9110 §13.1.1, docs/contract/common.md §4.2): the row must have had one of the versions. Checked after the write was
 * staged, since a request that fails anyway answers as it would without the header (RFC 9110 §13.2.1); the refusal drops the turn.
 */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { versionOf } from '#actors/engine/rows/codec.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { refuse } from '../refusals.ts';
import { versionTag } from './envelope.ts';

/** 412 with the present version as `details.version` and ETag, or null when the write may stand. */
export function refuseStale(call: Call, { before }: Written): Refusal<'v2.precondition_failed'> | null {
  const wanted = call.header('if-match');
  if (wanted === undefined || before === null || meets(wanted, versionOf(before))) return null;
  return refuse('v2.precondition_failed', { details: { version: versionOf(before) }, headers: versionTag(before) });
}

/** Strong comparison: a weak tag never matches. */
function meets(wanted: string, version: number): boolean {
  return wanted.split(',').some((tag) => tag.trim() === '*' || tag.trim() === `"${version}"`);
}
