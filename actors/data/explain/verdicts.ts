/** What a rule says of a caller, in words that hold no value of a row. */
import type { AccessOperation, RuleDefinition } from '#config/definitions/product.ts';
import { DENY, type Rule, type RuleFault } from '#actors/kit/rule.ts';
import { grantOf, type Grant } from '#actors/engine/rows/access.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { sessionWith, type RequestView, type Session } from '#actors/engine/rows/session.ts';
import { READS_BODY, type PartVerdict } from './parts.ts';

/** `by_row`: asked of each row. `by_body`: decided by a body that was not given. */
type Verdict = 'allows' | 'denies' | 'by_row' | 'by_body';

export interface RuleVerdict {
  /** `access.read`, `row_rule`. */
  readonly name: string;
  /** As it is written; null where there is none. */
  readonly rule: string | null;
  /** File, line and column. */
  readonly where: string | null;
  readonly verdict: Verdict;
  readonly why: string;
  /** Of a route that names a row which is there: whether the rule admits it; else null. */
  readonly admits: boolean | null;
  /** What each condition of the rule gives; null where that is not told. */
  readonly parts: readonly PartVerdict[] | null;
}

/** A rule without what depends on a row. */
export type AskedRule = Omit<RuleVerdict, 'admits' | 'parts'>;

export interface AccessVerdict extends AskedRule {
  readonly grant: Grant;
}

/** The rule `access.<operation>` for the session's principal. */
export function accessVerdict(
  session: Session,
  model: EntityModel,
  operation: AccessOperation,
  request: RequestView,
): AccessVerdict {
  const definition = model.definition.access[operation];
  const rule = model.rules.get(operation);
  const head = headOf(`access.${operation}`, definition);
  let fault: RuleFault | null = null;
  const listening = sessionWith(session, { denied: (denial) => void (fault ??= denial.fault) });
  const grant = grantOf(listening, model, operation, request);
  const takesBody = operation === 'create' || operation === 'update';
  const waits = takesBody && request.data === null && READS_BODY.test(definition?.rule ?? '');
  if (waits)
    return { ...head, grant, verdict: 'by_body', why: 'the rule reads request.data: give the body with --data' };
  if (grant === 'all') return { ...head, grant, verdict: 'allows', why: allowed(session, rule) };
  if (grant === 'none') return { ...head, grant, verdict: 'denies', why: deniedBecause(operation, rule, fault) };
  return { ...head, grant, verdict: 'by_row', why: 'the rule reads row, and is asked for each' };
}

/** The row rule; null where the entity has none, which admits every row. */
export function rowRuleVerdict({ definition, rowRule }: EntityModel): AskedRule | null {
  if (definition.row_rule === undefined && rowRule === null) return null;
  const head = headOf('row_rule', definition.row_rule);
  return rowRule === DENY
    ? { ...head, verdict: 'denies', why: 'the rule does not compile, so it denies every row: run skep check' }
    : { ...head, verdict: 'by_row', why: 'it is asked for each row, before and after a change' };
}

function headOf(name: string, definition: RuleDefinition | undefined): Pick<AskedRule, 'name' | 'rule' | 'where'> {
  return { name, rule: definition?.rule ?? null, where: definition?.where ?? null };
}

function allowed({ principal }: Session, rule: Rule | undefined): string {
  return rule === undefined && principal.superadmin
    ? 'there is no rule, and the user is a superadmin'
    : 'the rule gives true for this user';
}

function deniedBecause(operation: string, rule: Rule | undefined, fault: RuleFault | null): string {
  if (rule === undefined) return `there is no rule access.${operation}, and an operation without one is denied`;
  if (rule === DENY) return 'the rule does not compile, so it denies: run skep check';
  if (fault === null) return 'the rule gives false for this user';
  return `the rule failed${fault.part === '' ? '' : ` at \`${fault.part}\``} (${fault.why}), and a rule that fails denies`;
}
