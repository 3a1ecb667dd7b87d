/** The position of a request whose route has it in the query: it is the first parameter (docs/contract/common.md §1.1). */
import { POSITION_PARAMETER } from '#actors/protocol/position-parameters.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Visit } from './port.ts';

const HEAD = `${POSITION_PARAMETER}=`;

/** The text as it was sent, which is never encoded: `customer:product:env:tenant`; '' where the query does not begin with it. */
export function positionOfQuery(query: string): string {
  if (!query.startsWith(HEAD)) return '';
  const end = query.indexOf('&');
  return query.slice(HEAD.length, end < 0 ? undefined : end);
}

/** Whether a header names another position; at the host of a site the visit answers for the headers (site-visit.ts). */
export function isContradicted(visit: Pick<Visit, 'header'>, { customer, product, env, tenant }: Position): boolean {
  return (
    differs(visit.header('x-customer'), customer) ||
    differs(visit.header('x-product'), product) ||
    differs(visit.header('x-env'), env) ||
    differs(visit.header('x-tenant'), tenant)
  );
}

const differs = (named: string, own: string): boolean => named !== '' && named !== own;
