/** How many of something each caller holds open. */
import type { Call } from '#actors/host/call.ts';

export class PerOwner {
  readonly #counts = new Map<string, number>();

  count(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }

  add(owner: string): void {
    this.#counts.set(owner, this.count(owner) + 1);
  }

  remove(owner: string): void {
    const left = this.count(owner) - 1;
    if (left > 0) this.#counts.set(owner, left);
    else this.#counts.delete(owner);
  }
}

/** Which caller it counts to. */
export function ownerOf(call: Call): string {
  const { type, subject } = call.principal!;
  return `${type} ${subject}`;
}
