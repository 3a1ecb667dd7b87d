/** The answer of an endpoint, made from the answers of its calls. */
import { limits } from '#config/limits.ts';
import type { BffResponse } from '#config/definitions/bff/shapes.ts';
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { Unsure } from '#actors/kit/jq/faults.ts';
import type { Program } from '#actors/kit/jq/program.ts';
import type { Json } from '#actors/kit/jq/value.ts';
import type { JobEnd, Jobs, JqJudged } from '#actors/kit/jobs.ts';
import type { Reason } from '../call/end.ts';
import { Unusable, filled } from '../call/render.ts';
import type { Scope } from '../call/scope.ts';

export interface Degraded {
  readonly call: string;
  readonly reason: Reason;
}

export type Composed =
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'busy' };

export interface Material {
  readonly response: BffResponse | null;
  readonly program: Program | null;
  readonly scope: Scope;
  readonly degraded: readonly Degraded[];
  /** Length of the calls' answers together, in characters. */
  readonly chars: number;
}

/** A promise when the program costs too much for the host, and a job runs it. */
export function compose(material: Material, jobs: Jobs): Composed | Promise<Composed> {
  const { response, scope, degraded } = material;
  if (response === null) return body(enveloped({ data: scope.calls }, degraded));
  if (response.language === 'jq') return byProgram(material, response.program, jobs);
  try {
    const text = filled(response.program, scope);
    return degraded.length === 0 ? { kind: 'body', text } : body(enveloped(JSON.parse(text), degraded));
  } catch (error) {
    if (error instanceof Unusable) return { kind: 'failed', message: error.message };
    throw error;
  }
}

const body = (value: unknown): Composed => ({ kind: 'body', text: JSON.stringify(value) });

/** When the answer is an envelope (an object with `data`), `meta.degraded[]` lists the calls that failed. */
function enveloped(value: unknown, degraded: readonly Degraded[]): unknown {
  if (degraded.length === 0 || typeof value !== 'object' || value === null || !Object.hasOwn(value, 'data'))
    return value;
  const { meta = {} } = value as { meta?: unknown };
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return value;
  return { ...value, meta: { ...meta, degraded } };
}

function byProgram(material: Material, source: string, jobs: Jobs): Composed | Promise<Composed> {
  const { scope, degraded, program, chars } = material;
  if (chars > limits.expressions.hostCharsMax) return inJob(material, source, jobs, true);
  try {
    const arrange = (results: readonly Json[]): readonly Json[] =>
      degraded.length === 0 || results.length !== 1 ? results : [enveloped(results[0], degraded) as Json];
    return program!.answer(scope as unknown as Json, limits.expressions.hostFuelMax, arrange);
  } catch (error) {
    if (error instanceof OutOfFuel) return inJob(material, source, jobs, true);
    if (error instanceof Unsure) return inJob(material, source, jobs, false);
    throw error;
  }
}

async function inJob({ scope, degraded }: Material, source: string, jobs: Jobs, fast: boolean): Promise<Composed> {
  const text = JSON.stringify(scope);
  const end = await jobs.run('jq.run', { source, text, fast }, limits.expressions.timeMsMax);
  return judged(end, degraded);
}

function judged(end: JobEnd<JqJudged>, degraded: readonly Degraded[]): Composed {
  if (end.kind === 'busy') return end;
  if (end.kind === 'killed') return { kind: 'failed', message: 'the response takes too long to compose' };
  if (end.result.kind !== 'body') return { kind: 'failed', message: end.result.message };
  if (degraded.length === 0) return end.result;
  return body(enveloped(JSON.parse(end.result.text), degraded));
}
