/** Predicates of a body: `{field: value}` and `{field: {op: value}}`, AND-ed (docs/contract/data.md §5.4). */
import { limits } from '#config/limits.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import { failure, isFailure } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Column, EntityModel } from './model.ts';
import { unknownField } from './parse-query.ts';
import { operandOf, operatorOf, predicateOfJson, unknownOperator } from './predicate.ts';
import type { Predicate } from './query.ts';

/** The predicates of a filter, or a 422 that names the field or operator. */
export function parseFilter(model: EntityModel, filter: Readonly<Record<string, unknown>>): Predicate[] | Failure {
  const where: Predicate[] = [];
  for (const [key, value] of Object.entries(filter)) {
    const operand = operandOf(key);
    if (isFailure(operand)) return operand;
    const column = model.column(operand.field);
    if (column === undefined) return unknownField(model, operand.field);
    const named = isJsonObject(value) && operand.field === key ? Object.entries(value) : [[operand.op, value] as const];
    const failed = addAll(where, column, named);
    if (failed !== null) return failed;
  }
  const most = limits.data.filterPredicatesMax;
  return where.length > most ? failure(422, `at most ${most} predicates`, { predicates: where.length }) : where;
}

function addAll(where: Predicate[], column: Column, named: readonly (readonly [string, unknown])[]): Failure | null {
  for (const [name, value] of named) {
    const op = operatorOf(name);
    if (op === undefined) return unknownOperator(column.name, name);
    const predicate = predicateOfJson(column, op, value);
    if (isFailure(predicate)) return predicate;
    where.push(predicate);
  }
  return null;
}
