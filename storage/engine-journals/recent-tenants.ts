/** The tenants whose records came last through a log that is followed: a node that takes the log over expects their callers first. */
import type { Bytes } from '../port.ts';

/** Of a key: the number of its tenant (storage/archive.ts). */
const TENANT_BYTES = 4;

export class RecentTenants {
  readonly #max: number;
  /** Oldest first. */
  readonly #prefixes = new Set<Bytes>();

  /** `max`: the others are forgotten. */
  constructor(max: number) {
    this.#max = max;
  }

  /** A record came that writes this key. */
  saw(key: Bytes): void {
    const prefix = key.slice(0, TENANT_BYTES);
    this.#prefixes.delete(prefix);
    this.#prefixes.add(prefix);
    if (this.#prefixes.size <= this.#max) return;
    const [oldest] = this.#prefixes;
    this.#prefixes.delete(oldest!);
  }

  /** Their numbers, newest first. */
  get nos(): readonly number[] {
    return [...this.#prefixes].toReversed().map((prefix) => Buffer.from(prefix, 'latin1').readUInt32BE());
  }
}
