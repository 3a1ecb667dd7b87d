/** Logs denials for the operator; the caller learns only that the request was denied. */
import type { Activation } from '#actors/host/activation.ts';
import { shown } from '#actors/kit/shown.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Denial } from '#actors/engine/rows/session.ts';

const seldoms = new WeakMap<Activation, Seldom>();

/** At debug level, since any caller can cause it. A rule that burns too much is a warning, since the operator must mend it: one line a minute. */
export function logDenial(activation: Activation, principal: Principal, denial: Denial): void {
  const { context, position } = activation;
  const { entity, operation, fault } = denial;
  const fields = { tenant: position.key, entity, operation, subject: principal.subject };
  if (fault === null) logDenied(activation, fields, denial);
  else {
    const { where, part, why, tooCostly } = fault;
    const failed = { ...fields, rule: where, part, error: why };
    if (tooCostly) warnOfCost(activation, where, failed);
    else context.log.debug?.(failed, 'a rule failed, and so denied');
  }
}

/** Which rule it was is found out only where the line is written. */
function logDenied({ context: { log } }: Activation, fields: object, { outcome, row, why }: Denial): void {
  if (log.debug === undefined) return;
  const key = typeof row === 'string' || typeof row === 'number' ? { row: shown(row) } : {};
  const told = { ...fields, ...key, ...(why !== undefined && { why: why() }) };
  log.debug(told, outcome === 'hidden' ? 'a rule hid a row from a request that names it' : 'a rule denied a request');
}

function warnOfCost(activation: Activation, rule: string, fields: object): void {
  let seldom = seldoms.get(activation);
  if (seldom === undefined) seldoms.set(activation, (seldom = new Seldom()));
  const leftOut = seldom.leftOut(rule, activation.context.clock.now());
  if (leftOut === null) return;
  const since = leftOut === 0 ? fields : { ...fields, left_out: leftOut };
  activation.context.log.warn(
    since,
    'a rule denied because it burns more than one evaluation may: make it look at less',
  );
}
