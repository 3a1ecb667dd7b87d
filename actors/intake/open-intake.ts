/**
 * The life of the intake service on its thread:
 *
 *   compile forms ─▶ open the store (cut, replay) ─▶ columns ─▶ serving ─▶ draining ─▶ closed
 *
 * Refuses to start on a form that does not compile, a destructive form diff and a damaged log.
 */
import type { FormDefinition } from '#config/definitions/form.ts';
import type { Call } from '#actors/host/call.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { IdSource } from '#actors/kit/id.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { assertAdditive, columnsOf, diffColumns } from './columns.ts';
import type { Columns } from './columns.ts';
import { compileForm } from './compile-form.ts';
import type { CompiledForm } from './compile-form.ts';
import { Counters, OUTCOME_OF } from './counters.ts';
import type { IntakeCounts, SubmissionOutcome } from './counters.ts';
import { gatewayCheck } from './gateway-secret.ts';
import type { IntakeSettings } from './settings.ts';
import { openStore } from './store.ts';
import type { IntakeStore } from './store.ts';
import { SubmissionIds } from './submission-ids.ts';
import type { Submission } from './submission.ts';
import { Submitter } from './submit.ts';
import type { SubmitOutcome } from './submit.ts';
import { Writer } from './writer.ts';
import type { WriterStats } from './writer.ts';

export interface IntakeOptions {
  readonly settings: IntakeSettings;
  readonly forms: readonly FormDefinition[];
  /** Printed by `/health`. */
  readonly version: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** One line per submission (without its payload), and rotations that found no room. */
  readonly log: Log;
  /** Told once, of the first failed sync or commit: the process must end (exit 70). */
  readonly onFatal: (error: Error) => void;
  /** Milliseconds, monotonic. */
  readonly monotonic?: () => number;
  /** Runs a function after the requests of this turn of the event loop (setImmediate). */
  readonly later?: (run: () => void) => void;
  /** Opens another store than the settings name (tests). */
  readonly store?: (onFatal: (error: Error) => void) => Promise<IntakeStore>;
}

/** Opens the store and the service over it. Throws FormFault, DestructiveDiff or Corruption; their messages are for people. */
export async function openIntake(options: IntakeOptions): Promise<Intake> {
  const forms = new Map(options.forms.map((form) => [form.id, compileForm(form)]));
  const open = options.store ?? ((onFatal) => openStore(options.settings.storage, options.clock, onFatal));
  const onFatal = once(options.onFatal);
  const store = await open(onFatal);
  try {
    await recordColumns(store, options.forms);
  } catch (error) {
    await store.close();
    throw error;
  }
  return new Intake({ ...options, onFatal }, forms, store);
}

/** A failed commit is told by LMDB's environment and by the writer. */
function once(tell: (error: Error) => void): (error: Error) => void {
  let told = false;
  return (error) => {
    if (!told) tell(error);
    told = true;
  };
}

/** Refuses a destructive difference; records the additive ones. */
async function recordColumns(store: IntakeStore, forms: readonly FormDefinition[]): Promise<void> {
  assertAdditive(forms, (form) => store.columns(form));
  const added = new Map<string, Columns>();
  for (const form of forms) {
    const declared = columnsOf(form);
    if (diffColumns(store.columns(form.id) ?? {}, declared).lines.length > 0) added.set(form.id, declared);
  }
  if (added.size > 0) await store.recordColumns(added);
}

export class Intake {
  readonly version: string;
  readonly settings: IntakeSettings;
  /** Lines of the log that the database lacked at the start. */
  readonly replayed: number;
  readonly #store: IntakeStore;
  readonly #writer: Writer<Submission, unknown>;
  readonly #submitter: Submitter;
  readonly #counters = new Counters();
  readonly #log: Log;
  readonly #monotonic: () => number;
  #draining = false;

