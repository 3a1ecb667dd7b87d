/** Parts of json values: how they are compared, and what callers write to be compared with them (docs/contract/data.md §5.4.2). */
import { parseJson } from '#actors/kit/json.ts';
import { limits } from '#config/limits.ts';
import { LongNumber } from '#config/values/long-number.ts';
import { failure, type Failure } from '../failure.ts';
import { compareOf } from '../order.ts';
import { testOf } from '../predicate-test.ts';
import type { Operator, Predicate } from '../query.ts';

type Scalar = string | number | boolean;

const compareText = compareOf('string')!;

/** Scalars of one kind in their order. NaN for two that cannot be compared: they are not equal, and neither is the lower one. */
function compareScalars(a: unknown, b: unknown): number {
  if (typeof a !== typeof b || typeof a === 'object') return Number.NaN;
  if (typeof a === 'string') return compareText(a, b);
  return Number(a) - Number(b);
}

/** Whether the part of a json value meets a predicate. */
export function jsonTestOf({ op, value, ...predicate }: Predicate): (given: unknown) => boolean {
  if (op === 'in' || op === 'nin') {
    const list = new Set(value as readonly unknown[]);
    return (given) => given !== null && list.has(given) === (op === 'in');
  }
  const test = testOf({ ...predicate, op, value }, compareScalars);
  const isPattern = op === 'like' || op === 'ilike' || op === 'nlike' || op === 'nilike';
  return isPattern ? (given) => typeof given === 'string' && test(given) : test;
}

/** The operand that a text of a query string means: JSON, or else the text itself. Undefined for what is no scalar. */
export function operandOfText(op: Operator, text: string): unknown {
  if (op === 'like' || op === 'ilike') return text;
  if (op === 'null') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (op !== 'in' && op !== 'nin' && op !== 'between') return scalarOfText(text);
  if (!text.startsWith('[')) return text === '' ? [] : text.split(',').map(scalarOfText);
  const list = parseJson(text);
  return list.ok ? list.value : undefined;
}

function scalarOfText(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

/** The predicate of a part of a json value, without its place. 422 for an operand that is no scalar, or no list of them. */
export function jsonPredicate(path: string, op: Operator, operand: unknown): Predicate | Failure {
  if (operand === null && (op === 'eq' || op === 'ne')) return made(path, 'null', op === 'eq');
  if (op === 'null') return typeof operand === 'boolean' ? made(path, op, operand) : misfit(path, op, 'true or false');
  if (op === 'like' || op === 'ilike')
    return typeof operand === 'string' ? made(path, op, operand) : misfit(path, op, 'a pattern');
  if (op !== 'in' && op !== 'nin' && op !== 'between') {
    const scalar = scalarOf(operand);
    return scalar === undefined ? misfit(path, op, 'a text, a number, true or false') : made(path, op, scalar);
  }
  const list = Array.isArray(operand) ? operand.map(scalarOf) : [undefined];
  const most = limits.data.filterValuesMax;
  if (list.length > most) return misfit(path, op, `a list of at most ${most} values`);
  if (list.includes(undefined)) return misfit(path, op, 'a list of texts, numbers, true and false');
  if (op === 'between' && (list.length !== 2 || typeof list[0] !== typeof list[1]))
    return misfit(path, op, 'two values of one kind, the lower first');
  return made(path, op, list);
}

function scalarOf(value: unknown): Scalar | undefined {
  if (value instanceof LongNumber) return Number(value);
  const isScalar = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  return isScalar ? (value as Scalar) : undefined;
}

const made = (field: string, op: Operator, value: unknown): Predicate => ({ kind: 'predicate', field, op, value });

function misfit(path: string, op: Operator, expected: string): Failure {
  const key = op === 'eq' ? path : `${path}[${op}]`;
  return failure(422, `${key} must be ${expected}`, { fields: { [path]: [`must be ${expected}`] } });
}
