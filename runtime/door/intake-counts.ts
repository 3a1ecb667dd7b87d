/** Submissions that the door answered by itself, told to the intake writer so that its `/metrics` counts each request once. */
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';

const EVERY_MS = 1000;
const OUTCOMES = { 413: 'too_large', 429: 'rate_limited', 503: 'shedding' } as const;
type Outcome = (typeof OUTCOMES)[keyof typeof OUTCOMES];

export class IntakeCounts {
  readonly #supervisor: Supervisor;
  readonly #counts = new Map<Outcome, number>();

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor;
    setInterval(() => this.flush(), EVERY_MS).unref();
  }

  count(status: number): void {
    const outcome = OUTCOMES[status as keyof typeof OUTCOMES] as Outcome | undefined;
    if (outcome !== undefined) this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  /** Sends what has come together; a request sent afterwards arrives afterwards. */
  flush(): void {
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts];
    this.#counts.clear();
    // A writer that is gone has lost its counters anyway.
    this.#supervisor.countIntake(counts).catch(() => undefined);
  }
}
