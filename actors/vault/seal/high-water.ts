/**
 * The highest revision of the store, kept outside of it. A store with a lower revision was rolled back to an earlier copy: its versions,
 * revocations and uses are no longer true (docs/contract/vault.md §5.3: rollback).
 */
export class RolledBack extends Error {}

/** Stores the mark: in a file beside the store. */
export interface MarkKeeper {
  /** The highest recorded revision; 0 when none was recorded. */
  read(): Promise<number>;
  write(revision: number): void;
}

export class HighWater {
  readonly #keepers: readonly MarkKeeper[];
  #mark = 0;
  #why: string | null = null;

  constructor(keepers: readonly MarkKeeper[]) {
    this.#keepers = keepers;
  }

  /** Why the store counts as rolled back, or null. */
  get why(): string | null {
    return this.#why;
  }

  /** The newest known revision: every event of the vault carries it. */
  get known(): { readonly revision?: number } {
    return this.#mark === 0 ? {} : { revision: this.#mark };
  }

  /** Compares the store's revision with every mark and gives the highest; `accepted`: an operator confirms that the rollback was on purpose. */
  async check(revision: number, accepted: boolean): Promise<number> {
    const marks = await Promise.all(this.#keepers.map((keeper) => keeper.read()));
    const highest = Math.max(this.#mark, ...marks);
    this.#mark = revision;
    this.compare(revision, highest, accepted);
    return highest;
  }

  /** The store is at `revision`, and `seen` was reached before. */
  compare(revision: number, seen: number, accepted: boolean): void {
    if (revision >= seen || accepted) return;
    this.#mark = seen;
    this.#why = `the store is at revision ${revision}, and revision ${seen} was reached before: an earlier copy was put back`;
  }

  /** Throws RolledBack while the store is rolled back. */
  assertNotRolledBack(): void {
    if (this.#why !== null) throw new RolledBack(this.#why);
  }

  /** Records the revision of a commit. A lower one than the mark means that the store was rolled back while it was open. */
  committed(revision: number): void {
    if (revision <= this.#mark) return;
    this.#mark = revision;
    for (const keeper of this.#keepers) keeper.write(revision);
  }
}
