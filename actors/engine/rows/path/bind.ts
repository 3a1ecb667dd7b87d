/**
 * Binds a query to a view: its paths over references then read the rows that they lead to, as the asker may see them there. A row that is not
 * there, that is soft-deleted or that its entity's rules hide from the asker counts as absent, and its fields as null. Each row is read once.
 *
 * A condition of the rows that refer to a row is asked of them one by one, until one decides it (rows-test.ts).
 *
 * Where an index has the rows that a predicate asks for, and they are few, the predicate becomes one of the row's own reference
 * (narrow-through.ts), which the planner can use; else the rows are looked up one by one while the query runs.
 */
import { hasFuelForRow } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { admits, type Grant } from '../access.ts';
import { isDeleted, type Slots } from '../codec.ts';
import { failure, type Failure } from '../failure.ts';
import { conjunctionOf } from '../filter.ts';
import { Kept, slotsUnder } from '../follow.ts';
import type { EntityModel, Reference } from '../model.ts';
import { seenValuesOf, throughReferences, type Seen } from '../narrow-through.ts';
import { countIn, isElsewhere, predicatesIn } from '../query.ts';
import type { Alternatives, Conjunction, FarColumn, FarRows, FarValue, Predicate, Query } from '../query.ts';
import { SchemaMoved } from '../schema-moved.ts';
import type { Reader } from '../store.ts';
import { seenOf, type Asker } from './asker.ts';
import { partOf } from './part.ts';
import { RowsTest } from './rows-test.ts';

/** Whether conditions read rows of other entities: what they find then depends on the view, too. */
export function crossesReferences(conditions: Conjunction): boolean {
  return predicatesIn(conditions).some(crosses);
}

export const crosses = ({ at }: Predicate): boolean => at !== undefined && isElsewhere(at);

/** Conditions alone, or a query that has them. */
type Asked = Conjunction & Partial<Pick<Query, 'far'>>;

/** Whether what a query finds, or how it orders and groups it, depends on rows of other entities. */
export function readsElsewhere(query: Query): boolean {
  return query.far.length > 0 || crossesReferences(query);
}

/** 422 for more predicates and columns over references than a query may have, those of rows on the other side included. */
export function crossingFault(asked: Asked): Failure | null {
  const most = limits.data.filterCrossingMax;
  const count = countIn(asked, crosses) + (asked.far?.length ?? 0);
  return count > most ? failure(422, `at most ${most} conditions over references`, { conditions: count, most }) : null;
}

/** The conditions, or a query that has them, bound to the view; itself where it reads no other rows. `deleted`: whether soft-deleted rows are visible. */
export function boundTo<C extends Asked>(
  reader: Reader,
  asker: Asker,
  model: EntityModel,
  conditions: C,
  deleted: boolean,
): C {
  const far = conditions.far ?? [];
  if (far.length === 0 && !crossesReferences(conditions)) return conditions;
  const binding = new Binding(reader, asker, deleted);
  const bound = { ...conditions, ...binding.conjunction(model, conditions) };
  return far.length === 0 ? bound : { ...bound, far: far.map((column) => binding.column(column)) };
}

class Binding implements Seen {
  readonly #reader: Reader;
  readonly #asker: Asker;
  readonly #deleted: boolean;
  readonly #grants = new Map<EntityModel, Grant>();
  readonly #kept: Kept<Slots>;
  left = limits.data.crossingProbesMax;

