/**
 * How many of something run at once, for owners that share a thread. One owner has at most `perOwner` of them. The shared places go to
 * the first that ask. An owner that has none always gets one, so that what others hold never refuses an owner's first.
 */
export interface FairMost {
  readonly shared: number;
  readonly perOwner: number;
}

export class FairBound<Owner> {
  readonly #most: FairMost;
  readonly #held = new Map<Owner, number>();
  #taken = 0;

  constructor(most: FairMost) {
    this.#most = most;
  }

  /** False when the owner has as many as it may; after true the caller must give its place back. */
  take(owner: Owner): boolean {
    const held = this.#held.get(owner) ?? 0;
    if (held > 0 && (held >= this.#most.perOwner || this.#taken >= this.#most.shared)) return false;
    this.#held.set(owner, held + 1);
    this.#taken++;
    return true;
  }

  give(owner: Owner): void {
    const held = this.#held.get(owner) ?? 0;
    if (held > 1) this.#held.set(owner, held - 1);
    else this.#held.delete(owner);
    this.#taken--;
  }
}
