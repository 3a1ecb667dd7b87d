/** Token buckets the plain way: a Map, a refill on each look, no limit on entries. Tokens are counted in milliseconds of refill. */
export class PlainBuckets {
  readonly #credit = new Map<string, { creditMs: number; seenMs: number }>();

  /** 0 = granted, else milliseconds until the next token. */
  take(key: string, burst: number, costMs: number, nowMs: number): number {
    const bucket = this.#refilled(key, burst, costMs, nowMs);
    if (bucket.creditMs < costMs) return costMs - bucket.creditMs;
    bucket.creditMs -= costMs;
    return 0;
  }

  remaining(key: string, burst: number, costMs: number, nowMs: number): number {
    return Math.floor(this.#refilled(key, burst, costMs, nowMs).creditMs / costMs);
  }

  #refilled(key: string, burst: number, costMs: number, nowMs: number): { creditMs: number; seenMs: number } {
    const bucket = this.#credit.get(key) ?? { creditMs: burst * costMs, seenMs: nowMs };
    bucket.creditMs = Math.min(burst * costMs, bucket.creditMs + (nowMs - bucket.seenMs));
    bucket.seenMs = nowMs;
    this.#credit.set(key, bucket);
    return bucket;
  }
}
