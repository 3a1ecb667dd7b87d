/**
 * What the BFF stores: nothing on the disk. Answers are kept in memory for the principal that got them: for `cache` as long as it says, for
 * `stale` longer. Bounded; the oldest is dropped first.
 */
import { limits } from '#config/limits.ts';

export interface Kept {
  readonly value: unknown;
  readonly chars: number;
  /** Newest journal number that it shows: a reply with it waits until that is durable. */
  readonly seen: number;
}

interface Entry extends Kept {
  readonly atMs: number;
}

export class KeptAnswers {
  readonly #entries = new Map<string, Entry>();
  #chars = 0;

  get(key: string, nowMs: number, ageMsMax: number): Kept | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && nowMs - entry.atMs < ageMsMax ? entry : undefined;
  }

  set(key: string, kept: Kept, nowMs: number): void {
    this.#drop(key);
    const chars = kept.chars + key.length;
    if (chars > limits.bff.keptCharsMax / 8) return;
    this.#entries.set(key, { ...kept, atMs: nowMs });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= limits.bff.keptEntriesMax && this.#chars <= limits.bff.keptCharsMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#chars -= entry.chars + key.length;
  }
}
