/** Functions that give rows, for FROM: their arguments, their columns, and the rows. */
import type { StatementContext } from '../context.ts';
import { SqlFault } from '../fault.ts';
import { elementOf, isList, type SqlType, type Value } from '../type.ts';
import { implicit } from '../value/cast.ts';
import * as integer from '../value/integer.ts';
import type { Integer } from '../value/integer.ts';
import { intervalOrder, moved, type Interval } from '../value/interval.ts';
import { compareIntegers } from '#config/values/decimal.ts';
import { isObject, namesOf, plainText, type Json } from '../value/json.ts';
import { globalOf, matchesOf } from '../value/regexp.ts';
import type { Expr } from './expr.ts';
import { divided } from './list-functions.ts';
import { groupsOf, splitBy } from './pattern-functions.ts';

interface ColumnOf {
  /** Null where the relation's name, or that of the function, is the column's too. */
  readonly name: string | null;
  readonly type: SqlType;
}

interface TableSignature {
  readonly takes: readonly SqlType[];
  readonly columns: readonly ColumnOf[];
  readonly rows: (...values: Value[]) => Iterable<readonly Value[]>;
}

const of = (
  takes: readonly SqlType[],
  type: SqlType,
  rows: TableSignature['rows'],
  name: string | null = null,
): TableSignature => ({
  takes,
  columns: [{ name, type }],
  rows,
});

function* integers(from: Value, to: Value, by: Value = 1): Iterable<Value[]> {
  const step = by as Integer;
  if (step === 0) throw new SqlFault('step size cannot equal zero');
  const sign = compareIntegers(step, 0);
  let at = from as Integer;
  while (sign * compareIntegers(at, to as Integer) <= 0) {
    yield [at];
    try {
      at = integer.add(at, step);
    } catch (error) {
      // The series ends with the integers themselves.
      if (error instanceof SqlFault) return;
      throw error;
    }
  }
}

function* instants(from: Value, to: Value, by: Value): Iterable<Value[]> {
  const step = by as Interval;
  const sign = Math.sign(intervalOrder(step));
  if (sign === 0) throw new SqlFault('step size cannot equal zero');
  let at = from as string;
  while (sign > 0 ? at <= (to as string) : at >= (to as string)) {
    yield [at];
    const next = moved(at, step);
    // A step of months and days against each other need not move.
    if (next === at || next > at !== sign > 0) throw new SqlFault('the step does not move the series');
    at = next;
  }
}

function* elements(value: Value): Iterable<Json> {
  if (!Array.isArray(value))
    throw new SqlFault(`cannot extract elements from ${isObject(value) ? 'an object' : 'a scalar'}`);
  yield* value as Json[];
}

function* members(value: Value): Iterable<readonly [string, Json]> {
  if (!isObject(value)) throw new SqlFault('cannot call jsonb_each on a non-object');
  for (const name of namesOf(value)) yield [name, value[name]!];
}

function* each<T>(items: Iterable<T>, made: (item: T) => readonly Value[]): Iterable<readonly Value[]> {
  for (const item of items) yield made(item);
}

const one = (value: Value): readonly Value[] => [value];
const pair = (type: SqlType): readonly ColumnOf[] => [
  { name: 'key', type: 'text' },
  { name: 'value', type },
];

const jsonElements = [of(['json'], 'json', (value) => each(elements(value), one), 'value')];
const textElements = [of(['json'], 'text', (value) => each(elements(value), (item) => [plainText(item)]), 'value')];
const entries: TableSignature[] = [{ takes: ['json'], columns: pair('json'), rows: (value) => members(value) }];
const texts: TableSignature[] = [
  {
    takes: ['json'],
    columns: pair('text'),
    rows: (value) => each(members(value), ([name, item]) => [name, plainText(item)]),
  },
];
const keys = [of(['json'], 'text', (value) => each(members(value), ([name]) => [name]))];

/** All matches with the flag `g`, else the first. */
function* found(text: Value, pattern: Value, given: Value = ''): Iterable<readonly Value[]> {
  const { flags, isGlobal } = globalOf(given as string);
  for (const match of matchesOf(text as string, pattern as string, flags)) {
    yield [groupsOf(text as string, match)];
    if (!isGlobal) return;
  }
}

export const TABLE_FUNCTIONS: Readonly<Record<string, readonly TableSignature[]>> = {
  generate_series: [
    of(['integer', 'integer'], 'integer', integers),
    of(['integer', 'integer', 'integer'], 'integer', integers),
    of(['timestamp', 'timestamp', 'interval'], 'timestamp', instants),
  ],
  jsonb_array_elements: jsonElements,
  json_array_elements: jsonElements,
  jsonb_array_elements_text: textElements,
  json_array_elements_text: textElements,
  jsonb_each: entries,
  json_each: entries,
  jsonb_each_text: texts,
  json_each_text: texts,
  jsonb_object_keys: keys,
  json_object_keys: keys,
  string_to_table: [of(['text', 'text'], 'text', (text, by) => each(divided(text, by), one))],
  regexp_split_to_table: [
    of(['text', 'text'], 'text', (text, pattern) => each(splitBy(text, pattern, ''), one)),
    of(['text', 'text', 'text'], 'text', (text, pattern, flags) => each(splitBy(text, pattern, flags), one)),
  ],
  regexp_matches: [of(['text', 'text'], 'text[]', found), of(['text', 'text', 'text'], 'text[]', found)],
  // Its list may be of any type: `signatureOf`.
  unnest: [],
};

/** The signature that fits the arguments. */
export function signatureOf(
  statement: StatementContext,
  at: number,
  name: string,
  args: readonly Expr[],
): TableSignature {
  const [list] = args;
  if (name === 'unnest' && args.length === 1 && isList(list!.type))
    return of([list!.type], elementOf(list!.type), (all) => each(all as readonly Value[], one));
  const signatures = TABLE_FUNCTIONS[name]!;
  const fits = ({ takes }: TableSignature): boolean =>
    takes.length === args.length &&
    args.every(({ type }, i) => type === 'unknown' || type === takes[i] || implicit(type, takes[i]!) !== null);
  const fitting = signatures.find(fits);
  if (fitting !== undefined) return fitting;
  const known =
    name === 'unnest' ? 'unnest(list)' : signatures.map(({ takes }) => `${name}(${takes.join(', ')})`).join(' or ');
  return statement.fault(at, `there is no ${name}(${args.map(({ type }) => type).join(', ')})`, `write ${known}`);
}
