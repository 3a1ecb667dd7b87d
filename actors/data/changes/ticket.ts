/** POST /data/changes/ticket: a ticket for the stream that the query asks for (docs/contract/changes.md §9). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { failure } from '#actors/engine/rows/failure.ts';
import { refuse } from '../refusals.ts';
import { failed } from '../rest/failed.ts';
import type { Routes } from '../routes.ts';
import type { Changes } from './changes.ts';
import type { Full } from './hub.ts';
import { askedOf } from './subscribe.ts';

const { perCallerMax, perTenantMax, ticketQueryCharsMax, ticketSeconds } = limits.changes;

/** What is wrong with the query is told here: a page is not told why its EventSource was refused. */
export function ticket(call: Call, changes: Changes): Outcome<Routes['changes_ticket']> {
  if (call.rawQuery.length > ticketQueryCharsMax) return failed('v2.query_failed', TOO_LONG);
  const asked = askedOf(call, changes);
  if (isRefusal(asked)) return asked;
  const issued = changes.tickets.issue(call);
  if (typeof issued === 'string') return refuseFull(issued);
  return reply(200, { ticket: issued.text, expires_in: ticketSeconds }, { 'Cache-Control': 'no-store' });
}

const TOO_LONG = failure(422, `the query of a ticket has at most ${ticketQueryCharsMax} characters`, {
  parameter: 'query',
  most: ticketQueryCharsMax,
});

const WHOSE: Readonly<Record<Full, string>> = {
  caller: `a caller has at most ${perCallerMax} tickets that are not spent`,
  tenant: `a tenant has at most ${perTenantMax} tickets that are not spent`,
  node: 'this node has as many tickets as it may',
};

const refuseFull = (full: Full) =>
  refuse('v2.changes_full', { status: full === 'node' ? 503 : 429, message: WHOSE[full], headers: RETRY_SOON });
