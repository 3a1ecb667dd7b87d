/** Predicates from what callers write: text of a query string, or JSON of a body (docs/contract/data.md §5.4). */
import { limits } from '#config/limits.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { shown } from '#actors/kit/shown.ts';
import { failure, type Failure } from './failure.ts';
import type { Column } from './model.ts';
import { OPERATORS, type Operator, type Predicate } from './query.ts';

/** `field`, or `field[op]`. */
const KEY = /^([^[\]]*)\[([^[\]]*)\]$/;

export interface Operand {
  readonly field: string;
  readonly op: Operator;
}

/** The field and the operator of a key; 422 for an unknown operator. */
export function operandOf(key: string): Operand | Failure {
  const match = KEY.exec(key);
  if (match === null) return { field: key, op: 'eq' };
  const op = operatorOf(match[2]!);
  if (op !== undefined) return { field: match[1]!, op };
  return unknownOperator(match[1]!, match[2]!);
}

export function operatorOf(name: string): Operator | undefined {
  return OPERATORS.find((operator) => operator === name.toLowerCase());
}

export function unknownOperator(field: string, name: string): Failure {
  const message = `${shown(field)} has no operator ${shown(name)}, only ${OPERATORS.join(', ')}`;
  return failure(422, message, { fields: { [shown(field)]: [`no operator ${shown(name)}`] } });
}

/** The predicate of a text in a query string: lists are separated by commas, or written as a JSON array. */
export function predicateOfText(column: Column, op: Operator, text: string): Predicate | Failure {
  const { ofText } = FIELD_TYPES[column.type];
  if (op === 'null')
    return made(column, op, text === 'true' ? true : text === 'false' ? false : undefined, 'true or false');
  if (!takesLists(op)) return predicateOf(column, op, text, (value) => ofText?.(value as string));
  const list = listOf(text);
  return predicateOf(column, op, list, (value) =>
    typeof value === 'string' ? ofText?.(value) : ofJson(column, value),
  );
}

/** The predicate of a JSON value; `eq` or `ne` with null tests for rows without a value, or with one. */
export function predicateOfJson(column: Column, op: Operator, value: unknown): Predicate | Failure {
  if (value === null && (op === 'eq' || op === 'ne')) return made(column, 'null', op === 'eq', '');
  if (op === 'null') return made(column, op, typeof value === 'boolean' ? value : undefined, 'true or false');
  // A body may write a list as a query string does.
  if (takesLists(op) && typeof value === 'string') return predicateOfText(column, op, value);
  return predicateOf(column, op, value, (given) => ofJson(column, given));
}

function ofJson({ type }: Column, value: unknown): unknown {
  const { of, ofText } = FIELD_TYPES[type];
  const exact = of(value);
  return exact === undefined && typeof value === 'string' && ofText !== null ? ofText(value) : exact;
}

const takesLists = (op: Operator): boolean => op === 'in' || op === 'nin' || op === 'between';

/** The values between commas, or those of a JSON array, which values with commas need. */
function listOf(text: string): unknown {
  if (!text.startsWith('[')) return text === '' ? [] : text.split(',');
  const parsed = parseExactJson(text);
  return parsed.ok ? parsed.value : undefined;
}

function predicateOf(
  column: Column,
  op: Operator,
  given: unknown,
  valueOf: (value: unknown) => unknown,
): Predicate | Failure {
  const { expected, ofText } = FIELD_TYPES[column.type];
  if (column.compare === null || ofText === null) return misfit(column, op, `has no ${nameOf(op)}: it is ${expected}`);
  if (op === 'like' || op === 'ilike') return likeness(column, op, given);
  if (!takesLists(op)) return made(column, op, given === undefined ? undefined : valueOf(given), expected);
  const most = limits.data.filterValuesMax;
  if (!Array.isArray(given)) return misfit(column, op, 'must be a list');
  if (given.length > most) return misfit(column, op, `may list at most ${most} values`);
  if (op === 'between' && given.length !== 2) return misfit(column, op, 'must be two values, the lower first');
  const values = given.map(valueOf);
  return made(column, op, values.includes(undefined) ? undefined : values, `a list, each ${expected}`);
}

function likeness(column: Column, op: Operator, given: unknown): Predicate | Failure {
  if (!FIELD_TYPES[column.type].likes) return misfit(column, op, 'is no text');
  if (typeof given !== 'string') return misfit(column, op, 'must be a pattern');
  return made(column, op, given, 'a pattern');
}

/** The predicate, unless a value is of another type or null: nothing compares with null. */
function made(column: Column, op: Operator, value: unknown, expected: string): Predicate | Failure {
  const holdsNull = value === null || (Array.isArray(value) && value.includes(null));
  if (value === undefined || holdsNull) return misfit(column, op, `must be ${expected}`);
  if (column.allowed !== null && isStrange(column.allowed, op, value))
    return misfit(column, op, `must be one of ${[...column.allowed].join(', ')}`);
  return { kind: 'predicate', field: column.name, op, value };
}

/** Whether a value is none of the enum's. It is refused as a mistake: no row can hold it, and an empty answer would hide that. */
function isStrange(allowed: ReadonlySet<string>, op: Operator, value: unknown): boolean {
  if (op === 'in' || op === 'nin') return (value as readonly string[]).some((one) => !allowed.has(one));
  return (op === 'eq' || op === 'ne') && !allowed.has(value as string);
}

const nameOf = (op: Operator): string => (op === 'eq' || op === 'ne' ? 'equality' : 'order');

function misfit({ name }: Column, op: Operator, reason: string): Failure {
  const key = op === 'eq' ? name : `${name}[${op}]`;
  return failure(422, `${key} ${reason}`, { fields: { [name]: [reason] } });
}
