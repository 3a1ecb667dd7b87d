/** What rules say of the rows that a caller may see, as predicates for the planner. The rules are still checked on every row. */
import type { Rule } from '#actors/kit/rule.ts';
import type { RuleScope } from '#actors/kit/rule-scope.ts';
import type { Narrowing } from '#actors/kit/rule-narrowing.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Column, EntityModel } from './model.ts';
import { throughReferences } from './narrow-through.ts';
import type { Predicate } from './query.ts';
import type { Reader } from './store.ts';
import { scopeOf, type RequestView, type Session } from './session.ts';

/** Predicates that hold for every row that `access.read` and `row_rule` let the caller see; `over` is the view of rules that follow references. */
export function knownOf(session: Session, model: EntityModel, request: RequestView, over: Reader | null): Predicate[] {
  if (session.principal.type === 'internal') return [];
  const rules = [model.rules.get('read'), model.rowRule].filter((rule): rule is Rule => rule?.narrow != null);
  if (rules.length === 0) return [];
  const scope: RuleScope = scopeOf(session, request);
  return rules
    .flatMap((rule) => rule.narrow!(scope))
    .flatMap((narrowing) => {
      const { through } = narrowing;
      if (through === undefined) return predicateOf(model, narrowing) ?? [];
      if (over === null) return [];
      return throughReferences(over, model, through, (last) => predicateOf(last, narrowing)) ?? [];
    });
}

function predicateOf(model: EntityModel, { field, op, value }: Narrowing): Predicate | null {
  const column = model.column(field);
  if (column === undefined || column.compare === null) return null;
  if (op === 'in') {
    const list = (value as readonly unknown[]).map((item) => stored(column, item));
    return list.includes(undefined) || list.includes(null) ? null : { kind: 'predicate', field, op, value: list };
  }
  const operand = stored(column, value);
  if (operand === null && op === 'eq') return { kind: 'predicate', field, op: 'null', value: true };
  if (operand === undefined || operand === null) return null;
  // A rule compares the text as written. If the column stores it in another form, a range would end at another place.
  const isRange = op !== 'eq';
  if (isRange && (!FIELD_TYPES[column.type].orderedInRules || (typeof value === 'string' && operand !== value)))
    return null;
  return { kind: 'predicate', field, op, value: operand };
}

/** The value as the column stores it; undefined when it is no value of the column's type. */
function stored({ type }: Column, value: unknown): unknown {
  if (value === null) return null;
  if (typeof value !== 'bigint') return FIELD_TYPES[type].of(value);
  const near = Number(value);
  return Number.isSafeInteger(near) && FIELD_TYPES[type].zero === 0 ? near : undefined;
}
