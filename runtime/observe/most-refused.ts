/**
 * Which tenants were refused most, in a table of fixed size: Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams" (2005),
 * Space-Saving. A tenant without a place takes that of the least refused one, with its count, so a count is never too low, and one that was refused more often than
 * all of the table's size together is always there.
 */
interface Counted {
  refused: number;
  /** The count that came with the place: `refused` is too high by at most this. */
  readonly over: number;
}

export interface RefusedTenant extends Readonly<Counted> {
  readonly no: number;
}

export class MostRefused {
  readonly #max: number;
  readonly #tenants = new Map<number, Counted>();

  /** `max`: tenants that have a place. */
  constructor(max: number) {
    this.#max = max;
  }

  count(tenantNo: number): void {
    const known = this.#tenants.get(tenantNo);
    if (known !== undefined) {
      known.refused++;
      return;
    }
    const over = this.#tenants.size < this.#max ? 0 : this.#giveUpLeast();
    this.#tenants.set(tenantNo, { refused: over + 1, over });
  }

  /** So many, most refused first. */
  list(most: number): RefusedTenant[] {
    return Array.from(this.#tenants, ([no, { refused, over }]) => ({ no, refused, over }))
      .sort((a, b) => b.refused - a.refused)
      .slice(0, most);
  }

  #giveUpLeast(): number {
    let [least, leastNo] = [Number.POSITIVE_INFINITY, -1];
    for (const [no, { refused }] of this.#tenants) if (refused < least) [least, leastNo] = [refused, no];
    this.#tenants.delete(leastNo);
    return least;
  }
}
