/**
 * Runs the script of one event as one transaction: what it writes and the end of its event are one commit, so that rows of a script that ran
 * to its end are written once, also when the node dies in between.
 */
import { limits } from '#config/limits.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import type { ScriptTarget, TriggerDefinition } from '#config/definitions/trigger-shapes.ts';
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { ScriptTransaction } from '../endpoint/transaction.ts';
import { freeOf } from '../script/free.ts';
import { killedText, runJob } from '../script/run-job.ts';
import { eventBody } from './delivery-of.ts';
import { scriptCall } from './script-call.ts';
import type { TriggerEntry } from './store.ts';

/** `done`: its event has ended with it. `busy`: no job came free, or others kept changing the rows that it reads. */
export type ScriptRun =
  | { readonly kind: 'done' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; error: string };

/** `end` stages the end of the event in the turn of the work that it is given. */
export async function runTriggerScript(
  work: Work,
  entry: TriggerEntry,
  trigger: TriggerDefinition & { readonly target: ScriptTarget },
  end: (work: Work) => void,
): Promise<ScriptRun> {
  const { activation } = work;
  const request = JSON.stringify(eventBody(work, entry, trigger.fields));
  work.abort();
  for (let tries = 0; tries < limits.scripts.triesMax; tries++) {
    const call = scriptCall(activation, entry, trigger.target);
    const run = await once(call, asEndpoint(trigger), request, end);
    if (run !== null) return run;
  }
  return { kind: 'busy' };
}

/** Null where another request changed what the script read, and it must run anew. */
async function once(
  call: Call,
  endpoint: EndpointDefinition,
  request: string,
  end: (work: Work) => void,
): Promise<ScriptRun | null> {
  const transaction = new ScriptTransaction(call, endpoint, request);
  const ended = await runJob(call, transaction.script, transaction.conversation);
  if (transaction.isConflicted) return null;
  if (ended.kind === 'busy' || transaction.conversation.busy !== null) return { kind: 'busy' };
  if (ended.kind === 'killed') return { kind: 'failed', error: killedText(ended.why) };
  if (ended.result.kind === 'failed') return { kind: 'failed', error: ended.result.message };
  await freeOf(call);
  return transaction.commit(() => end(call)) ? { kind: 'done' } : null;
}

/** A script of a trigger is one of an endpoint that may write, without a route. */
function asEndpoint({
  name,
  target,
  where,
}: TriggerDefinition & { readonly target: ScriptTarget }): EndpointDefinition {
  const bare = { verb: 'POST', kind: 'mutate', auth: 'service', rate: null, cacheMs: 0, headers: [] } as const;
  return { ...bare, path: name, refusals: 'wrap', source: target.source, sourceAt: target.sourceAt, where };
}
