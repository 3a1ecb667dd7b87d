/** Answers of query endpoints for the time that they declare; bounded by number and by size, the oldest leaves first. */
import { limits } from '#config/limits.ts';

interface Kept {
  readonly text: string;
  readonly untilMs: number;
}

export class EndpointCache {
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  get(key: string, nowMs: number): string | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.untilMs > nowMs) return kept.text;
    this.#drop(key, kept);
    return undefined;
  }

  set(key: string, text: string, untilMs: number): void {
    const before = this.#kept.get(key);
    if (before !== undefined) this.#drop(key, before);
    if (text.length > limits.scripts.cachedCharsMax) return;
    this.#kept.set(key, { text, untilMs });
    this.#chars += text.length;
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= limits.scripts.cachedMax && this.#chars <= limits.scripts.cachedCharsMax) return;
      this.#drop(oldest, kept);
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#chars = 0;
  }

  #drop(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#chars -= kept.text.length;
  }
}
