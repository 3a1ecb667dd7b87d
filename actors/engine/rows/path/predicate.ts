/** Predicates over values that a row leads to, from what callers write of them: text of a query string, or JSON of a body. */
import { shown } from '#actors/kit/shown.ts';
import { isFailure } from '../failure.ts';
import type { Failure } from '../failure.ts';
import type { EntityModel } from '../model.ts';
import { operatorOf, predicateOfJson, predicateOfText, unknownOperator } from '../predicate.ts';
import type { FarValue, Operator, Predicate } from '../query.ts';
import type { Asker } from './asker.ts';
import { jsonPredicate, operandOfText } from './json.ts';
import { parsePath } from './parse.ts';
import type { PathKey } from './parse.ts';

/** The predicate of `[path]=text` and `[path][op]=text`. 422 for a path, an operator or a text that does not fit. */
export function farPredicateOfText(
  model: EntityModel,
  { path, op: name }: PathKey,
  text: string,
  asker: Asker | null,
): Predicate | Failure {
  const at = parsePath(model, path, asker);
  if (isFailure(at)) return at;
  const op = operatorOf(name ?? 'eq');
  if (op === undefined) return unknownOperator(path, shown(name));
  if (at.inside.length > 0) return placed(jsonPredicate(path, op, operandOfText(op, text)), at);
  return placed(predicateOfText({ ...at.column, name: path }, op, text), at);
}

/** The predicate of a JSON value at a path that is known. */
export function farPredicateOfJson(path: string, at: FarValue, op: Operator, value: unknown): Predicate | Failure {
  if (at.inside.length > 0) return placed(jsonPredicate(path, op, value), at);
  return placed(predicateOfJson({ ...at.column, name: path }, op, value), at);
}

const placed = (predicate: Predicate | Failure, at: FarValue): Predicate | Failure =>
  isFailure(predicate) ? predicate : { ...predicate, at };
