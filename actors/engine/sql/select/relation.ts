/** What stands in FROM: a table or rows that a subquery gives, and the slots in which a select holds its values. */
import type { SqlTable } from '../schema.ts';
import type { Steps, Run, Tuple } from '../run.ts';
import type { SqlType, Value } from '../type.ts';

export interface Output {
  readonly name: string;
  readonly type: SqlType;
  readonly integral: boolean;
  readonly narrow: boolean;
}

/** Something that gives rows: a select, in a subquery or on its own. */
export interface Plan {
  readonly columns: readonly Output[];
  /** How deep the selects lie whose rows it reads: it is run for each of those rows. Empty for most. */
  readonly outerDepths: ReadonlySet<number>;
  /** Finds all that does not depend on the rows around it, so that `rows` need not wait any more. */
  prepare(run: Run): Steps<void>;
  rows(run: Run): Steps<Value[][]>;
}

/** A column that the select needs, and where it puts it. `shown`: as callers see it, masked where it has a mask. */
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

  /** The slot of a column's value. A value that is only shown may be masked, one that is computed with may not. */
  slotOf(name: string, shown: boolean): number {
    const kept = this.needs.find((need) => need.name === name && need.shown === shown);
    if (kept !== undefined) return kept.slot;
    const need = { name, shown, slot: this.#take() };
    this.needs.push(need);
    return need.slot;
  }
}

export const NO_TUPLE: Tuple = [];