  constructor(reader: Reader, asker: Asker, deleted: boolean) {
    this.#reader = reader;
    this.#asker = asker;
    this.#deleted = deleted;
    this.#kept = new Kept((over, to, key) => {
      const slots = slotsUnder(over, to, key);
      return slots !== null && this.shows(to, slots) ? slots : null;
    });
  }

  conjunction(model: EntityModel, { where, any }: Conjunction): Conjunction {
    const bound = where.flatMap((one) => this.#predicate(model, one));
    return { where: bound, any: any.map((one) => this.#alternatives(model, one)) };
  }

  column(column: FarColumn): FarColumn {
    const { far } = column;
    return { ...column, far: { ...far, read: (slots) => this.#read(far, slots) } };
  }

  #alternatives(model: EntityModel, { kind, of }: Alternatives): Alternatives {
    return { kind, of: of.map((one) => this.conjunction(model, one)) };
  }

  #predicate(model: EntityModel, predicate: Predicate): Predicate | Predicate[] {
    const { at } = predicate;
    if (at === undefined || !isElsewhere(at)) return predicate;
    if (at.rows !== undefined) return this.#ofRows(model, predicate, at, at.rows);
    return (
      this.#narrowed(model, predicate, at) ?? { ...predicate, at: { ...at, read: (slots) => this.#read(at, slots) } }
    );
  }

  /** Where an index has the rows that are to meet the conditions, the predicate is one of the keys that they refer to; beside it the look, where that is only implied. */
  #ofRows(model: EntityModel, predicate: Predicate, at: FarValue, { of: asked, every, ...to }: FarRows): Predicate[] {
    const { by, over } = to;
    const from = over === undefined ? by.from : over.to;
    for (const read of [by.from, from]) if (read.retired) throw new SchemaMoved(read.name);
    const of = this.conjunction(from, asked);
    const fits = conjunctionOf(from, of);
    const test =
      over === undefined
        ? new RowsTest(this.#reader, by, (slots) => this.shows(from, slots), fits, every)
        : new RowsTest(
            this.#reader,
            by,
            (pair) => this.#linked(over, pair) !== null,
            (pair) => fits(this.#linked(over, pair)!),
            every,
          );
    const read = (slots: Slots): boolean => {
      const found = this.#follow(at.hops, slots);
      return found === null ? every : test.holds(found[at.column.at]);
    };
    const looked: Predicate = { ...predicate, at: { ...at, rows: { ...to, of, every }, read } };
    const isSome = !every && (predicate.op === 'eq') === (predicate.value === true);
    const known = isSome ? this.#referred(model, at, to, of) : null;
    if (known === null) return [looked];
    return crossesReferences(of) ? [known, looked] : [known];
  }

  /** The keys to which the rows that meet the conditions refer, as a predicate; null where no index gives these rows. */
  #referred(model: EntityModel, { hops, column }: FarValue, { by, over }: Ends, of: Conjunction): Predicate | null {
    const near = of.where.filter((one) => !crosses(one));
    const from = over === undefined ? by.from : over.to;
    const holds = conjunctionOf(from, { where: near, any: of.any.filter((one) => !one.of.some(crossesReferences)) });
    for (const one of near) {
      const known = over === undefined ? by.column : from.key;
      const found = one.at === undefined ? seenValuesOf(this.#reader, from, one, holds, known, this) : null;
      const keys = found === null || over === undefined ? found : this.#pairedWith(by, over, found);
      if (keys === null) continue;
      const last = (): Predicate => ({ kind: 'predicate', field: column.name, op: 'in', value: keys });
      return hops.length === 0 ? last() : throughReferences(this.#reader, model, namesOf(hops), last, this);
    }
    return null;
  }

  /**
   * The keys of the rows that are linked with rows of these keys and that count; null where they cannot be listed. Unlike a reference, a pair is not
   * shown, so that a plan with the keys of hidden rows in it would tell how many these are.
   */
  #pairedWith(by: Reference, over: Reference, keys: readonly unknown[]): unknown[] | null {
    const paired: Predicate = { kind: 'predicate', field: over.column.name, op: 'in', value: keys };
    const holds = conjunctionOf(by.from, { where: [paired], any: [] });
    const found = seenValuesOf(this.#reader, by.from, paired, holds, by.column, this);
    const counted: unknown[] = [];
    for (const key of found ?? []) {
      if (!hasFuelForRow()) return null;
      if (this.#kept.get(this.#reader, by.to, key) !== null) counted.push(key);
    }
    return found === null ? null : counted;
  }

  /** The row on the other side of a pair, where it counts. */
  #linked({ column, to }: Reference, pair: Slots): Slots | null {
    return this.#kept.get(this.#reader, to, pair[column.at]);
  }

  /** The same as a predicate of the row's own reference; null where no index gives it. Of an absent row only the test for null holds. */
  #narrowed(model: EntityModel, { op, value }: Predicate, { hops, column, inside }: FarValue): Predicate | null {
    if (inside.length > 0 || (op === 'null' && value === true)) return null;
    const last = (): Predicate => ({ kind: 'predicate', field: column.name, op, value });
    return throughReferences(this.#reader, model, namesOf(hops), last, this);
  }

  #read({ hops, column, inside }: FarValue, slots: Slots): unknown {
    const found = this.#follow(hops, slots);
    if (found === null) return null;
    return inside.length === 0 ? found[column.at] : partOf(found[column.at], inside);
  }

  #follow(hops: readonly Reference[], slots: Slots): Slots | null {
    let found: Slots | null = slots;
    for (const { column, to } of hops) {
      const key: unknown = found[column.at] ?? null;
      if (to.retired) throw new SchemaMoved(to.name);
      found = key === null ? null : this.#kept.get(this.#reader, to, key);
      if (found === null) return null;
    }
    return found;
  }

  /** Pairs of a link count where the rows at both of their ends do. */
  #granted(model: EntityModel): Grant {
    return model.definition.pairsOf === undefined ? seenOf(this.#asker, model, this.#reader) : 'all';
  }

  shows(model: EntityModel, slots: Slots): boolean {
    let grant = this.#grants.get(model);
    if (grant === undefined) this.#grants.set(model, (grant = this.#granted(model)));
    return (this.#deleted || !isDeleted(slots)) && admits(grant, slots);
  }
}

/** Rows that refer to a row, or that are linked with it. */
type Ends = Pick<FarRows, 'by' | 'over'>;

const namesOf = (hops: readonly Reference[]): string[] => hops.map(({ column }) => column.name);
