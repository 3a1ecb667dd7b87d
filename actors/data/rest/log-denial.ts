/** A denial in the operator's log: the caller is told no more than that it is one. */
import type { Activation } from '#actors/host/activation.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Denial } from '../entity/session.ts';

/** At debug level, since callers may ask for what they may not have; a rule that burns too much is the operator's to mend. */
export function logDenial({ context, position }: Activation, principal: Principal, denial: Denial): void {
  const { entity, operation, fault } = denial;
  const fields = { tenant: position.key, entity, operation, subject: principal.subject };
  if (fault === null) context.log.debug?.(fields, 'a rule denied a request');
  else {
    const { where, part, why, tooCostly } = fault;
    const failed = { ...fields, rule: where, part, error: why };
    if (tooCostly)
      context.log.warn(failed, 'a rule denied because it burns more than one evaluation may: make it look at less');
    else context.log.debug?.(failed, 'a rule failed, and so denied');
  }
}
