/**
 * `?expression=<jq>`: the one place where an enveloped answer is replaced by what a program makes of it (docs/contract/data.md §2.2). A program
 * that does not compile is refused before anything else is done; a write is committed before its program runs, and stays when the program fails.
 */
import type { Call } from '#actors/host/call.ts';
import type { Evaluated, Prepared, Unprepared } from '#actors/kit/jq/expressions.ts';
import { traced } from '#actors/kit/trace/trace.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { RETRY_AFTER_JOBS } from '#actors/protocol/retry-after.ts';
import { partOf } from '../part.ts';
import { refuse } from '../refusals.ts';

export type ExpressionRefusal = Refusal<'v2.bad_expression' | 'v2.expression_runtime' | 'v2.engine_unavailable'>;

type Plain<O> = (call: Call) => O | Promise<O>;

/** The handler of an enveloped route, with the expression applied to its answer. */
export function expressed<O extends Reply | Refusal>(handler: Plain<O>): Plain<O | ExpressionRefusal> {
  return (call) => {
    const source = sourceOf(call);
    if (source === null) return handler(call);
    const prepared = partOf(call.activation).languages.expressions.prepare(source);
    return prepared instanceof Promise
      ? prepared.then((ready) => answer(call, handler, ready))
      : answer(call, handler, prepared);
  };
}

/** The program, or null; the key counts in any case, an empty program as none. */
function sourceOf(call: Call): string | null {
  if (call.rawQuery === '') return null;
  for (const [key, value] of call.query) if (value !== '' && key.toLowerCase() === 'expression') return value;
  return null;
}

function answer<O extends Reply | Refusal>(
  call: Call,
  handler: Plain<O>,
  ready: Prepared | Unprepared,
): O | ExpressionRefusal | Promise<O | ExpressionRefusal> {
  if (ready.kind === 'bad') return refuse('v2.bad_expression', { message: ready.message });
  if (ready.kind === 'failed') return refuse('v2.expression_runtime', { message: ready.message });
  if (ready.kind === 'busy') return busy(false);
  const outcome = handler(call);
  if (outcome instanceof Promise) return outcome.then((settled) => apply(call, ready, settled));
  return apply(call, ready, outcome);
}

/** An answer that is not JSON (a file, an export) is left as it is. */
function apply<O extends Reply | Refusal>(
  call: Call,
  ready: Prepared,
  outcome: O,
): O | ExpressionRefusal | Promise<O | ExpressionRefusal> {
  if (isRefusal(outcome) || outcome.type !== undefined || outcome.bytes !== undefined) {
    return outcome;
  }
  const isWrite = call.method !== 'GET' && call.method !== 'HEAD' && !call.route.name.includes('search');
  // The turn ends here: what comes next may wait for another thread, and a turn never waits.
  if (isWrite) call.commit();
  const evaluated = evaluate(call, ready, outcome);
  if (evaluated instanceof Promise) return evaluated.then((settled) => replaced(outcome, settled, isWrite));
  return replaced(outcome, evaluated, isWrite);
}

function evaluate(call: Call, ready: Prepared, outcome: Reply): Evaluated | Promise<Evaluated> {
  const { expressions } = partOf(call.activation).languages;
  const run = (): Evaluated | Promise<Evaluated> =>
    expressions.evaluate(ready, outcome.text ?? JSON.stringify(outcome.body));
  return call.trace === null ? run() : traced(call.trace, 'jq', run, ({ kind }) => (kind === 'body' ? null : kind));
}

function replaced<O extends Reply | Refusal>(
  outcome: O,
  evaluated: Evaluated,
  isWritten: boolean,
): O | ExpressionRefusal {
  switch (evaluated.kind) {
    case 'body':
      return { ...outcome, text: evaluated.text };
    case 'busy':
      return busy(isWritten);
    case 'bad':
    case 'failed':
      // 400 says that nothing was done; after a write the answer is 500 with `written`.
      if (evaluated.kind === 'bad' && !isWritten) return refuse('v2.bad_expression', { message: evaluated.message });
      return refuse('v2.expression_runtime', {
        message: evaluated.message,
        ...(isWritten && { details: { written: true } }),
      });
  }
}

function busy(isWritten: boolean): ExpressionRefusal {
  return refuse('v2.engine_unavailable', {
    status: 503,
    message: 'too many programs run at once',
    headers: RETRY_AFTER_JOBS,
    ...(isWritten && { details: { written: true } }),
  });
}
