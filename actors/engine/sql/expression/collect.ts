/** Aggregates that keep all their values: lists, JSON arrays and JSON objects. What they keep counts as held until the statement ends. */
import { limits } from '#config/limits.ts';
import { SqlFault } from '../fault.ts';
import type { SqlType, Value } from '../type.ts';
import { explicit } from '../value/cast.ts';
import { jsonOf, measured, type Json } from '../value/json.ts';
import { bounded, burnText, charsOf } from '../value/text-cost.ts';
import type { Kind } from './aggregate-kind.ts';
import type { Accumulator } from './grouping.ts';

type Keep = (chars: number) => void;

/** A value counts as this many characters besides its own. */
const VALUE_CHARS = 4;

/** Counts the characters of all that one aggregate keeps, up to the bound of a value. */
function counting(keep: Keep): (value: Value, more?: number) => void {
  let chars = 0;
  return (value, more = 0) => {
    const held = charsOf(value) + VALUE_CHARS + more;
    chars += held;
    if (chars > limits.sql.charsMax * VALUE_CHARS) bounded(chars);
    burnText(held);
    keep(held);
  };
}

/** All values in a list; null where there are none. */
export function collected(keep: Keep, made: (value: Value) => Value): Accumulator {
  const count = counting(keep);
  const list: Value[] = [];
  return {
    add(value) {
      const kept = made(value);
      count(kept);
      list.push(kept);
    },
    // A window shows the list while it grows.
    value: () => (list.length === 0 ? null : list.slice()),
  };
}

const json = (): SqlType => 'json';

export const JSON_ARRAY: Kind = {
  gives: json,
  begin(type, { keep }) {
    const made = jsonOf(type);
    return collected(keep, (one) => measured(made(one)));
  },
  takesNull: true,
  isOrdered: true,
};

export const JSON_OBJECT: Kind = {
  gives: json,
  begin: (type, { keep }, second) => named(type, second, keep),
  second: 'any',
  takesNull: true,
};

/** An object of names and values; of two equal names the later one counts. */
function named(type: SqlType, second: SqlType, keep: Keep): Accumulator {
  const count = counting(keep);
  const nameOf = explicit(type, 'text')!;
  const made = jsonOf(second);
  const entries = new Map<string, Json>();
  return {
    add(key, value) {
      if (key === null) throw new SqlFault('field name must not be null');
      const name = nameOf(key) as string;
      const kept = measured(made(value));
      count(kept, name.length);
      entries.set(name, kept);
    },
    value: () => (entries.size === 0 ? null : Object.fromEntries(entries)),
  };
}
