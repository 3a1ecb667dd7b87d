/** Answers that show one asset or document, with its version as the ETag that `If-Match` of a change takes (RFC 9110 §8.8.3). */
import { reply } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Row } from './rows.ts';

export function tagged<S extends number>(
  status: S,
  row: Row,
  headers: Readonly<Record<string, string>> = {},
): Reply<S> {
  const { version } = row;
  return reply(status, row, typeof version === 'number' ? { ...headers, ETag: `"${version}"` } : headers);
}
