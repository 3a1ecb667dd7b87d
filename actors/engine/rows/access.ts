/** Authorizes operations by `access.<operation>` and `row_rule` (docs/contract/data-definitions.md §2). Without a rule: superadmin and internal only. */
import type { AccessOperation } from '#config/definitions/product.ts';
import type { Rule, RuleFault } from '#actors/kit/rule.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { FOLLOW } from '#actors/kit/rule-scope.ts';
import type { Admits } from './filter.ts';
import { Follower } from './follow.ts';
import type { Reader } from './store.ts';
import type { Slots } from './codec.ts';
import type { EntityModel } from './model.ts';
import { scopeOf, type RequestView, type Session } from './session.ts';

/** Every row, none, or those that the check admits. */
export type Grant = 'all' | 'none' | Admits;

/**
 * What `access.<operation>` grants. A rule that reads `row` is evaluated for each row, any other rule once. `over`: the view in which the
 * rows are read, and in which rules follow their references; without it they follow them in the turn.
 */
export function grantOf(
  session: Session,
  model: EntityModel,
  operation: AccessOperation,
  request: RequestView,
  over: Reader | null = null,
): Grant {
  if (session.principal.type === 'internal') return 'all';
  if (session.principal.readonly && operation !== 'read') return 'none';
  const rule = model.rules.get(operation);
  if (rule?.usesRow === true) return admitting(session, model, rule, request, over);
  let why: RuleFault | null = null;
  const failed = (fault: RuleFault): void => void (why = fault);
  if (isGranted(session, rule, request, failed)) return 'all';
  // Masked fields are the normal case: only a failing `unmask` rule is reported.
  if (operation !== 'unmask' || why !== null)
    session.denied?.({ entity: model.name, operation, fault: why, why: () => ruleName(model, operation) });
  return 'none';
}

/** Where there is no rule, that is why. */
function ruleName({ rules, isView }: EntityModel, operation: AccessOperation): string {
  if (isView && operation !== 'read') return 'a view is not written';
  return rules.has(operation) ? `access.${operation}` : `no rule access.${operation}`;
}

type Failed = (fault: RuleFault) => void;

/** The answer of a rule that reads no row; without a rule only a superadmin is allowed. */
function isGranted(session: Session, rule: Rule | undefined, request: RequestView, failed: Failed): boolean {
  if (rule === undefined) return session.principal.superadmin;
  if (rule.usesPrincipalOnly) return isAllowed(session, rule, request, failed);
  return rule.allows(scopeOf(session, request), failed);
}

const answers = new WeakMap<Rule, WeakMap<Principal, boolean>>();

/** The answer of a rule that reads nothing but the principal, cached for each principal: a principal never changes. */
function isAllowed(session: Session, rule: Rule, request: RequestView, failed?: Failed): boolean {
  let known = answers.get(rule);
  if (known === undefined) answers.set(rule, (known = new WeakMap()));
  let allowed = known.get(session.principal);
  if (allowed === undefined) known.set(session.principal, (allowed = rule.allows(scopeOf(session, request), failed)));
  return allowed;
}

/** The rows that `row_rule` admits, for every operation; null when it admits all. */
export function rowsOf(
  session: Session,
  model: EntityModel,
  request: RequestView,
  over: Reader | null = null,
): Admits | null {
  if (model.rowRule === null || session.principal.type === 'internal') return null;
  return admitting(session, model, model.rowRule, request, over);
}

/** The rows that a read may see: `access.read` and `row_rule` together. */
export function visibleTo(
  session: Session,
  model: EntityModel,
  request: RequestView,
  over: Reader | null = null,
): Grant {
  const grant = grantOf(session, model, 'read', request, over);
  const rows = rowsOf(session, model, request, over);
  return rows === null ? grant : bothOf(grant, rows);
}

/**
 * Reports a row that rules hide from a request which names it: the caller learns only that it gets none. No rule is evaluated again: where
 * both are asked of each row, both are named, and `skep explain` tells which.
 */
export function reportHidden(session: Session, model: EntityModel, { operation, id: row }: RequestView): void {
  const why = (): string => {
    if (model.rowRule === null) return 'access.read';
    return operation === 'read' && model.rules.get('read')?.usesRow === true ? 'access.read or row_rule' : 'row_rule';
  };
  session.denied?.({ entity: model.name, operation, fault: null, outcome: 'hidden', row, why });
}

/** The rows that both grants admit. */
export function bothOf(one: Grant, other: Grant): Grant {
  if (one === 'none' || other === 'all') return one;
  if (one === 'all' || other === 'none') return other;
  return (slots) => one(slots) && other(slots);
}

/** Whether the rules of a read follow references: what is visible then depends on the view, too. */
export function followsReferences({ rules, rowRule }: EntityModel): boolean {
  return rowRule?.follows === true || rules.get('read')?.follows === true;
}

export function admits(grant: Grant, slots: Slots): boolean {
  return grant === 'all' || (grant !== 'none' && grant(slots));
}

function admitting(
  session: Session,
  model: EntityModel,
  rule: Rule,
  request: RequestView,
  over: Reader | null,
): Admits {
  const scope = scopeOf(session, request);
  const follower = rule.follows ? new Follower(session, model, over) : null;
  if (follower !== null) scope[FOLLOW] = follower.follow;
  // A hidden row is not reported. Of the rows on which the rule fails only the first is: one report for each query.
  let isReported = false;
  const failed = (fault: RuleFault): void => {
    if (!isReported) session.denied?.({ entity: model.name, operation: request.operation, fault });
    isReported = true;
  };
  return (slots) => {
    scope.row = model.shape(slots);
    const allowed = rule.allows(scope, failed);
    follower?.check();
    return allowed;
  };
}

const NOTHING_ASKED: RequestView = { method: '', operation: '', entity: '', id: null, data: null };

/**
 * Whether an operation can be allowed to the caller, as far as that is known without a request or a row. The documents of a tenant
 * (OpenAPI and others) show only such operations. False only where every request would be refused.
 */
export function mayEver(session: Session, model: EntityModel, operation: AccessOperation): boolean {
  const { principal } = session;
  if (principal.type === 'internal') return true;
  if (principal.readonly && operation !== 'read') return false;
  const rule = model.rules.get(operation);
  if (rule === undefined) return principal.superadmin;
  return !rule.usesPrincipalOnly || isAllowed(session, rule, NOTHING_ASKED);
}
