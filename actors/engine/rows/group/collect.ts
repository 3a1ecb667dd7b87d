/** Groups of rows: their common values, and the aggregates of each group. */
import { hasFuelForRow } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { candidatesOf } from '../candidates.ts';
import type { Slots } from '../codec.ts';
import { failure, type Failure } from '../failure.ts';
import { columnOf, filterOf, type Admits } from '../filter.ts';
import type { Column, EntityModel } from '../model.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { Plan } from '../access-path.ts';
import { testOf } from '../predicate-test.ts';
import type { Aggregate, GroupKey, Grouping, Query } from '../query.ts';
import type { Reader } from '../store.ts';
import { bucketOf } from './bucket.ts';
import { Distinct, formOf } from './distinct.ts';
import { sumOf } from './number.ts';
import { groupColumns } from './parse.ts';

const STRIDE = 16;

/** One group: the values it is grouped by, then its aggregates. */
export type Group = readonly unknown[];

export interface Groups {
  readonly kind: 'groups';
  readonly groups: readonly Group[];
  /** The number of all groups. */
  readonly total: number;
  readonly more: boolean;
}

interface Tally {
  add(slots: Slots): void;
  value(): unknown;
}

interface Growing {
  readonly by: readonly unknown[];
  readonly tallies: readonly Tally[];
}

/** One page of the groups of a query's matches, filtered by `having` and ordered, by default by the columns of `groupby`. 422 past the bound of groups. */
export function* collectGroups(
  reader: Reader,
  pace: Budget,
  model: EntityModel,
  query: Query,
  grouping: Grouping,
  plan: Plan,
  visible: Admits | null,
): Steps<Groups | Failure> {
  const filter = filterOf(model, query);
  const growing = new GrowingGroups(model, grouping);
  const admits: Admits = visible === null ? filter : (slots) => filter(slots) && visible(slots);
  const candidates = candidatesOf(reader, model, query, plan, admits);
  try {
    for (let seen = 1; ; seen++) {
      const row = candidates.next();
      if (row === undefined) break;
      if ((seen % STRIDE === 0 || !hasFuelForRow()) && pace.spend(STRIDE)) yield;
      if (row === null || !admits(row.slots)) continue;
      const full = growing.add(row.slots);
      if (full !== null) return full;
    }
  } finally {
    candidates.end();
  }
  return pageOf(model, query, grouping, growing.groups());
}

class GrowingGroups {
  readonly #model: EntityModel;
  readonly #grouping: Grouping;
  readonly #keys: readonly Part[];
  readonly #byKey = new Map<string, Growing>();
  /** How many more distinct values may be kept, in all groups. */
  readonly #room = { left: limits.data.distinctValuesMax };

  constructor(model: EntityModel, grouping: Grouping) {
    this.#model = model;
    this.#grouping = grouping;
    this.#keys = grouping.by.map((key) => partOf(model, key));
    if (grouping.by.length === 0) this.#begin('[]', []);
  }

  /** 422 when there would be too many groups, or too many distinct values. */
  add(slots: Slots): Failure | null {
    const by = this.#keys.map(({ value }) => value(slots));
    const key = JSON.stringify(by.map((value, i) => this.#keys[i]!.form(value)));
    let group = this.#byKey.get(key);
    if (group === undefined) {
      if (this.#byKey.size === limits.data.groupsMax) return tooManyGroups();
      group = this.#begin(key, by);
    }
    for (const tally of group.tallies) tally.add(slots);
    return this.#room.left < 0 ? tooManyValues() : null;
  }

  #begin(key: string, by: readonly unknown[]): Growing {
    const tallies = this.#grouping.aggregates.map((aggregate) => tallyOf(this.#model, aggregate, this.#room));
    const group: Growing = { by, tallies };
    this.#byKey.set(key, group);
    return group;
  }

  groups(): Group[] {
    return [...this.#byKey.values()].map(({ by, tallies }) => [...by, ...tallies.map((tally) => tally.value())]);
  }
}

/** How one key of a group is read from a row, and the form that equal values of it have in common. */
interface Part {
  readonly value: (slots: Slots) => unknown;
  readonly form: (value: unknown) => unknown;
}

function partOf(model: EntityModel, key: GroupKey): Part {
  const { bucket } = key;
  const column = columnOf(model, key);
  const { at } = column;
  if (bucket === null) return { value: (slots) => slots[at], form: formOf(column) };
  const cut = bucketOf(bucket, column);
  return { value: (slots) => cut(slots[at]), form: (value) => value };
}

/** An aggregate. `count` counts rows, the others ignore nulls; without any value they give null, and counts 0, as in SQL. */
function tallyOf(model: EntityModel, { of, field, column: far }: Aggregate, room: { left: number }): Tally {
  let count = 0;
  if (field === null) return { add: () => void count++, value: () => count };
  const column = far ?? model.column(field)!;
  const { at, type, compare } = column;
  if (of === 'count') return { add: ({ [at]: value }) => void (value !== null && count++), value: () => count };
  if (of === 'count_distinct') return new Distinct(column, room);
  if (of === 'min' || of === 'max') {
    const sign = of === 'min' ? -1 : 1;
    let best: unknown = null;
    const add = ({ [at]: value }: Slots): void => {
      if (value !== null && (best === null || sign * compare!(value, best) > 0)) best = value;
    };
    return { add, value: () => best };
  }
  const sum = sumOf(type);
  const add = ({ [at]: value }: Slots): void => {
    if (value === null) return;
    count++;
    sum.add(value);
  };
  return { add, value: () => (count === 0 ? null : of === 'sum' ? sum.value() : sum.near() / count) };
}

function pageOf(model: EntityModel, { limit, offset }: Query, grouping: Grouping, all: readonly Group[]): Groups {
  const columns = groupColumns(model, grouping.by, grouping.aggregates);
  const tests = grouping.having.map((predicate) => {
    const { at, compare } = columns.get(predicate.field)!;
    const test = testOf(predicate, compare);
    return (group: Group) => test(group[at]);
  });
  const groups = all.filter((group) => tests.every((test) => test(group))).sort(comparing(grouping, columns));
  const end = offset + limit;
  return { kind: 'groups', groups: groups.slice(offset, end), total: groups.length, more: groups.length > end };
}

function comparing({ by, order }: Grouping, columns: ReadonlyMap<string, Column>): (a: Group, b: Group) => number {
  const named = order.map(({ field, descending }) => ({ ...columns.get(field)!, sign: descending ? -1 : 1 }));
  const terms = [...named, ...by.map(({ name }) => ({ ...columns.get(name)!, sign: 1 }))];
  return (a, b) => {
    for (const { at, compare, sign } of terms) {
      const difference = sign * compare!(a[at], b[at]);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function tooManyGroups(): Failure {
  const most = limits.data.groupsMax;
  return failure(422, `these are more than ${most} groups: filter more`, { parameter: 'groupby', most });
}

function tooManyValues(): Failure {
  const most = limits.data.distinctValuesMax;
  return failure(422, `these are more than ${most} distinct values: filter more`, {
    parameter: 'count_distinct',
    most,
  });
}
