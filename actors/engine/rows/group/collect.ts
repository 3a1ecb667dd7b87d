/** Groups of rows: their common values, and the aggregates of each group. */
import { hasFuelForRow } from '#actors/kit/pace/fuel.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { TypeRow } from '#config/values/type-row.ts';
import { limits } from '#config/limits.ts';
import { candidatesOf } from '../candidates.ts';
import type { Slots } from '../codec.ts';
import { failure } from '../failure.ts';
import type { Failure } from '../failure.ts';
import { filterOf, testOf } from '../filter.ts';
import type { Admits } from '../filter.ts';
import type { Column, EntityModel } from '../model.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { Plan } from '../access-path.ts';
import type { Aggregate, Grouping, Query } from '../query.ts';
import type { Reader } from '../store.ts';
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
      if (!growing.add(row.slots)) return tooManyGroups();
    }
  } finally {
    candidates.end();
  }
  return pageOf(model, query, grouping, growing.groups());
}

class GrowingGroups {
  readonly #model: EntityModel;
  readonly #grouping: Grouping;
  readonly #columns: readonly Column[];
  readonly #forms: readonly TypeRow['sameForm'][];
  readonly #byKey = new Map<string, Growing>();

  constructor(model: EntityModel, grouping: Grouping) {
    this.#model = model;
    this.#grouping = grouping;
    this.#columns = grouping.by.map((name) => model.column(name)!);
    this.#forms = this.#columns.map(({ type }) => FIELD_TYPES[type].sameForm);
  }

  /** False when there would be too many groups. */
  add(slots: Slots): boolean {
    const by = this.#columns.map((column) => slots[column.at]);
    const key = JSON.stringify(by.map((value, i) => sameForm(this.#forms[i]!, value)));
    let group = this.#byKey.get(key);
    if (group === undefined) {
      if (this.#byKey.size === limits.data.groupsMax) return false;
      group = { by, tallies: this.#grouping.aggregates.map((aggregate) => tallyOf(this.#model, aggregate)) };
      this.#byKey.set(key, group);
    }
    for (const tally of group.tallies) tally.add(slots);
    return true;
  }

  groups(): Group[] {
    return [...this.#byKey.values()].map(({ by, tallies }) => [...by, ...tallies.map((tally) => tally.value())]);
  }
}

/** Decimals of one value may be written at different scales: `1.5` and `1.50` are one group. */
function sameForm(form: TypeRow['sameForm'], value: unknown): unknown {
  return form !== null && typeof value === 'string' ? form(value) : value;
}

/** An aggregate. `count` counts nulls, the others ignore them; without any value they give null, as in SQL. */
function tallyOf(model: EntityModel, { of, field }: Aggregate): Tally {
  let count = 0;
  if (field === null) return { add: () => void count++, value: () => count };
  const { at, type, compare } = model.column(field)!;
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
  const terms = [...named, ...by.map((field) => ({ ...columns.get(field)!, sign: 1 }))];
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
