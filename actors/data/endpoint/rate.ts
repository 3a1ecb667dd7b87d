/** Declared rates of endpoints: a generic cell rate for each endpoint and caller, in the memory of the tenant that is awake. */
import { limits } from '#config/limits.ts';

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export interface Taken {
  readonly granted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the whole allowance is back, in milliseconds since the epoch. */
  readonly resetMs: number;
  /** Whole seconds until the next request may pass; at least 1 when refused. */
  readonly retryAfterSeconds: number;
}

export class EndpointRates {
  /** Key → when its allowance is whole again. */
  readonly #wholeAt = new Map<string, number>();

  take(key: string, { burst, perSecond }: Rate, nowMs: number): Taken {
    const costMs = 1000 / perSecond;
    const wholeAt = Math.max(this.#wholeAt.get(key) ?? 0, nowMs);
    const used = (wholeAt - nowMs) / costMs;
    if (used > burst - 1) {
      const waitMs = (used - (burst - 1)) * costMs;
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
      return { granted: false, limit: burst, remaining: 0, resetMs: wholeAt, retryAfterSeconds };
    }
    this.#note(key, wholeAt + costMs);
    const remaining = Math.max(0, Math.floor(burst - used - 1));
    return { granted: true, limit: burst, remaining, resetMs: wholeAt + costMs, retryAfterSeconds: 0 };
  }

  /** Past its bound it forgets the caller that was noted longest ago. */
  #note(key: string, wholeAt: number): void {
    this.#wholeAt.delete(key);
    this.#wholeAt.set(key, wholeAt);
    if (this.#wholeAt.size > limits.scripts.rateEntriesMax) this.#wholeAt.delete(this.#wholeAt.keys().next().value!);
  }
}
