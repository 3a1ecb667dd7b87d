/** Functions that take values of any type, or any number of them. */
import type { Node } from 'libpg-query';
import { timestamp } from '#actors/kit/clock.ts';
import type { Place } from '../context.ts';
import { SqlFault } from '../fault.ts';
import { elementOf, isList, type Value } from '../type.ts';
import { explicit } from '../value/cast.ts';
import { comparison } from '../value/compare.ts';
import { jsonOf, measured, partAt, plainText, type Json } from '../value/json.ts';
import { bounded, burnText } from '../value/text-cost.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import { cast, coerce, settled } from './coerce.ts';
import { combined, strict, type Expr } from './expr.ts';
import { age } from './time-functions.ts';
import { valueOrRow } from './whole-row.ts';

/** Compiles a call; null where it is one of the functions with fixed arguments after all. */
type Special = (place: Place, at: number, nodes: readonly Node[], name: string) => Expr | null;

function buildObject(place: Place, at: number, nodes: readonly Node[], name: string): Expr {
  const { statement } = place;
  if (nodes.length % 2 !== 0)
    return statement.fault(at, `${name} takes names and values by turns`, 'give each name a value');
  const parts = nodes.map((node, i) => {
    if (i % 2 === 1) return settled(statement, valueOrRow(place, node));
    return cast(statement, settled(statement, place.expr(node)), 'text');
  });
  const made = parts.map(({ type }) => jsonOf(type));
  return combined('json', at, parts, (tuple, run) => {
    const entries: [string, Json][] = [];
    for (let i = 0; i < parts.length; i += 2) {
      const key = parts[i]!.evaluate(tuple, run);
      if (key === null) throw new SqlFault('argument of a name must not be null');
      entries.push([key as string, made[i + 1]!(parts[i + 1]!.evaluate(tuple, run))]);
    }
    return measured(Object.fromEntries(entries));
  });
}

function buildArray(place: Place, at: number, nodes: readonly Node[]): Expr {
  const parts = nodes.map((node) => settled(place.statement, valueOrRow(place, node)));
  const made = parts.map(({ type }) => jsonOf(type));
  return combined('json', at, parts, (tuple, run) =>
    measured(parts.map((part, i) => made[i]!(part.evaluate(tuple, run)))),
  );
}

function toJson(place: Place, at: number, nodes: readonly Node[], name: string): Expr {
  const [node, ...more] = nodes;
  if (node === undefined || more.length > 0)
    return place.statement.fault(at, `${name} takes one value`, 'mend its arguments');
  const given = settled(place.statement, valueOrRow(place, node));
  const made = jsonOf(given.type);
  return strict('json', at, [given], (value) => measured(made(value)));
}

function extractPath(place: Place, at: number, nodes: readonly Node[], name: string): Expr {
  const { statement } = place;
  const [value, ...steps] = nodes.map((node, i) => coerce(statement, place.expr(node), i === 0 ? 'json' : 'text'));
  if (value === undefined) return statement.fault(at, `${name} takes a JSON value and a path`, 'mend its arguments');
  const isText = name.endsWith('_text');
  return strict(isText ? 'text' : 'json', at, [value, ...steps], (from, ...path) => {
    const found = partAt(from as Json, path as string[]);
    return isText ? plainText(found) : (found ?? null);
  });
}

/** A list of any type as the first argument, and the types of the others. */
function listCall(place: Place, at: number, nodes: readonly Node[], name: string, others: number): Expr[] {
  const { statement } = place;
  const [list, ...rest] = nodes.map((node) => place.expr(node));
  const given = list?.type === 'unknown' ? coerce(statement, list, 'text[]') : list;
  if (given === undefined || !isList(given.type) || rest.length < others)
    return statement.fault(
      at,
      `there is no ${name}(${[list, ...rest].map((one) => one?.type ?? '').join(', ')})`,
      `${name} takes a list`,
    );
  return [given, ...rest];
}

function lengthOf(place: Place, at: number, nodes: readonly Node[], name: string): Expr {
  const [list, dimension] = listCall(place, at, nodes, name, name === 'array_length' ? 1 : 0);
  if (dimension === undefined)
    return strict('integer', at, [list!], (all) => (all as readonly Value[]).length, { narrow: true });
  const which = coerce(place.statement, dimension, 'integer');
  const length = (all: Value, of: Value): Value =>
    of === 1 && (all as readonly Value[]).length > 0 ? (all as readonly Value[]).length : null;
  return strict('integer', at, [list!, which], length, { narrow: true });
}

function listText(place: Place, at: number, nodes: readonly Node[], name: string): Expr {
  const { statement } = place;
  const [list, ...rest] = listCall(place, at, nodes, name, 1);
  const element = elementOf(list!.type as `text[]`);
  const convert = explicit(element, 'text');
  if (convert === null) return statement.fault(at, `${element} has no text`, 'use jsonb_agg');
  const texts = rest.map((one) => coerce(statement, one, 'text'));
  return combined('text', at, [list!, ...texts], (tuple, run) => {
    const all = list!.evaluate(tuple, run) as readonly Value[] | null;
    const [between, none = null] = texts.map((one) => one.evaluate(tuple, run)) as (string | null)[];
    if (all === null || between === null || between === undefined) return null;
    burn(all.length);
    const known = all.map((one) => (one === null ? none : (convert(one) as string))).filter((one) => one !== null);
    bounded(known.reduce((sum, { length }) => sum + length, Math.max(0, known.length - 1) * between.length));
    return known.join(between);
  });
}

function listPlace(place: Place, at: number, nodes: readonly Node[], name: string): Expr {
  const [list, value] = listCall(place, at, nodes, name, 1);
  const type = elementOf(list!.type as `text[]`);
  const order = comparison(type);
  return strict(
    'integer',
    at,
    [list!, coerce(place.statement, value!, type)],
    (all, wanted) => {
      burn((all as readonly Value[]).length);
      const found = (all as readonly Value[]).findIndex((one) => one !== null && order(one, wanted) === 0);
      if (typeof wanted === 'string') burnText(wanted.length);
      return found < 0 ? null : found + 1;
    },
    { narrow: true },
  );
}

/** `age(instant)`: since the begin of today. */
function ageOf(place: Place, at: number, nodes: readonly Node[]): Expr | null {
  if (nodes.length !== 1) return null;
  const given = coerce(place.statement, place.expr(nodes[0]!), 'timestamp');
  return combined('interval', at, [given], (tuple, run) => {
    const instant = given.evaluate(tuple, run);
    return instant === null ? null : age(`${timestamp(run.startMs).slice(0, 10)}T00:00:00.000Z`, instant);
  });
}

export const SPECIAL_FUNCTIONS: Readonly<Record<string, Special>> = {
  jsonb_build_object: buildObject,
  json_build_object: buildObject,
  jsonb_build_array: buildArray,
  json_build_array: buildArray,
  to_jsonb: toJson,
  to_json: toJson,
  row_to_json: toJson,
  array_to_json: toJson,
  jsonb_extract_path: extractPath,
  json_extract_path: extractPath,
  jsonb_extract_path_text: extractPath,
  json_extract_path_text: extractPath,
  array_length: lengthOf,
  cardinality: lengthOf,
  array_to_string: listText,
  array_position: listPlace,
  age: ageOf,
};
