/**
 * Tells the intake writer of submissions that the door answered by itself, so that its `/metrics` counts every request once and its log has a
 * line for each. The list leaves within ten milliseconds, since a long one would delay the writer's next commit, or before a request that asks for the counters.
 */
import { limits } from '#config/limits.ts';
import type { DoorRefusal, RefusedSubmissions as Told } from '#actors/protocol/topics.ts';
import type { SubmissionVisit } from './submission-visit.ts';

const OUTCOMES = {
  403: 'forbidden',
  408: 'bad_request',
  413: 'too_large',
  429: 'rate_limited',
  503: 'shedding',
} as const;

export class RefusedSubmissions {
  readonly #tell: (told: Told) => Promise<unknown>;
  readonly #lines: boolean;
  readonly #counts = new Map<DoorRefusal['outcome'], number>();
  #held: DoorRefusal[] = [];
  /** Lines that found the list full: one line says how many there were. */
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `lines`: whether intake's log takes lines of requests at all. */
  constructor(tell: (told: Told) => Promise<unknown>, lines: boolean) {
    this.#tell = tell;
    this.#lines = lines;
  }

  add({ form, callerIp, bytes, began }: SubmissionVisit, requestId: string, status: number): void {
    const outcome = OUTCOMES[status as keyof typeof OUTCOMES] as DoorRefusal['outcome'] | undefined;
    if (outcome === undefined) return;
    this.#timer ??= setTimeout(() => this.flush(), limits.intake.doorLinesWaitMs).unref();
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    if (!this.#lines) return;
    if (this.#held.length >= limits.intake.doorLinesMax) this.#dropped++;
    else
      this.#held.push({ requestId, form, ip: callerIp, status, latencyMs: performance.now() - began, bytes, outcome });
  }

  /** Sends the list; a request that is sent later also arrives later. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#counts.size === 0) return;
    const told = { counts: [...this.#counts], lines: this.#held, dropped: this.#dropped };
    this.#counts.clear();
    this.#held = [];
    this.#dropped = 0;
    // A writer that is gone has lost its counters, so nothing is gained by sending again.
    this.#tell(told).catch(() => undefined);
  }
}
