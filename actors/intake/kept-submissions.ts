/** Reports stored submissions to the audit log: one event for all batches of an interval, so that many submissions cost as little as few. */
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { NodeEvent } from '#actors/protocol/audit.ts';
import type { Submission } from './submission.ts';

export interface KeptPorts {
  readonly clock: Clock;
  readonly everyMs: number;
  after(ms: number, run: () => void): void;
  tell(event: NodeEvent): void;
}

/** Counts stored submissions and reports the counts at most `everyMs` later, without their fields. */
export class KeptSubmissions {
  readonly #ports: KeptPorts;
  #forms = new Map<string, number>();
  #first = '';
  #last = '';

  constructor(ports: KeptPorts) {
    this.#ports = ports;
  }

  add(batch: readonly Submission[]): void {
    if (batch.length === 0) return;
    if (this.#first === '') {
      this.#first = batch[0]!.id;
      this.#ports.after(this.#ports.everyMs, () => this.flush());
    }
    this.#last = batch.at(-1)!.id;
    for (const { form } of batch) this.#forms.set(form, (this.#forms.get(form) ?? 0) + 1);
  }

  /** Reports the submissions since the last report. */
  flush(): void {
    if (this.#first === '') return;
    const forms = Object.fromEntries(this.#forms);
    const count = [...this.#forms.values()].reduce((sum, one) => sum + one, 0);
    const data = { count, forms, first: this.#first, last: this.#last };
    this.#forms = new Map();
    this.#first = '';
    this.tell('intake.submissions.keep', data);
  }

  /** Reports any other event of intake. */
  tell(action: string, data: NodeEvent['data'], outcome = 'ok'): void {
    const ts = timestamp(this.#ports.clock.now());
    this.#ports.tell({ ts, actor: 'internal', action, target: '', outcome, request_id: '', data });
  }
}
