/** The position of a request whose route has it in the query: it is the first parameter (docs/contract/common.md §1.1). */
import { POSITION, POSITION_PARAMETER } from '#actors/protocol/position-parameters.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Visit } from './port.ts';

const HEAD = `${POSITION_PARAMETER}=`;

/** The text as it was sent, which is never encoded: `customer:product:env:tenant`; '' where the query does not begin with it. */
export function positionOfQuery(query: string): string {
  if (!query.startsWith(HEAD)) return '';
  const end = query.indexOf('&');
  return query.slice(HEAD.length, end < 0 ? undefined : end);
}

/**
 * The position beside a ticket (docs/contract/changes.md §9), where no header and no site names one: `customer:product:env:tenant`, decoded; '' where the
 * query names none.
 */
export function positionOfTicket(visit: Pick<Visit, 'header' | 'query'>): string {
  if (POSITION.some((name) => visit.header(name.toLowerCase()) !== '')) return '';
  const query = new URLSearchParams(visit.query);
  return query.has('ticket') ? (query.get('position') ?? '') : '';
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
