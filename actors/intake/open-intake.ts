/**
 * The life of the intake service on its thread:
 *
 *   compile forms ─▶ open the store (cut, replay) ─▶ columns ─▶ serving (⟲ reload) ─▶ draining ─▶ closed
 *
 * It refuses to start on a form that does not compile, a form that removes or retypes columns, and a damaged log. On the first two a reload keeps
 * the present forms.
 */
import type { FormDefinition } from '#config/definitions/form.ts';
import type { Call } from '#actors/host/call.ts';
import type { Log } from '#actors/host/activation.ts';
import { CaptchaDesk } from '#actors/kit/captcha/desk.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { IdSource } from '#actors/kit/id.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import type { Notice, NoticeSettled } from '#actors/protocol/notice.ts';
import type { OutboxWish, Taken } from '#actors/protocol/outbox.ts';
import type { ErasedSubmissions } from '#actors/protocol/person.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { RefusedSubmissions } from '#actors/protocol/topics.ts';
import { giveChallenge } from './captcha.ts';
import { Forms } from './forms.ts';
import { Counters, OUTCOME_OF, type IntakeCounts, type SubmissionOutcome } from './counters.ts';
import type { LogEnd } from './log/store.ts';
import { assertDeliverable } from './delivery/deliverable.ts';
import { DeliveryOutbox } from './delivery/outbox.ts';
import { noticesOf, NoticeOutbox, type NotifySettings } from './notice-outbox.ts';
import { recordColumns } from './record-columns.ts';
import type { IntakeRefusalCode } from './refusals.ts';
import type { IntakeSettings } from './settings.ts';
import { openStore, type StoreCalls } from './store.ts';
import type { IntakeStore } from './store-port.ts';
import { Erasures } from './erasure/erase-person.ts';
import { firstError } from './first-error.ts';
import { FullDisk } from './full-disk.ts';
import { SubmissionIds } from './submission-ids.ts';
import type { Accepted, Submission } from './submission.ts';
import { Submitter, type Submitted, type SubmitOutcome } from './submit.ts';
import { Writer, type WriterStats } from './writer.ts';
import { withTransport } from './with-transport.ts';

/** The log line of one submission. Spec: docs/contract/intake.md §5.3. */
export type SubmissionLine = {
  readonly request_id: string;
  readonly form_id: string;
  readonly source_ip: string;
  readonly status: number;
  readonly latency_ms: number;
  readonly bytes: number;
  readonly outcome: SubmissionOutcome;
};

export interface IntakeOptions {
  readonly settings: IntakeSettings;
  readonly forms: readonly FormDefinition[];
  /** Part of the answer of `/health`. */
  readonly version: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Takes what an operator must know, such as a full disk. */
  readonly log: Log;
  /** Takes one line per submission, without its payload; when absent `log` does. */
  readonly line?: (line: SubmissionLine) => void;
  /** Notifies main that there are durable notices for the courier. */
  readonly noticesPending?: () => void;
  /** Notifies main that durable submissions wait for these tenants. */
  readonly submissionsPending?: (tenants: readonly string[]) => void;
  /** Called with each batch when it is durable. */
  readonly kept?: (batch: readonly Submission[]) => void;
  /** Called once, at the first failed sync or commit: the process must end (exit 70). */
  readonly onFatal: (error: Error) => void;
  /** Milliseconds, monotonic. */
  readonly monotonic?: () => number;
  /** Runs a function after this turn of the event loop (setImmediate). */
  readonly later?: (run: () => void) => void;
  /** Of `backend: postgres`, where it was connected ahead. */
  readonly database?: StoreCalls['database'];
  /** Opens another store than the settings name (tests). */
  readonly store?: (onFatal: (error: Error) => void) => Promise<IntakeStore>;
}

