/** Ranges that begin and end at a query's cursors. */
import type { Wanted } from './access-path.ts';
import type { Slots } from './codec.ts';
import { clip, idKey, indexKey, isCut, rowKey, type Bytes, type KeyRange } from './keys/store.ts';
import type { IndexModel } from './model.ts';

/** Begins and ends a range at the query's cursors, unless matches outside of them are counted. */
export function clipIndex(wanted: Wanted, index: IndexModel, values: readonly unknown[], range: KeyRange): KeyRange {
  const { model, fixed, order } = wanted;
  const isOrdered = (name: string): boolean => order.some((term) => term.field === name);
  return clipped(wanted, range, (place) => {
    const slots: Slots = place.slice();
    for (const [i, name] of index.names.entries())
      if (!isOrdered(name)) slots[index.fields[i]!.at] = i < values.length ? values[i] : fixed.get(name);
    return isCut(index, slots) ? null : indexKey(index, slots, idKey(model.key.type, place[model.key.at]));
  });
}

export function clipTable(wanted: Wanted, range: KeyRange): KeyRange {
  const { table, key } = wanted.model;
  return clipped(wanted, range, (place) => rowKey(table, idKey(key.type, place[key.at])));
}

function clipped(wanted: Wanted, range: KeyRange, keyOf: (place: Slots) => Bytes | null): KeyRange {
  const { query, reverse } = wanted;
  if (query.counted) return range;
  const low = reverse ? query.before : query.after;
  const high = reverse ? query.after : query.before;
  const from = low === null || isElsewhere(wanted, low) ? null : keyOf(low);
  const to = high === null || isElsewhere(wanted, high) ? null : keyOf(high);
  const begun = from === null ? range : clip(range, from, 'from');
  return to === null ? begun : clip(begun, to, 'to');
}

/** Whether a cursor holds another value of a fixed field than all matches do: then all of them lie on one side of it, whatever its key. */
function isElsewhere({ model, query, fixed }: Wanted, place: Slots): boolean {
  return query.order.some(({ field }) => {
    const { at, compare } = model.column(field)!;
    return fixed.has(field) && compare!(fixed.get(field), place[at]) !== 0;
  });
}
