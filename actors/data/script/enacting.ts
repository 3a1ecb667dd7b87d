/**
 * Writes whose stateflows run scripts. The handler runs until it needs a script's result; its turn is dropped, the script runs in a job, and the
 * handler runs anew with the result, until it needs no other. That last turn stages everything and is committed at once.
 */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { AnyHandler } from '#actors/host/service.ts';
import { NO_JOBS, type ScriptResult } from '#actors/kit/jobs.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { failure } from '#actors/engine/rows/failure.ts';
import { claimKey } from '#actors/host/idempotency/replay.ts';
import { partOf } from '../part.ts';
import { sessionOf, useSession } from '../rest/session.ts';
import { Conversation } from './conversation.ts';
import { freeOf } from './free.ts';
import { operateOf, ungoverned } from './operate.ts';
import { Conflicted, Replay, ScriptWanted, type Run } from './replay.ts';
import { causesScripts, killedText, runJob } from './run-job.ts';

/** The handlers of the named routes, made to wait for the scripts that they cause. Tenants without such scripts pay one look. */
export function enacting<T extends object>(handlers: T, names: readonly (keyof T & string)[]): T {
  const wrapped = names.map((name) => [name, enacted(handlers[name] as AnyHandler)]);
  return { ...handlers, ...(Object.fromEntries(wrapped) as object) };
}

function enacted(handler: AnyHandler): AnyHandler {
  // A streamed body is read once: what reads it calls `enact` for the rest (file/multipart.ts).
  return (call) => (call.stream === null ? enact(call, () => handler(call)) : handler(call));
}

/**
 * Runs `core` until all scripts that it causes have run. Where some ran, an outcome that `isKept` accepts is committed at once, since another
 * turn may come before the caller goes on. Throws Busy when no job is free.
 */
export function enact<T>(
  call: Call,
  core: () => T | Promise<T>,
  isKept: (outcome: T) => boolean = (outcome) => !isRefusal(outcome),
): T | Promise<T> {
  return causesScripts(call) ? new Enactment(call, core, isKept).run() : core();
}

class Enactment<T> {
  readonly #call: Call;
  readonly #core: () => T | Promise<T>;
  readonly #isKept: (outcome: T) => boolean;
  readonly #replay: Replay;

  constructor(call: Call, core: () => T | Promise<T>, isKept: (outcome: T) => boolean) {
    this.#call = call;
    this.#core = core;
    this.#isKept = isKept;
    this.#replay = new Replay(sessionOf(call), operateOf(call));
  }

  run(): T | Promise<T> {
    let outcome: T | Promise<T>;
    try {
      outcome = this.#attempt();
    } catch (error) {
      return this.#after(error);
    }
    return outcome instanceof Promise ? outcome.catch((error: unknown) => this.#after(error)) : outcome;
  }

  #attempt(): T | Promise<T> {
    this.#replay.begin();
    useSession(this.#call, this.#replay.session);
    return this.#core();
  }

  /** Runs the wanted script and tries again, until none is wanted. */
  async #after(first: unknown): Promise<T> {
    let error = first;
    let tries = limits.scripts.triesMax;
    for (;;) {
      this.#call.abort();
      if (error instanceof ScriptWanted) await this.#perform(error.run);
      else if (!(error instanceof Conflicted)) throw error;
      else if (--tries === 0) throw new Busy('other requests kept changing the rows that a script reads');
      else this.#replay.forget();
      await freeOf(this.#call);
      this.#call.nextTurn();
      try {
        const outcome = this.#attempt();
        return this.#keep(outcome instanceof Promise ? await outcome : outcome);
      } catch (next) {
        error = next;
      }
    }
  }

  #keep(outcome: T): T {
    if (!this.#isKept(outcome)) return outcome;
    claimKey(this.#call);
    this.#call.commit();
    return outcome;
  }

  async #perform(run: Run): Promise<void> {
    const call = this.#call;
    if (partOf(call.activation).languages.jobs === NO_JOBS) {
      run.result = { kind: 'failed', message: 'this node runs no scripts' };
      return;
    }
    const attempt = () => this.#attempt();
    let writes = 0;
    const refuse = (name: string, args: readonly unknown[]) => {
      if (name.startsWith('db.') && name !== 'db.get' && name !== 'db.query' && ++writes > limits.scripts.writesMax)
        return failure(422, `more than ${limits.scripts.writesMax} changes`);
      return ungoverned(call, name, args);
    };
    const conversation = new Conversation({ call, attempt, refuse, aside: null }, run);
    const end = await runJob(call, run.script, conversation);
    if (end.kind === 'busy') throw new Busy('too many scripts run at once');
    if (conversation.busy !== null) throw conversation.busy;
    if (conversation.isConflicted) this.#replay.forget();
    else run.result = resultOf(end);
  }
}

function resultOf(end: Exclude<Awaited<ReturnType<typeof runJob>>, { kind: 'busy' }>): ScriptResult {
  return end.kind === 'done' ? end.result : { kind: 'failed', message: killedText(end.why) };
}