/** Opens the store and the service over it. Throws FormFault, DestructiveDiff or Corruption, with messages for the operator. */
export async function openIntake(options: IntakeOptions): Promise<Intake> {
  const forms = new Forms(options.forms);
  assertDeliverable(options.forms, options.settings.storage);
  const { storage, notify } = withTransport(options.settings, options.forms, options.log);
  const kindsOf = notify === null ? undefined : (id: string) => kindsIn(forms, id, notify);
  const tenantOf = (id: string) => forms.definition(id)?.tenant;
  const open =
    options.store ??
    ((fatal) => {
      const { database, log } = options;
      return openStore(storage, options.clock, { onFatal: fatal, kindsOf, tenantOf, log, database });
    });
  const onFatal = firstError(options.onFatal);
  const store = await open(onFatal);
  try {
    await recordColumns(store, options.forms);
  } catch (error) {
    await store.close();
    throw error;
  }
  return new Intake({ ...options, settings: { ...options.settings, notify }, onFatal }, forms, store);
}

function kindsIn(forms: Forms, id: string, notify: NotifySettings) {
  const form = forms.definition(id);
  return form === undefined ? [] : noticesOf(form, notify);
}

export class Intake {
  readonly version: string;
  readonly settings: IntakeSettings;
  /** How many lines of the log the database had not taken in at the start. */
  readonly replayed: number;
  readonly #store: IntakeStore;
  readonly #writer: Writer<Accepted, LogEnd>;
  readonly #forms: Forms;
  readonly #outbox: NoticeOutbox | null;
  /** Submissions on their way to the tenants of their forms: the thread's shell answers main's asks with it. */
  readonly deliveries: DeliveryOutbox;
  readonly #submitter: Submitter;
  readonly #captchas: CaptchaDesk;
  readonly #erasures: Erasures;
  readonly #counters = new Counters();
  readonly #log: Log;
  readonly #tellLine: (line: SubmissionLine) => void;
  readonly #monotonic: () => number;
  #draining = false;

