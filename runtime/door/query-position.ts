/** The position of a request whose route has it in the query: it is the first parameter (docs/contract/common.md §1.1). */
import { POSITION_PARAMETER } from '#actors/protocol/position-parameters.ts';

const HEAD = `${POSITION_PARAMETER}=`;

/** The text as it was sent, which is never encoded: `customer:product:env:tenant`; '' where the query does not begin with it. */
export function positionOfQuery(query: string): string {
  if (!query.startsWith(HEAD)) return '';
  const end = query.indexOf('&');
  return query.slice(HEAD.length, end < 0 ? undefined : end);
}
