/** Who may do what: `access.<operation>` and `row_rule` (decisions.md "Data"). No rule means deny, except to superadmin and internal. */
import type { AccessOperation } from '#config/definitions/product.ts';
import type { Rule } from '#actors/kit/rule.ts';
import type { Admits } from './filter.ts';
import type { Slots } from './codec.ts';
import type { EntityModel } from './model.ts';
import { scopeOf } from './session.ts';
import type { RequestView, Session } from './session.ts';

/** Every row, none, or those that the check admits. */
export type Grant = 'all' | 'none' | Admits;

/** What `access.<operation>` grants. A rule that reads `row` is asked for each row, the others once. */
export function grantOf(session: Session, model: EntityModel, operation: AccessOperation, request: RequestView): Grant {
  if (session.principal.type === 'internal') return 'all';
  const rule = model.rules.get(operation);
  if (rule === undefined) return session.principal.superadmin ? 'all' : 'none';
  if (rule.usesRow) return admitting(session, model, rule, request);
  return rule.allows(scopeOf(session, request)) ? 'all' : 'none';
}

/** What `row_rule` leaves of the rows, for every operation; null when it leaves all. */
export function rowsOf(session: Session, model: EntityModel, request: RequestView): Admits | null {
  if (model.rowRule === null || session.principal.type === 'internal') return null;
  return admitting(session, model, model.rowRule, request);
}

/** The rows that a read may see: `access.read` and `row_rule` together. */
export function visibleTo(session: Session, model: EntityModel, request: RequestView): Grant {
  const grant = grantOf(session, model, 'read', request);
  const rows = rowsOf(session, model, request);
  if (grant === 'none' || rows === null) return grant;
  return grant === 'all' ? rows : (slots) => grant(slots) && rows(slots);
}

export function admits(grant: Grant, slots: Slots): boolean {
  return grant === 'all' || (grant !== 'none' && grant(slots));
}

function admitting(session: Session, model: EntityModel, rule: Rule, request: RequestView): Admits {
  const scope = scopeOf(session, request);
  return (slots) => {
    scope.row = model.shape(slots);
    return rule.allows(scope);
  };
}
