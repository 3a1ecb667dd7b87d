/** The value of a materialized field: a fold over the live rows that refer to its row, found by the index of the reference. */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Feed } from '../rows/model.ts';
import { isDeleted, type Slots } from '../rows/codec.ts';
import { sumOf } from '../rows/group/number.ts';
import { indexRange, tableRange } from '../rows/keys/store.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { entryId, getSlots, type Entry, type Reader } from '../rows/store.ts';

/** Why a value could not be computed. */
export class Uncomputed extends Error {}

/** The value as the field stores it, in steps within the budget. Throws Uncomputed. */
export function* compute(feed: Feed, rowId: string | number, reader: Reader, pace: Budget): Steps<unknown> {
  const { source, by } = feed;
  const fold = foldOf(feed);
  const index = source.indexes.find(({ names }) => names[0] === by.name);
  const range = index === undefined ? tableRange(source.table) : indexRange(index, [rowId]);
  for (const entry of reader.range(range.from, range.to)) {
    const slots = rowOf(feed, reader, entry, index !== undefined);
    if (slots !== undefined && slots[by.at] === rowId && !isDeleted(slots)) fold.add(slots);
    if (pace.spend(1)) yield;
  }
  return stored(feed, fold.value());
}

/** The row of an entry, which the caller must check: a range of the index may also hold other rows. */
function rowOf({ source }: Feed, reader: Reader, entry: Entry, isIndex: boolean): Slots | undefined {
  return isIndex ? getSlots(reader, source, entryId(entry)) : source.decode(entry.value).slots;
}

function stored({ column }: Feed, value: unknown): unknown {
  if (value === null) return null;
  const taken = FIELD_TYPES[column.type].of(value);
  if (taken === undefined) throw new Uncomputed(`${JSON.stringify(value)} is no ${column.type}`);
  return taken;
}

interface Fold {
  add(slots: Slots): void;
  value(): unknown;
}

function foldOf(feed: Feed): Fold {
  const { value, of } = feed;
  if (value === 'cel') return celFold(feed);
  if (value === 'sum') return sumFold(feed, of!.at);
  if (value !== 'count') return extremeFold(of!.at, of!.compare!, value === 'min' ? -1 : 1);
  let count = 0;
  return { add: () => void count++, value: () => count };
}

function sumFold({ column }: Feed, at: number): Fold {
  const sum = sumOf(column.type);
  return { add: ({ [at]: value }) => void (value !== null && sum.add(value)), value: () => sum.value() };
}

function extremeFold(at: number, compare: (a: unknown, b: unknown) => number, sign: 1 | -1): Fold {
  let best: unknown = null;
  const add = ({ [at]: value }: Slots): void => {
    if (value !== null && (best === null || sign * compare(value, best) > 0)) best = value;
  };
  return { add, value: () => best };
}

/** Sums the results of the expression: numbers, and true as 1, so that a condition counts rows. */
function celFold({ source, expression }: Feed): Fold {
  let sum = 0;
  const add = (slots: Slots): void => {
    sum += numberOf(valueOf(source.shape(slots)));
  };
  const valueOf = (row: object): unknown => {
    try {
      return expression!(row);
    } catch (error) {
      throw new Uncomputed(`the expression fails: ${(error as Error).message}`, { cause: error });
    }
  };
  return { add, value: () => sum };
}

function numberOf(value: unknown): number {
  if (typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number') {
    const number = Number(value);
    if (Number.isFinite(number)) return number;
  }
  throw new Uncomputed('the expression gives neither a number nor true or false');
}
