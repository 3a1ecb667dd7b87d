/** The groups of a select while it is compiled: its aggregates, and the columns that may be used beside them. */
import { formOf } from '../node.ts';
import type { Relation } from '../select/relation.ts';
import type { OrderItem } from '../select/sort.ts';
import type { Value } from '../type.ts';
import type { Expr } from './expr.ts';

/** Aggregates the values of one group; it is given a null only where its kind takes it. */
export interface Accumulator {
  /** `second`: the value of the second argument, null where there is none. */
  add(value: Value, second: Value): void;
  /** Its result so far; values may be added afterwards. */
  value(): Value;
}

/** The surroundings of an accumulator: the count of characters that it keeps or releases. */
export interface Around {
  readonly keep: (chars: number) => void;
}

export interface Aggregate {
  readonly slot: number;
  /** The argument; null for `count(*)`. */
  readonly arg: Expr | null;
  readonly second: Expr | null;
  readonly distinct: boolean;
  /** Rows for which it does not hold are left out; null for none. */
  readonly filter: Expr | null;
  readonly takesNull: boolean;
  /** The order in which it is given its values; null where none is asked for. */
  readonly order: readonly OrderItem[] | null;
  readonly begin: (around: Around) => Accumulator;
}

export class Aggregation {
  readonly aggregates: Aggregate[] = [];
  /** Expressions of GROUP BY, by their key (`formOf`). */
  readonly #forms = new Set<string>();
  readonly #columns = new Map<Relation, Set<string>>();
  group(node: unknown, expr: Expr): void {
    this.#forms.add(formOf(node));
    const { column } = expr;
    if (column === undefined) return;
    const names = this.#columns.get(column.relation) ?? new Set();
    this.#columns.set(column.relation, names.add(column.name));
  }

  isGrouped(node: unknown): boolean {
    return this.#forms.has(formOf(node));
  }

  /** Whether a column has one value in each group: it, or the key of its row, is grouped by. */
  admits(relation: Relation, name: string): boolean {
    const names = this.#columns.get(relation);
    return names !== undefined && (names.has(name) || (relation.table !== null && names.has(relation.table.key)));
  }
}
