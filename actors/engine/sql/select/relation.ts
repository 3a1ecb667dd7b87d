/** A relation of FROM: a table or the rows of a subquery, and the slots in which a select holds its values. */
import type { SqlTable } from '../schema.ts';
import type { Steps, Run, Tuple } from '../run.ts';
import type { SqlType, Value } from '../type.ts';

export interface Output {
  readonly name: string;
  readonly type: SqlType;
  readonly integral: boolean;
  readonly narrow: boolean;
}

/** A value of an outer row that a select reads. */
export interface OuterRead {
  readonly depth: number;
  readonly slot: number;
  readonly type: SqlType;
}

/** A compiled select, as a statement or in a subquery. */
export interface Plan {
  readonly columns: readonly Output[];
  /** Depths of the outer selects whose rows it reads: it is run for each of those rows. Empty for most. */
  readonly outerDepths: ReadonlySet<number>;
  readonly outerReads: ReadonlyMap<string, OuterRead>;
  /** Finds all that does not depend on outer rows, so that `rows` no longer has to wait. */
  prepare(run: Run): Steps<void>;
  rows(run: Run): Steps<Value[][]>;
}

/** A column that the select needs, and its slot. `shown`: as callers see it, masked where it has a mask. */
export interface Need {
  readonly name: string;
  readonly shown: boolean;
  readonly slot: number;
}

export class Relation {
  readonly alias: string;
  /** Null for the rows of a plan. */
  readonly table: SqlTable | null;
  readonly plan: Plan | null;
  readonly columns: readonly Output[];
  /** Its bit among the relations of its select. */
  readonly bit: number;
  readonly needs: Need[] = [];
  /** For a plan that reads rows of the relations before it: their bits, and the depth of the select. */
  lateral: { readonly reads: number; readonly depth: number } | null = null;
  /** Whether its name stands for its only value. */
  isScalar = false;
  readonly #take: () => number;

  constructor(
    alias: string,
    source: SqlTable | Plan,
    columns: readonly Output[],
    index: number,
    takeSlot: () => number,
  ) {
    this.alias = alias;
    this.table = 'key' in source ? source : null;
    this.plan = 'key' in source ? null : source;
    this.columns = columns;
    this.bit = 1 << index;
    this.#take = takeSlot;
  }

  column(name: string): Output | undefined {
    return this.columns.find((column) => column.name === name);
  }

  /** The slot of a column's value. A value that is only shown may be masked; one used in a computation may not. */
  slotOf(name: string, shown: boolean): number {
    const kept = this.needs.find((need) => need.name === name && need.shown === shown);
    if (kept !== undefined) return kept.slot;
    const need = { name, shown, slot: this.#take() };
    this.needs.push(need);
    return need.slot;
  }
}

/** Columns of a select's answer that are columns of tables in its FROM. */
export type Origins = ReadonlyMap<string, { readonly relation: Relation; readonly name: string }>;

export const NO_TUPLE: Tuple = [];
