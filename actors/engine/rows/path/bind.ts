/**
 * Binds a query to a view: its paths over references then read the rows that they lead to, as the asker may see them there. A row that is not
 * there, that is soft-deleted or that its entity's rules hide from the asker counts as absent, and its fields as null. Each row is read once.
 *
 * Where an index has the rows that a predicate asks for, and they are few, the predicate becomes one of the row's own reference
 * (narrow-through.ts), which the planner can use; else the rows are looked up one by one while the query runs.
 */
import { limits } from '#config/limits.ts';
import { admits } from '../access.ts';
import type { Grant } from '../access.ts';
import { isDeleted } from '../codec.ts';
import type { Slots } from '../codec.ts';
import { failure } from '../failure.ts';
import type { Failure } from '../failure.ts';
import { Kept, slotsUnder } from '../follow.ts';
import type { EntityModel, Reference } from '../model.ts';
import { throughReferences } from '../narrow-through.ts';
import type { Seen } from '../narrow-through.ts';
import { predicatesIn } from '../query.ts';
import type { Alternatives, Conjunction, FarValue, Predicate } from '../query.ts';
import { SchemaMoved } from '../schema-moved.ts';
import type { Reader } from '../store.ts';
import { seenOf } from './asker.ts';
import type { Asker } from './asker.ts';
import { partOf } from './part.ts';

/** Whether conditions read rows of other entities: what they find then depends on the view, too. */
export function crossesReferences(conditions: Conjunction): boolean {
  return predicatesIn(conditions).some(crosses);
}

const crosses = ({ at }: Predicate): boolean => at !== undefined && at.hops.length > 0;

/** 422 for more predicates over references than a query may have. */
export function crossingFault(conditions: Conjunction): Failure | null {
  const most = limits.data.filterCrossingMax;
  const count = predicatesIn(conditions).filter(crosses).length;
  return count > most ? failure(422, `at most ${most} conditions over references`, { conditions: count, most }) : null;
}

/** The conditions, or a query that has them, bound to the view; itself where it reads no other rows. `deleted`: whether soft-deleted rows are visible. */
export function boundTo<C extends Conjunction>(
  reader: Reader,
  asker: Asker,
  model: EntityModel,
  conditions: C,
  deleted: boolean,
): C {
  if (!crossesReferences(conditions)) return conditions;
  return { ...conditions, ...new Binding(reader, asker, model, deleted).conjunction(conditions) };
}

class Binding implements Seen {
  readonly #reader: Reader;
  readonly #asker: Asker;
  readonly #model: EntityModel;
  readonly #deleted: boolean;
  readonly #grants = new Map<EntityModel, Grant>();
  readonly #kept: Kept<Slots>;
  left = limits.data.crossingProbesMax;

  constructor(reader: Reader, asker: Asker, model: EntityModel, deleted: boolean) {
    this.#reader = reader;
    this.#asker = asker;
    this.#model = model;
    this.#deleted = deleted;
    this.#kept = new Kept((over, to, key) => {
      const slots = slotsUnder(over, to, key);
      return slots !== null && this.shows(to, slots) ? slots : null;
    });
  }

  conjunction({ where, any }: Conjunction): Conjunction {
    return { where: where.map((one) => this.#predicate(one)), any: any.map((one) => this.#alternatives(one)) };
  }

  #alternatives({ kind, of }: Alternatives): Alternatives {
    return { kind, of: of.map((one) => this.conjunction(one)) };
  }

  #predicate(predicate: Predicate): Predicate {
    const { at } = predicate;
    if (at === undefined || at.hops.length === 0) return predicate;
    return this.#narrowed(predicate, at) ?? { ...predicate, at: { ...at, read: (slots) => this.#read(at, slots) } };
  }

  /** The same as a predicate of the row's own reference; null where no index gives it. Of an absent row only the test for null holds. */
  #narrowed({ op, value }: Predicate, { hops, column, inside }: FarValue): Predicate | null {
    if (inside.length > 0 || (op === 'null' && value === true)) return null;
    const fields = hops.map((hop) => hop.column.name);
    const last = (): Predicate => ({ kind: 'predicate', field: column.name, op, value });
    return throughReferences(this.#reader, this.#model, fields, last, this);
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

  shows(model: EntityModel, slots: Slots): boolean {
    let grant = this.#grants.get(model);
    if (grant === undefined) this.#grants.set(model, (grant = seenOf(this.#asker, model, this.#reader)));
    return (this.#deleted || !isDeleted(slots)) && admits(grant, slots);
  }
}
