/**
 * What a rule says of the rows that references lead to, as a predicate of the rows that refer to them: `row.ticket.requester == x` holds
 * only where `ticket_id` is one of the tickets that the index of `requester` has under x.
 */
import { limits } from '#config/limits.ts';
import { referenceOf } from './follow.ts';
import { indexRange } from './keys/store.ts';
import type { EntityModel, Reference } from './model.ts';
import type { Predicate } from './query.ts';
import { entryId, findRow } from './store.ts';
import type { Reader } from './store.ts';

/**
 * The predicate of the model's rows, over the references, where `last` holds for the row that they lead to. Null where no index gives the
 * rows in between, or where they are more than the ranges that a plan may join: the rule is then asked for each row.
 */
export function throughReferences(
  reader: Reader,
  model: EntityModel,
  fields: readonly string[],
  last: (of: EntityModel) => Predicate | null,
): Predicate | null {
  const hops = hopsOf(model, fields);
  let known = hops === null ? null : last(hops.at(-1)!.to);
  for (const { column, to } of hops?.toReversed() ?? []) {
    const keys = known === null ? null : keysOf(reader, to, known);
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

function valuesOf(op: Predicate['op'], value: unknown): readonly unknown[] | null {
  if (op === 'eq') return [value];
  if (op === 'in') return value as readonly unknown[];
  return op === 'null' && value === true ? [null] : null;
}
