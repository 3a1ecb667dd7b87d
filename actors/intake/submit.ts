/** Takes a submission from its call to its answer: 200 only after it is durable. Spec: docs/contract/intake.md §4.4. */
import type { Call } from '#actors/host/call.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { NoticeKind } from '#actors/protocol/notice.ts';
import { renderedAs, type Rendered } from '#actors/protocol/body.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import { RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';
import { admit, type Admitted, type AdmitParts, type Judged } from './admit.ts';
import { isBinding, type FirstUse } from './idempotency.ts';
import { refuse } from './refusals.ts';
import type { IntakeRoutes } from './routes.ts';
import type { Receipt } from './shapes.ts';
import type { SubmissionIds } from './submission-ids.ts';
import { digestOf, type Accepted, type Submission } from './submission.ts';
import type { Fate } from './writer.ts';

export type SubmitOutcome = Outcome<IntakeRoutes['submit']>;

export interface SubmitParts extends AdmitParts {
  readonly clock: Clock;
  readonly ids: SubmissionIds;
  /** Queues for the group commit; null when the queue is full or closed. */
  readonly enqueue: (submission: Accepted) => Promise<Fate> | null;
  /** Reserves the notices of a submission while the outbox has room. */
  readonly reserve: (form: string) => readonly NoticeKind[];
  /** Reports the fate of a submission with reserved places. */
  readonly reserved: (submission: Accepted, durable: boolean) => void;
  /** The tenant that gets submissions of a form, with whether too many of it wait; a place is reserved unless they do. Null where they stay here. */
  readonly deliver: (form: string) => { readonly tenant: string; readonly full: boolean } | null;
  readonly firstUse: (form: string, key: string) => FirstUse | undefined;
  /** False while free space is below the node's watermark. */
  readonly hasRoom: () => boolean;
  /** Reports a submission for which the disk had no room, for the log. */
  readonly foundNoRoom: () => void;
}

/** The answer of a submission, now or when it is stored; `bot` separates decoys from real ones in the counters. */
export interface Submitted {
  readonly bot: boolean;
  readonly outcome: SubmitOutcome | Promise<SubmitOutcome>;
}

interface Running {
  readonly digest: string;
  readonly outcome: Promise<SubmitOutcome>;
}

export class Submitter {
  readonly #parts: SubmitParts;
  /** Submissions with a key that are being stored; the writer's queue bounds them. */
  readonly #running = new Map<string, Running>();

  constructor(parts: SubmitParts) {
    this.#parts = parts;
  }

  /** Takes one call of `POST /f/{id}`. */
  submit(call: Call): Submitted | Promise<Submitted> {
    const judged = admit(this.#parts, call);
    return judged instanceof Promise ? judged.then((settled) => this.#take(settled)) : this.#take(judged);
  }

  #take(admitted: Judged): Submitted {
    if (admitted.kind === 'refusal') return { bot: false, outcome: admitted };
    if (admitted.kind === 'bot') return { bot: true, outcome: this.#decoy() };
    const outcome = admitted.idempotencyKey === '' ? this.#storeProven(admitted) : this.#storeOnce(admitted);
    return { bot: false, outcome };
  }

  /** The answer that a stored submission would get. */
  #decoy(): SubmitOutcome {
    return receipt(this.#parts.ids.next(), timestamp(this.#parts.clock.now()));
  }

  /** Spends the answer to the captcha, where there is one; it may count again when nothing was stored. */
  #storeProven(admitted: Admitted): SubmitOutcome | Promise<SubmitOutcome> {
    const { proof } = admitted;
    if (proof === '') return this.#store(admitted);
    const { captchas } = this.#parts;
    const spent = captchas.spend(proof);
    if (spent !== 'spent') return refuse(spent === 'full' ? 'intake.shedding' : 'intake.captcha_invalid');
    const settle = (outcome: SubmitOutcome): SubmitOutcome => {
      if (outcome.kind === 'refusal' && outcome.code === 'intake.shedding') captchas.giveBack(proof);
      return outcome;
    };
    const outcome = this.#store(admitted);
    return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
  }

  #store({ form, fields, idempotencyKey, trace }: Admitted): SubmitOutcome | Promise<SubmitOutcome> {
    const { clock, deliver, ids, enqueue, hasRoom, reserve, reserved } = this.#parts;
    if (!hasRoom()) return this.#turnAway();
    const to = deliver(form);
    if (to?.full === true) return refuse('intake.shedding', { message: WAITING, headers: RETRY_WHEN_ROOM });
    const received_at = timestamp(clock.now());
    const notices = reserve(form);
    const stored = { id: ids.next(), form, received_at, fields, idempotency_key: idempotencyKey };
    const tenant = to === null ? {} : { tenant: to.tenant };
    const submission: Accepted = { ...stored, notices, ...tenant, ...(trace === undefined ? {} : { trace }) };
    const fate = enqueue(submission);
    if (fate === null) {
      reserved(submission, false);
      return refuse('intake.shedding');
    }
    return fate.then((settled) => {
      reserved(submission, settled === 'durable');
      return settled === 'full' ? this.#turnAway() : answer(settled, submission);
    });
  }

  #turnAway(): SubmitOutcome {
    this.#parts.foundNoRoom();
    return refuse('intake.shedding', { message: FULL, headers: RETRY_WHEN_ROOM });
  }

  #storeOnce(admitted: Admitted): SubmitOutcome | Promise<SubmitOutcome> {
    const { form, fields, idempotencyKey: key } = admitted;
    const digest = digestOf(fields);
    const running = this.#running.get(`${form}\n${key}`);
    if (running !== undefined) return running.digest === digest ? running.outcome : mismatch();
    const first = this.#parts.firstUse(form, key);
    if (first !== undefined && isBinding(first, this.#parts.clock.now()))
      return first.digest === digest ? receipt(first.id, first.received_at) : mismatch();
    const outcome = this.#storeProven(admitted);
    if (outcome instanceof Promise) this.#run(`${form}\n${key}`, digest, outcome);
    return outcome;
  }

  #run(name: string, digest: string, outcome: Promise<SubmitOutcome>): void {
    this.#running.set(name, { digest, outcome });
    void outcome.finally(() => this.#running.delete(name));
  }
}

function answer(fate: Exclude<Fate, 'full'>, { id, received_at }: Submission): SubmitOutcome {
  return fate === 'durable' ? receipt(id, received_at) : refuse('intake.internal');
}

function receipt(id: string, receivedAt: string): SubmitOutcome {
  return replyJson(200, renderReceipt(id, receivedAt));
}

/** Neither value needs escaping. */
function renderReceipt(id: string, receivedAt: string): Rendered<Receipt> {
  return renderedAs(`{"id":"${id}","received_at":"${receivedAt}"}`);
}

const WAITING = 'not stored: too many submissions of this form wait for the tenant that gets them; try again later';
const FULL = 'not stored: the disk has less room than storage.free_bytes_min keeps free; try again later';

function mismatch() {
  return refuse('intake.idempotency_mismatch');
}
