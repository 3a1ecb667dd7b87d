/** Runs an endpoint's script in a job, as one transaction (script/replay.ts). */
import { limits } from '#config/limits.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { NO_JOBS, type JobEnd, type ScriptResult } from '#actors/kit/jobs.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { RETRY_AFTER_JOBS } from '#actors/protocol/retry-after.ts';
import { partOf } from '../part.ts';
import { busy, refuse } from '../refusals.ts';
import { freeOf } from '../script/free.ts';
import { killedText, runJob } from '../script/run-job.ts';
import { passed, type Passed, type Refused } from '../script/refused.ts';
import { ScriptTransaction } from './transaction.ts';

export type ScriptRefusal = Refusal<'v2.script_error' | 'v2.script_engine_missing' | 'v2.engine_unavailable' | Passed>;

/** The script's answer as JSON text. Its changes are committed, all or none, once it has answered. Throws Busy where the host had no room for an operation. */
export async function runScript(
  call: Call,
  endpoint: EndpointDefinition,
  request: string,
): Promise<string | ScriptRefusal> {
  if (partOf(call.activation).languages.jobs === NO_JOBS) return refuse('v2.script_engine_missing');
  for (let tries = 0; tries < limits.scripts.triesMax; tries++) {
    const transaction = new ScriptTransaction(call, endpoint, request);
    const end = await runJob(call, transaction.script, transaction.conversation);
    if (transaction.isConflicted) continue;
    if (transaction.conversation.busy !== null) throw transaction.conversation.busy;
    if (end.kind !== 'done') return stopped(end);
    if (end.result.kind === 'failed') {
      const { message, refusal } = end.result;
      return failed(endpoint, message, transaction.conversation.refusal(refusal));
    }
    await freeOf(call);
    if (transaction.commit()) return end.result.text;
  }
  return refuse('v2.script_error', { message: 'other requests kept changing the rows that it reads; try again' });
}

/** The refusal for a script that threw. An uncaught refusal is named in the details, or answered as it is where the endpoint says so. */
function failed({ refusals }: EndpointDefinition, message: string, cause: Refused | null): ScriptRefusal {
  if (cause === null) return refuse('v2.script_error', { message });
  const { status, code } = cause;
  const through = refusals === 'pass' ? passed(cause) : null;
  return through ?? refuse('v2.script_error', { message, details: { cause: { status, code } } });
}

function stopped(end: Exclude<JobEnd<ScriptResult>, { kind: 'done' }>): ScriptRefusal {
  if (end.kind === 'killed') return refuse('v2.script_error', { message: killedText(end.why) });
  return busy('too many scripts run at once', RETRY_AFTER_JOBS);
}
