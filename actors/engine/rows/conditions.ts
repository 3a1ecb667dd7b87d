/** The predicates of a query by field, in a form that gives ranges of keys. */
import type { Bytes, Tail } from './keys/store.ts';
import { prefixOf } from './like.ts';
import type { Column, EntityModel } from './model.ts';
import type { Compare } from './order.ts';
import type { Predicate } from './query.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

export interface Conditions {
  /** Fields of which every match holds the same value. */
  readonly fixed: ReadonlyMap<string, unknown>;
  /** Fields whose value is one of a sorted list. */
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
  /** Fields whose value lies in a range. */
  readonly tails: ReadonlyMap<string, Tail>;
  /** A list is empty: nothing matches. */
  readonly impossible: boolean;
}

/** Shared by all queries with equalities only, the common case: never written to. */
const NONE = { lists: new Map<string, readonly unknown[]>(), tails: new Map<string, Tail>() };

export function conditionsOf(model: EntityModel, where: readonly Predicate[]): Conditions {
  const fixed = new Map<string, unknown>();
  const { lists, tails } = where.every(({ op }) => op === 'eq') ? NONE : { lists: new Map(), tails: new Map() };
  let impossible = false;
  for (const { field, op, value, at } of where) {
    if (at !== undefined) continue;
    if (op === 'eq') fixed.set(field, value);
    else if (op === 'null') {
      if (value === true) fixed.set(field, null);
    } else if (op === 'in') {
      const list = distinct(value as readonly unknown[], model.column(field)!.compare!);
      if (list.length === 0) impossible = true;
      else if (list.length === 1) fixed.set(field, list[0]);
      else lists.set(field, list);
    } else narrowTail(tails, model.column(field)!, op, value);
  }
  return { fixed, lists, tails, impossible };
}

/** The values sorted, each once. */
function distinct(values: readonly unknown[], compare: Compare): unknown[] {
  return values.toSorted(compare).filter((value, i, sorted) => i === 0 || compare(sorted[i - 1], value) !== 0);
}

function narrowTail(
  tails: Map<string, Tail>,
  { name, type, compare: ordering }: Column,
  op: Predicate['op'],
  value: unknown,
): void {
  const tail = tailOf(op, value, type);
  if (tail === null) return;
  const compare = ordering!;
  const known = tails.get(name);
  if (known === undefined || tail.prefix !== undefined) tails.set(name, tail);
  else if (known.prefix === undefined) {
    const low = tighter(known.low, tail.low, (a, b) => compare(a, b) >= 0);
    const high = tighter(known.high, tail.high, (a, b) => compare(a, b) <= 0);
    tails.set(name, { low, high });
  }
}

/** The range of a predicate; null where it gives none. A pattern gives one only for texts whose keys are the texts themselves; keys of ULIDs are bits. */
export function tailOf(op: Predicate['op'], value: unknown, type: Column['type']): Tail | null {
  if (op === 'gt' || op === 'gte') return { low: value };
  if (op === 'lt' || op === 'lte') return { high: value };
  if (op === 'between') {
    const [low, high] = value as readonly [unknown, unknown];
    return { low, high };
  }
  const prefix = op === 'like' && FIELD_TYPES[type].key === 'plain' ? prefixOf(value as string) : '';
  return prefix === '' ? null : { prefix };
}

function tighter(a: unknown, b: unknown, keepsA: (a: unknown, b: unknown) => boolean): unknown {
  if (a === undefined || b === undefined) return a ?? b;
  return keepsA(a, b) ? a : b;
}

/** The range that a list spans. */
export function spanOf(list: readonly unknown[]): Tail {
  return { low: list[0], high: list[list.length - 1] };
}

/** The keys of rows with these ids, sorted; a value that cannot be an id is left out. */
export function idsOf(model: EntityModel, values: readonly unknown[]): Bytes[] {
  const ids = new Set(values.map((value) => model.idOf(value)).filter((id) => id !== null));
  return [...ids].toSorted((a, b) => (a < b ? -1 : 1));
}
