/**
 * How far the store had come, kept outside of it: a store whose revision is lower was put back from an earlier copy, and what it
 * says of versions, revocations and uses is not true any more (docs/contract/vault.md §5.3: rollback).
 */
export class RolledBack extends Error {}

/** Where the mark is kept: a file beside the store. */
export interface MarkKeeper {
  /** The highest revision that was told; 0 when none was. */
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

  /** The newest revision, where one is known: what every event of the vault carries. */
  get known(): { readonly revision?: number } {
    return this.#mark === 0 ? {} : { revision: this.#mark };
  }

  /** Compares the store's revision with every mark, and gives the highest; `accepted`: an operator says that it was put back on purpose. */
  async check(revision: number, accepted: boolean): Promise<number> {
    const marks = await Promise.all(this.#keepers.map((keeper) => keeper.read()));
    const told = Math.max(this.#mark, ...marks);
    this.#mark = revision;
    this.compare(revision, told, accepted);
    return told;
  }

  /** The store stands at `revision`, and somebody has seen it at `told`. */
  compare(revision: number, told: number, accepted: boolean): void {
    if (revision >= told || accepted) return;
    this.#mark = told;
    this.#why = `the store stands at revision ${revision}, and ${told} was reached before: an earlier copy was put back`;
  }

  /** Throws RolledBack where nothing may be believed. */
  assertNotRolledBack(): void {
    if (this.#why !== null) throw new RolledBack(this.#why);
  }

  /** A commit was made. One below the mark can only come from a store that was put back while it was open. */
  committed(revision: number): void {
    if (revision <= this.#mark) return;
    this.#mark = revision;
    for (const keeper of this.#keepers) keeper.write(revision);
  }
}