  constructor(options: IntakeOptions, forms: ReadonlyMap<string, CompiledForm>, store: IntakeStore) {
    this.version = options.version;
    this.settings = options.settings;
    this.replayed = store.replayed;
    this.#store = store;
    this.#log = options.log;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#writer = writerOf(options, store, this.#monotonic);
    this.#submitter = submitterOf(options, forms, store, this.#writer);
  }

  /** Whether submissions are taken: `/ready`. */
  get ready(): boolean {
    return !this.#draining && this.#writer.open;
  }

  /** Takes one call of `POST /f/{id}`, counts it and logs it. */
  submit(call: Call): SubmitOutcome | Promise<SubmitOutcome> {
    const since = this.#monotonic();
    const { bot, outcome } = this.#submitter.submit(call);
    if (!(outcome instanceof Promise)) return this.#finish(call, since, bot, outcome);
    return outcome.then((settled) => this.#finish(call, since, bot, settled));
  }

  /** The counters of `/metrics`. */
  counters(): IntakeCounts {
    return this.#counters.snapshot();
  }

  /** Counts submissions that ended before they reached the service: the door's 413, 429 and 503. */
  count(outcome: SubmissionOutcome, times: number): void {
    this.#counters.count(outcome, times);
  }

  /** Figures of the group commit, for the node's metrics. */
  stats(): WriterStats & { readonly depth: number } {
    return { ...this.#writer.stats(), depth: this.#writer.depth };
  }

  /** First step of a stop: `/ready` turns 503 while submissions are still taken, so that the balancer looks elsewhere. */
  retire(): void {
    this.#draining = true;
  }

  /** Second step, when the sockets are closed: new submissions are shed; resolves when every accepted one is answered. */
  async drain(): Promise<void> {
    this.retire();
    await this.#writer.drain();
  }

  /** Drains and closes the files. */
  async close(): Promise<void> {
    await this.drain();
    await this.#store.close();
  }

  /** SIGHUP: the next line goes to a new file. Without room for one the present file stays, and a warning says so. */
  rotate(): Promise<void> {
    return this.#writer.between(async () => {
      if (!(await this.#store.rotate())) this.#log.warn({}, 'no room for a new log file; the present one stays');
    });
  }

  #finish(call: Call, since: number, bot: boolean, outcome: SubmitOutcome): SubmitOutcome {
    const name = outcome.kind === 'refusal' ? OUTCOME_OF[outcome.code] : bot ? 'bot' : 'accepted';
    this.#counters.count(name);
    this.#log.info(
      {
        request_id: call.requestId,
        form_id: call.param('id'),
        source_ip: call.header(CALLER_IP) ?? '',
        status: outcome.status,
        latency_ms: Math.round((this.#monotonic() - since) * 1000) / 1000,
        bytes: call.body.length,
        outcome: name,
      },
      'submission',
    );
    return outcome;
  }
}

function writerOf(options: IntakeOptions, store: IntakeStore, monotonic: () => number): Writer<Submission, unknown> {
  const { batchMax, batchWaitMs, queueDepth } = options.settings.storage;
  const { log, database } = store;
  const later = options.later ?? ((run) => void setImmediate(run));
  return new Writer({ log, database, batchMax, batchWaitMs, queueDepth, monotonic, later, onFatal: options.onFatal });
}

function submitterOf(
  options: IntakeOptions,
  forms: ReadonlyMap<string, CompiledForm>,
  store: IntakeStore,
  writer: Writer<Submission, unknown>,
): Submitter {
  const { http, security } = options.settings;
  const ids = new SubmissionIds(options.ids);
  ids.seen(store.lastId);
  return new Submitter({
    forms,
    http,
    passesGateway: gatewayCheck(security.gatewaySecret),
    gatewaySecretHeader: security.gatewaySecretHeader.toLowerCase(),
    clock: options.clock,
    ids,
    enqueue: (submission) => writer.submit(submission),
    firstUse: (form, key) => store.firstUse(form, key),
    hasRoom: () => store.hasRoom(),
  });
}
