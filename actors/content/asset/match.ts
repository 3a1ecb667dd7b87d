/** `If-Match` of a change (RFC 9110 §13.1.1): the versions of the asset that the change is meant for. */
import type { Call } from '#actors/host/call.ts';
import { end } from '../refused.ts';
import type { Row } from '../rows.ts';

/** 412 when the asset has another version. */
export function checkMatch(call: Call, { version }: Row): void {
  const wanted = call.header('if-match');
  const tags = wanted?.split(',').map((tag) => tag.trim());
  if (tags === undefined || tags.includes('*') || tags.includes(`"${version as number}"`)) return;
  end('content.precondition_failed', { details: { version } });
}
