/** The window functions of a select while it is compiled: its windows, and what each function computes over one of them. */
import type { WindowDef } from 'libpg-query';
import type { Run, Steps, Tuple } from '../run.ts';
import type { OrderItem } from '../select/sort.ts';
import type { Expr } from './expr.ts';

/** The rows of one partition in their order. */
export interface Partition {
  readonly tuples: readonly Tuple[];
  /** By row: the first row of its peers, which are equal in the order; and the row behind the last of them. */
  readonly peersFrom: readonly number[];
  readonly peersTo: readonly number[];
}

export interface WindowFunction {
  /** Puts its value into its slot of each tuple. */
  fill(run: Run, partition: Partition): Steps<void>;
}

export interface Window {
  readonly by: readonly Expr[];
  readonly order: readonly OrderItem[];
  readonly functions: WindowFunction[];
}

export class Windows {
  /** By the form of their partition and order: functions of one window share its sort. */
  readonly #all = new Map<string, Window>();
  /** Those of the WINDOW clause. */
  readonly definitions: ReadonlyMap<string, WindowDef>;

  constructor(definitions: readonly WindowDef[]) {
    this.definitions = new Map(definitions.map((one) => [one.name ?? '', one]));
  }

  /** The window of a form, made at its first use. */
  at(form: string, make: () => Window): Window {
    let known = this.#all.get(form);
    if (known === undefined) this.#all.set(form, (known = make()));
    return known;
  }

  get all(): readonly Window[] {
    return [...this.#all.values()];
  }
}
