/** Predicates over values that a row leads to, from what callers write of them: text of a query string, or JSON of a body. */
import { shown } from '#actors/kit/shown.ts';
import { isFailure, type Failure } from '../failure.ts';
import type { Column, EntityModel } from '../model.ts';
import { operatorOf, predicateOfJson, predicateOfText, unknownOperator } from '../predicate.ts';
import type { Conjunction, FarValue, Operator, Predicate } from '../query.ts';
import { unknownField } from '../unknown-field.ts';
import { fieldsSeen, mayCompare, type Asker } from './asker.ts';
import { jsonPredicate, operandOfText } from './json.ts';
import { manyOf, quantifierOf, relationsIn, rowsPredicate, type ManyPath, type Quantifier } from './many.ts';
import { lengthFault, parsePath, type PathKey } from './parse.ts';

/** What a caller compares with. */
interface Compared {
  /** With the values of a column. */
  value(column: Column, op: Operator): Predicate | Failure;
  /** With parts of json values at a path. */
  part(path: string, op: Operator): Predicate | Failure;
}

export interface Given extends Compared {
  /** Conditions that rows of an entity are to meet, behind so many relations. */
  conditions(model: EntityModel, above: number): Conjunction | Failure;
}

export function givenText(text: string): Compared {
  return {
    value: (column, op) => predicateOfText(column, op, text),
    part: (path, op) => jsonPredicate(path, op, operandOfText(op, text)),
  };
}

export function givenJson(value: unknown): Compared {
  return {
    value: (column, op) => predicateOfJson(column, op, value),
    part: (path, op) => jsonPredicate(path, op, value),
  };
}

/** The predicate of `[path]` and `[path][op]`, behind so many relations. 422 for a path, an operator or a value that does not fit. */
export function farPredicate(
  model: EntityModel,
  key: PathKey,
  given: Given,
  asker: Asker | null,
  above = 0,
): Predicate | Failure {
  const { path } = key;
  const quantifier = quantifierOf(key.op);
  const isMany = quantifier !== undefined;
  const tooLong = lengthFault([...Array<string>(above), ...relationsIn(path, isMany)], []);
  if (tooLong !== null) return tooLong;
  const many = asker === null ? null : manyOf(model, path, isMany, asker);
  if (asker !== null && many !== null) return ofMany(many, key, quantifier, given, asker, above);
  if (isMany) return unknownField(model, path);
  const at = parsePath(model, path, asker);
  if (isFailure(at)) return at;
  if (above > 0 && at.hops.length === 0 && !isComparable(asker, model, at.column)) return unknownField(model, path);
  const op = operatorOf(key.op ?? 'eq');
  if (op === undefined) return unknownOperator(path, shown(key.op!));
  return predicateAt(path, at, op, given);
}

/** The predicate at a path that is known. */
export function predicateAt(path: string, at: FarValue, op: Operator, given: Compared): Predicate | Failure {
  const predicate = at.inside.length > 0 ? given.part(path, op) : given.value({ ...at.column, name: path }, op);
  return isFailure(predicate) ? predicate : { ...predicate, at };
}

/** Behind relations a field whose mask the asker may not lift on every row is not there. */
export function isComparable(asker: Asker | null, model: EntityModel, column: Column): boolean {
  return asker !== null && mayCompare(asker, model, column);
}

function ofMany(
  { hops, to, rest }: ManyPath,
  { path, op }: PathKey,
  quantifier: Quantifier | undefined,
  given: Given,
  asker: Asker,
  above: number,
): Predicate | Failure {
  const from = fieldsSeen(asker, to.from);
  const behind = above + hops.length + 1;
  if (quantifier !== undefined && rest === '') {
    const of = given.conditions(from, behind);
    return isFailure(of) ? of : rowsPredicate(path, hops, to, of, quantifier);
  }
  const isOwn = quantifier === undefined && !/[./]/.test(rest);
  const key = { path: rest, op };
  const predicate = isOwn ? ownPredicate(from, key, given, asker) : farPredicate(from, key, given, asker, behind);
  return isFailure(predicate) ? predicate : rowsPredicate(path, hops, to, { where: [predicate], any: [] }, 'some');
}

/** The predicate of a field of the rows themselves. */
function ownPredicate(
  model: EntityModel,
  { path, op: name }: PathKey,
  given: Given,
  asker: Asker,
): Predicate | Failure {
  const column = model.column(path);
  if (column === undefined || !isComparable(asker, model, column)) return unknownField(model, path);
  const op = operatorOf(name ?? 'eq');
  return op === undefined ? unknownOperator(path, shown(name!)) : given.value(column, op);
}
