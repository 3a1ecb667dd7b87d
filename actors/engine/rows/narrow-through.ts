/**
 * What a rule says of the rows that references lead to, as a predicate of the rows that refer to them: `row.ticket.requester == x` holds
 * only where `ticket_id` is one of the tickets that the index of `requester` has under x.
 */
import { burn, hasFuelForRow } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { referenceOf } from './follow.ts';
import type { Slots } from './codec.ts';
import { tailOf } from './conditions.ts';
import { conjunctionOf, type Admits } from './filter.ts';
import { indexRange, indexTailRange, type Bytes, type KeyRange } from './keys/store.ts';
import type { Column, EntityModel, Reference } from './model.ts';
import type { Predicate } from './query.ts';
import { SchemaMoved } from './schema-moved.ts';
import { entryId, findRow, type Reader } from './store.ts';

/** What of the rows in between counts. A predicate that is made with it is exact, not only implied. */
export interface Seen {
  shows(model: EntityModel, slots: Slots): boolean;
  /** How many more entries of indexes may be looked at. */
  left: number;
}

/**
 * The predicate of the model's rows, over the references, where `last` holds for the row that they lead to. Null where no index gives the
 * rows in between, or where they are more than the ranges that a plan may join: the rule is then asked for each row.
 */
export function throughReferences(
  reader: Reader,
  model: EntityModel,
  fields: readonly string[],
  last: (of: EntityModel) => Predicate | null,
  seen: Seen | null = null,
): Predicate | null {
  const hops = hopsOf(model, fields);
  let known = hops === null ? null : last(hops.at(-1)!.to);
  for (const { column, to } of hops?.toReversed() ?? []) {
    const keys =
      known === null ? null : seen === null ? keysOf(reader, to, known) : seenKeysOf(reader, to, known, seen);
    known = keys === null ? null : { kind: 'predicate', field: column.name, op: 'in', value: keys };
  }
  return known;
}

function hopsOf(model: EntityModel, fields: readonly string[]): Reference[] | null {
  const hops: Reference[] = [];
  let at = model;
  for (const field of fields) {
    const reference = referenceOf(at, field);
    if (reference === undefined || reference.column.compare === null) return null;
    hops.push(reference);
    at = reference.to;
  }
  return hops;
}

/** The keys of the rows for which a predicate of one field may hold; null where they cannot be listed. */
function keysOf(reader: Reader, model: EntityModel, { field, op, value }: Predicate): unknown[] | null {
  const most = limits.data.planRangesMax;
  const values = valuesOf(op, value);
  if (values === null || values.length > most) return null;
  if (field === model.key.name) return [...values];
  const index = model.indexes.find(({ names }) => names[0] === field);
  if (index === undefined) return null;
  const keys = new Set<unknown>();
  let seen = 0;
  for (const one of values) {
    const range = indexRange(index, [one]);
    for (const entry of reader.range(range.from, range.to)) {
      // A row that cannot be read gives the rule no answer either.
      const slots = findRow(reader, model, entryId(entry))?.slots;
      if (slots !== undefined) keys.add(slots[model.key.at]);
      if (++seen > most) return null;
    }
  }
  return [...keys];
}

/** The keys of exactly the rows that count and for which a predicate of one field holds; null where they cannot be listed. */
function seenKeysOf(reader: Reader, model: EntityModel, predicate: Predicate, seen: Seen): unknown[] | null {
  if (model.retired) throw new SchemaMoved(model.name);
  const holds = conjunctionOf(model, { where: [predicate], any: [] });
  return seenValuesOf(reader, model, predicate, holds, model.key, seen);
}

/** The values in a column of exactly the rows that count and for which `holds`, by an index of one of its predicates; null where they cannot be listed. */
export function seenValuesOf(
  reader: Reader,
  model: EntityModel,
  predicate: Predicate,
  holds: Admits,
  { at }: Column,
  seen: Seen,
): unknown[] | null {
  const values = new Set<unknown>();
  let found = 0;
  for (const id of idsFor(reader, model, predicate) ?? [null]) {
    if (id === null || --seen.left < 0 || ++found > limits.data.planRangesMax || !hasFuelForRow()) return null;
    burn(limits.rules.followUnits + model.columns.length);
    const slots = findRow(reader, model, id)?.slots;
    if (slots !== undefined && holds(slots) && seen.shows(model, slots) && slots[at] !== null) values.add(slots[at]);
  }
  return [...values];
}

/** The ids of the rows for which a predicate may hold, by their key or by an index; null where neither gives them. */
function idsFor(reader: Reader, model: EntityModel, predicate: Predicate): Iterable<Bytes> | null {
  const { field, op, value } = predicate;
  const values = valuesOf(op, value);
  if (values !== null && values.length > limits.data.planRangesMax) return null;
  if (field === model.key.name) return values === null ? null : values.flatMap((one) => model.idOf(one) ?? []);
  const index = model.indexes.find(({ names }) => names[0] === field);
  if (index === undefined) return null;
  const tail = values === null ? tailOf(op, value, model.column(field)!.type) : null;
  if (values === null && tail === null) return null;
  const ranges = tail === null ? values!.map((one) => indexRange(index, [one])) : [indexTailRange(index, [], tail)];
  return entriesOf(reader, ranges);
}

function* entriesOf(reader: Reader, ranges: readonly KeyRange[]): Generator<Bytes> {
  for (const { from, to } of ranges) for (const entry of reader.range(from, to)) yield entryId(entry);
}

function valuesOf(op: Predicate['op'], value: unknown): readonly unknown[] | null {
  if (op === 'eq') return [value];
  if (op === 'in') return value as readonly unknown[];
  return op === 'null' && value === true ? [null] : null;
}
