/** What a run of a statement looked at: each table that it read, how its rows were found, and how many. */
import { limits } from '#config/limits.ts';

export interface Look {
  readonly entity: string;
  /** As `stats` of a list has it. */
  readonly plan: Readonly<Record<string, unknown>>;
  /** How often this was done: a join looks up its rows in batches. */
  times: number;
  /** Rows that were looked at to find the others. */
  looked: number;
  found: number;
}

/** The looks of one run, those that are alike as one. */
export class Looks {
  readonly #looks = new Map<string, Look>();

  /** Begins anew: a read that did not fit into its turn is run again. */
  clear(): void {
    this.#looks.clear();
  }

  note(entity: string, plan: Readonly<Record<string, unknown>>, looked: number, found: number): void {
    const key = `${entity} ${JSON.stringify(plan)}`;
    const known = this.#looks.get(key);
    if (known === undefined) {
      if (this.#looks.size < limits.sql.looksMax) this.#looks.set(key, { entity, plan, times: 1, looked, found });
      return;
    }
    known.times++;
    known.looked += looked;
    known.found += found;
  }

  /** In the order in which they began. */
  all(): readonly Look[] {
    return [...this.#looks.values()];
  }
}
