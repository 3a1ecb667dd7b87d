/**
 * Scripts within a turn. A turn is synchronous and a script is not. So whenever a script asks for something, all that led to it is replayed in a
 * turn of its own, with the same ids and the same time, and with the recorded results of the scripts that have run. The last turn replays
 * everything and stages it. A step that gives another result than before shows that another request has changed rows meanwhile.
 */
import { limits } from '#config/limits.ts';
import { untimed } from '#actors/kit/clock.ts';
import type { NestedScript, ScriptResult } from '#actors/kit/jobs.ts';
import { ownerOf } from '#actors/protocol/turn-owner.ts';
import { sessionAsRole } from '#actors/engine/rows/as-role.ts';
import { failure, type Failure } from '#actors/engine/rows/failure.ts';
import type { MoveScripts } from '#actors/engine/rows/move-scripts.ts';
import { sessionWith, type Session } from '#actors/engine/rows/session.ts';

/** What is replayed as one piece: the ids and random bytes that it drew, and the scripts that it caused. */
interface Scope {
  readonly draws: (string | Buffer)[];
  readonly runs: Run[];
}

/** One call of the host by a script. */
export interface Step extends Scope {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Its result as JSON text; null until it is done. */
  given: string | null;
}

/** One run of a script. */
export interface Run {
  readonly script: NestedScript;
  readonly steps: Step[];
  result: ScriptResult | null;
}

/** Does one operation of a script in the session's turn. */
export type Operate = (
  session: Session,
  name: string,
  args: readonly unknown[],
) => string | Failure | Promise<string | Failure>;

/** A script has to be run before the turn can go on. */
export class ScriptWanted extends Error {
  readonly run: Run;
  constructor(run: Run) {
    super('a script has to be run first');
    this.run = run;
  }
}

/** The step that was asked for has been done. */
export class Answered extends Error {
  readonly step: Step;
  readonly given: string | Failure;
  constructor(step: Step, given: string | Failure) {
    super('a step has been done');
    this.step = step;
    this.given = given;
  }
}

/** A step gave another result than before. */
export class Conflicted extends Error {}

/** The work needs more than a turn, which a replayed step cannot have. */
class TooLong extends Error {}

export function newStep(name: string, args: readonly unknown[]): Step {
  return { name, args, given: null, draws: [], runs: [] };
}

export class Replay implements MoveScripts {
  /** The caller's session with a fixed time and repeated draws; slices go by the real clock. */
  readonly session: Session;
  readonly #operate: Operate;
  readonly #role: string | undefined;
  #root: Scope = { draws: [], runs: [] };
  #scope: Scope = this.#root;
  #drawn = 0;
  #ran = 0;
  #runs = 0;

  /** `role`: with whose rights all of it acts; absent: with those of the caller. */
  constructor(caller: Session, operate: Operate, role?: string) {
    const base = role === undefined ? caller : sessionAsRole(caller, role);
    const nowMs = base.clock.now();
    this.#operate = operate;
    this.#role = role;
    this.session = sessionWith(base, {
      clock: { now: () => nowMs, fine: () => base.clock.fine() },
      ids: { next: () => this.#draw(() => base.ids.next()) },
      random: (bytes) => this.#draw(() => base.random(bytes)),
      scripts: this,
    });
  }

  /** Begins a replay at the first step. */
  begin(): void {
    this.#enter(this.#root);
  }

  /** Forgets all steps: another request has changed rows that they read. */
  forget(): void {
    this.#root = { draws: [], runs: [] };
    this.#runs = 0;
  }

  run(script: NestedScript): ScriptResult {
    const run = this.#nextRun(script);
    if (run === null) return { kind: 'failed', message: `one write runs at most ${limits.scripts.runsMax} scripts` };
    // A script that failed left nothing to replay.
    if (run.result?.kind === 'failed') return run.result;
    this.repeat(run);
    if (run.result === null) throw new ScriptWanted(run);
    return run.result;
  }

  /** Replays what a script did; throws Answered at the first step without a result, with what it gives now. */
  repeat(run: Run): void {
    const before = { scope: this.#scope, drawn: this.#drawn, ran: this.#ran };
    for (const step of run.steps) {
      this.#enter(step);
      const given = this.#do(step, run.script.runAs ?? this.#role);
      if (step.given === null) throw new Answered(step, given);
      if (given !== step.given) throw new Conflicted();
    }
    this.#scope = before.scope;
    this.#drawn = before.drawn;
    this.#ran = before.ran;
  }

  #enter(scope: Scope): void {
    this.#scope = scope;
    this.#drawn = 0;
    this.#ran = 0;
  }

  #do({ name, args }: Step, role: string | undefined): string | Failure {
    try {
      // A hold could not be released between two calls of a script. A step has no further slice, so its time stands still: what it may do is bounded by
      // rows and fuel alone, and a machine that is busy refuses nothing that another takes.
      const held = sessionWith(this.session, { hold: tooLong, clock: untimed(this.session.clock) });
      const session = role === undefined ? held : sessionAsRole(held, role);
      const given = inRole(session, role, () => this.#operate(session, name, args));
      if (!(given instanceof Promise)) return given;
      void given.catch(() => undefined);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
    }
    return failure(422, 'this reads or changes more rows than a script that may write can');
  }

  #nextRun(script: NestedScript): Run | null {
    const known = this.#scope.runs[this.#ran++];
    if (known === undefined) {
      if (this.#runs++ >= limits.scripts.runsMax) return null;
      const run: Run = { script, steps: [], result: null };
      this.#scope.runs.push(run);
      return run;
    }
    if (known.script.request !== script.request || known.script.source !== script.source) throw new Conflicted();
    return known;
  }

  #draw<T extends string | Buffer>(fresh: () => T): T {
    const { draws } = this.#scope;
    const drawn = (draws[this.#drawn++] as T | undefined) ?? fresh();
    draws[this.#drawn - 1] = drawn;
    return drawn;
  }
}

/** What changes rows meanwhile is recorded with the role, beside its caller. */
function inRole<T>(session: Session, role: string | undefined, does: () => T): T {
  const owner = role === undefined ? undefined : ownerOf(session.turn());
  if (owner === undefined) return does();
  const before = owner.runAs;
  owner.runAs = role!;
  try {
    return does();
  } finally {
    owner.runAs = before;
  }
}

function tooLong(): never {
  throw new TooLong('more than a turn');
}
