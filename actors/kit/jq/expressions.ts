/**
 * jq programs of callers, in two tiers. The fast tier is written here; it runs on the host with a little fuel, else in a job. The reference
 * tier is jq itself; it runs in a job, for all that the fast tier is not certain of. Compiled programs are kept per host, a bounded number
 * of them.
 */
import { limits } from '#config/limits.ts';
import type { JobEnd, Jobs, JqJudged } from '../jobs.ts';
import { OutOfFuel } from '../pace/fuel.ts';
import { Unsure } from './faults.ts';
import type { Json } from './value.ts';
import { Program } from './program.ts';

/** A program that compiles. */
export interface Prepared {
  readonly kind: 'prepared';
  readonly source: string;
  readonly program: Program | null;
  /** The fast tier was not certain of an earlier input: the reference tier is asked at once. */
  isUncertain: boolean;
}

/** `failed`: it is unknown whether it compiles, because its time ran out. */
export type Unprepared =
  | { readonly kind: 'bad'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'busy' };

/** `bad`: jq does not compile a program that the fast tier does. */
export type Evaluated =
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'bad' | 'failed'; readonly message: string }
  | { readonly kind: 'busy' };

const TOO_LONG = { kind: 'failed', message: `it takes longer than ${limits.expressions.timeMsMax} ms` } as const;
const TOO_MUCH = { kind: 'failed', message: 'it asks for more memory than it may have' } as const;

export class Expressions {
  readonly #jobs: Jobs;
  /** In the order of their last use. */
  readonly #kept = new Map<string, Prepared | Extract<Unprepared, { kind: 'bad' }>>();

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  /** The program ready to run, or what is wrong with it. A promise when only the reference tier can decide. */
  prepare(source: string): Prepared | Unprepared | Promise<Prepared | Unprepared> {
    const kept = this.#kept.get(source);
    if (kept !== undefined) {
      this.#kept.delete(source);
      this.#kept.set(source, kept);
      return kept;
    }
    const program = compileFast(source);
    if (program !== null) return this.#keep(source, { kind: 'prepared', source, program, isUncertain: false });
    return this.#judge(source);
  }

  async #judge(source: string): Promise<Prepared | Unprepared> {
    const end = await this.#jobs.run('jq.check', { source }, limits.expressions.timeMsMax);
    if (end.kind === 'busy') return end;
    if (end.kind === 'killed') return killed(end);
    if (end.result.kind === 'bad') return this.#keep(source, { kind: 'bad', message: end.result.message });
    return this.#keep(source, { kind: 'prepared', source, program: null, isUncertain: true });
  }

  /** The body over JSON text. A promise when a job makes it. */
  evaluate(prepared: Prepared, text: string): Evaluated | Promise<Evaluated> {
    const { program, source, isUncertain } = prepared;
    if (program === null || isUncertain) return this.#inJob(source, text, false);
    if (text.length > limits.expressions.hostCharsMax) return this.#inJob(source, text, true);
    try {
      return program.answer(JSON.parse(text) as Json, limits.expressions.hostFuelMax);
    } catch (error) {
      if (error instanceof OutOfFuel) return this.#inJob(source, text, true);
      if (!(error instanceof Unsure)) throw error;
      prepared.isUncertain = true;
      return this.#inJob(source, text, false);
    }
  }

  async #inJob(source: string, text: string, fast: boolean): Promise<Evaluated> {
    return judgement(await this.#jobs.run('jq.run', { source, text, fast }, limits.expressions.timeMsMax));
  }

  #keep<T extends Prepared | Extract<Unprepared, { kind: 'bad' }>>(source: string, what: T): T {
    if (this.#kept.size >= limits.expressions.keptMax) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(source, what);
    return what;
  }
}

function judgement(end: JobEnd<JqJudged>): Evaluated {
  if (end.kind === 'busy') return end;
  return end.kind === 'killed' ? killed(end) : end.result;
}

function killed({ why }: Extract<JobEnd<unknown>, { kind: 'killed' }>): typeof TOO_LONG | typeof TOO_MUCH {
  return why === 'time' ? TOO_LONG : TOO_MUCH;
}

function compileFast(source: string): Program | null {
  try {
    return Program.compile(source);
  } catch (error) {
    if (error instanceof Unsure) return null;
    throw error;
  }
}

/** In a job: the fast tier with more fuel; null when it is not certain after all, or that fuel is burned too. */
export function judgeFast(source: string, text: string): JqJudged | null {
  try {
    return Program.compile(source).answer(JSON.parse(text) as Json, limits.expressions.jobFuelMax);
  } catch (error) {
    if (error instanceof Unsure || error instanceof OutOfFuel) return null;
    throw error;
  }
}