  constructor(options: IntakeOptions, forms: Forms, store: IntakeStore) {
    this.version = options.version;
    this.settings = options.settings;
    this.replayed = store.replayed;
    this.#store = store;
    this.#log = options.log;
    this.#tellLine = options.line ?? ((line) => options.log.info(line, 'submission'));
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#writer = writerOf(options, store, this.#monotonic);
    this.#forms = forms;
    this.#outbox = outboxOf(options, forms, store);
    this.deliveries = deliveriesOf(options, forms, store);
    this.#captchas = new CaptchaDesk(options.clock);
    this.#erasures = new Erasures({
      store,
      settings: options.settings.storage,
      forms: () => forms.definitions,
      keepers: () => this.deliveries.keepers,
      between: (task) => this.#writer.between(task),
      stopping: () => this.#draining || !this.#writer.open,
      found: (ids) => {
        this.#outbox?.drop(ids);
        this.deliveries.drop(ids);
      },
    });
    const outboxes = { notices: this.#outbox, deliveries: this.deliveries };
    this.#submitter = submitterOf(options, forms, store, this.#writer, outboxes, this.#captchas);
  }

  /** Whether submissions are accepted: `/ready`. */
  get ready(): boolean {
    return !this.#draining && this.#writer.open;
  }

  /** Answers one call of `POST /f/{id}`, counts it and logs it. */
  submit(call: Call): SubmitOutcome | Promise<SubmitOutcome> {
    const since = this.#monotonic();
    const submitted = this.#submitter.submit(call);
    if (submitted instanceof Promise) return submitted.then((taken) => this.#answer(call, since, taken));
    return this.#answer(call, since, submitted);
  }

  /** Answers one call of `GET /f/{id}/captcha`. */
  captcha(call: Call) {
    return giveChallenge(this.#captchas, this.#forms.compiled, call);
  }

  #answer(call: Call, since: number, { bot, outcome }: Submitted): SubmitOutcome | Promise<SubmitOutcome> {
    if (!(outcome instanceof Promise)) return this.#finish(call, since, bot, outcome);
    return outcome.then((settled) => this.#finish(call, since, bot, settled));
  }

  /** The counters of `/metrics`. */
  counters(): IntakeCounts {
    const counts = this.#counters.snapshot();
    return this.#outbox === null ? counts : { ...counts, notify: this.#outbox.counts() };
  }

  /** Counts and logs submissions that the door refused with 403, 408, 413, 429 or 503. */
  refused({ counts, lines, dropped }: RefusedSubmissions): void {
    for (const [outcome, times] of counts) this.#counters.count(outcome, times);
    for (const { requestId, form, ip, status, latencyMs, bytes, outcome } of lines)
      this.#line(requestId, form, ip, status, latencyMs, bytes, outcome);
    if (dropped > 0) this.#log.warn({ dropped }, 'refusals came too fast: so many submissions have no log line');
  }

  /** Counts and logs a submission that the host refused: a full mailbox or a fault. */
  turnedAway(call: Call, { code, status }: Refusal<IntakeRefusalCode>): void {
    this.#counters.count(OUTCOME_OF[code]);
    this.#lineOf(call, status, 0, OUTCOME_OF[code]);
  }

  /** Takes the courier's answer for a notice. */
  noticeSettled(settled: NoticeSettled): void {
    this.#outbox?.answered(settled);
  }

  /** Notices that the courier does not have yet. */
  takeNotices(wish: Omit<OutboxWish, 'tenantNo'>): Taken<Notice> {
    return this.#outbox?.take(wish) ?? { parcels: [], more: false };
  }

  /** Notifies main of notices that an earlier run left. */
  resumeNotices(): void {
    this.#outbox?.resume();
  }

  /** Replaces the forms. When it throws FormFault or DestructiveDiff, the present forms stay. */
  async reload(forms: readonly FormDefinition[]): Promise<void> {
    const next = new Forms(forms);
    assertDeliverable(forms, this.settings.storage);
    await recordColumns(this.#store, forms);
    this.#forms.replace(next);
  }

  /** Erases one person's submissions that were received before. */
  erasePerson(address: string): Promise<ErasedSubmissions> {
    return this.#erasures.erase(address);
  }

  /** Deletes idempotency keys that no longer bind. */
  sweepKeys(): Promise<void> {
    return this.#store.sweepKeys();
  }

  /** Deletes submissions past their form's retention, and logs how many rows and files. */
  async expire(): Promise<void> {
    if (this.#draining) return;
    const { rows, files } = await this.#store.expire(this.#forms.retentions);
    if (rows + files > 0) this.#log.info({ rows, files }, 'submissions past their retention were deleted');
  }

  /** Numbers of the group commit, for the node's metrics. */
  stats(): WriterStats & { readonly depth: number } {
    return { ...this.#writer.stats(), depth: this.#writer.depth };
  }

  /** First step of a stop: `/ready` answers 503 while submissions are still accepted, so that the load balancer sends them elsewhere. */
  retire(): void {
    this.#draining = true;
  }

  /** Second step, when the sockets are closed: new submissions are shed; resolves when every accepted one is answered. */
  async drain(): Promise<void> {
    this.retire();
    await this.#erasures.idle();
    await this.#writer.drain();
  }

  /** Drains, and writes nothing more: another node may take the store. */
  async seal(): Promise<void> {
    await this.drain();
    await this.#store.seal?.();
  }

  /** Drains and closes the files. */
  async close(): Promise<void> {
    await this.drain();
    await this.#store.close();
  }

  /** Copies the database for a backup; the log holds what it has not taken in. */
  copyTo(directory: string): Promise<boolean> {
    return this.#store.copyTo(directory);
  }

  /** SIGHUP: the next line goes to a new file; without room for one it goes to the present file, and a warning says so. */
  rotate(): Promise<void> {
    return this.#writer.between(async () => {
      if (!(await this.#store.rotate())) this.#log.warn({}, 'no room for a new log file: lines go on into the old one');
    });
  }

  #finish(call: Call, since: number, bot: boolean, outcome: SubmitOutcome): SubmitOutcome {
    const name = outcome.kind === 'refusal' ? OUTCOME_OF[outcome.code] : bot ? 'bot' : 'accepted';
    this.#counters.count(name);
    this.#lineOf(call, outcome.status, this.#monotonic() - since, name);
    return outcome;
  }

  #lineOf(call: Call, status: number, latencyMs: number, outcome: SubmissionOutcome): void {
    const ip = call.header(CALLER_IP) ?? '';
    this.#line(call.requestId, call.param('id'), ip, status, latencyMs, call.body.length, outcome);
  }

  #line(
    request_id: string,
    form_id: string,
    source_ip: string,
    status: number,
    latencyMs: number,
    bytes: number,
    outcome: SubmissionOutcome,
  ): void {
    const latency_ms = Math.round(latencyMs * 1000) / 1000;
    this.#tellLine({ request_id, form_id, source_ip, status, latency_ms, bytes, outcome });
  }
}

function writerOf(options: IntakeOptions, store: IntakeStore, monotonic: () => number): Writer<Accepted, LogEnd> {
  const { batchMax, batchWaitMs, queueDepth } = options.settings.storage;
  const { log } = store;
  const database = options.kept === undefined ? store.database : toldOf(store.database, options.kept);
  const later = options.later ?? ((run) => void setImmediate(run));
  return new Writer<Accepted, LogEnd>({
    log,
    database,
    batchMax,
    batchWaitMs,
    queueDepth,
    monotonic,
    later,
    onFatal: options.onFatal,
  });
}

/** The same database; `kept` gets each durable batch. */
function toldOf(
  database: IntakeStore['database'],
  kept: (batch: readonly Submission[]) => void,
): IntakeStore['database'] {
  return {
    commit: async (batch, place) => {
      await database.commit(batch, place);
      kept(batch);
    },
  };
}

/** Null while notices are off. */
function outboxOf({ settings, noticesPending }: IntakeOptions, forms: Forms, store: IntakeStore): NoticeOutbox | null {
  if (settings.notify === null) return null;
  const outbox = new NoticeOutbox({
    settings: settings.notify,
    form: (id) => forms.definition(id),
    pending: noticesPending ?? (() => undefined),
    forget: (id, kind) => store.forgetNotice(id, kind),
  });
  for (const { submission, kind } of store.notices) outbox.restore(submission, kind);
  return outbox;
}

function deliveriesOf({ clock, submissionsPending }: IntakeOptions, forms: Forms, store: IntakeStore): DeliveryOutbox {
  const ports = {
    form: (id: string) => forms.definition(id),
    retentions: () => forms.retentions,
    read: (of: Parameters<IntakeStore['submissions']>[0]) => store.submissions(of),
    forget: (form: string, id: string) => store.forgetDelivery(form, id),
    keeper: (tenant: string) => store.recordKeeper(tenant),
    pending: submissionsPending ?? (() => undefined),
    now: () => clock.now(),
  };
  return new DeliveryOutbox(ports, store.deliveries, store.keepers);
}

function submitterOf(
  options: IntakeOptions,
  forms: Forms,
  store: IntakeStore,
  writer: Writer<Accepted, LogEnd>,
  { notices, deliveries }: { readonly notices: NoticeOutbox | null; readonly deliveries: DeliveryOutbox },
  captchas: CaptchaDesk,
): Submitter {
  const { http, storage } = options.settings;
  const fullDisk = new FullDisk(storage, options.log, options.clock);
  const ids = new SubmissionIds(options.ids);
  ids.seen(store.lastId);
  return new Submitter({
    forms: () => forms.compiled,
    http,
    captchas,
    clock: options.clock,
    ids,
    enqueue: (submission) => writer.submit(submission),
    firstUse: (form, key) => store.firstUse(form, key),
    hasRoom: () => store.hasRoom(http.bodyBytesMax),
    foundNoRoom: () => fullDisk.turnedAway(),
    reserve: (form) => notices?.reserve(form) ?? [],
    deliver: (form) => deliveries.reserve(form),
    reserved: (submission, durable) => {
      notices?.settled(submission, durable);
      deliveries.settled(submission, durable);
    },
  });
}
