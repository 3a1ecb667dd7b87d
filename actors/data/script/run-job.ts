/** A script in a job of the host's pool, with a conversation as its host. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { JobEnd, NestedScript, ScriptResult } from '#actors/kit/jobs.ts';
import { traced } from '#actors/kit/trace/trace.ts';
import { partOf } from '../part.ts';
import type { Conversation } from './conversation.ts';
import { FUNCTIONS } from './operate.ts';

/** Runs the script; the conversation is over when this resolves. */
export async function runJob(
  call: Call,
  script: NestedScript,
  conversation: Conversation,
): Promise<JobEnd<ScriptResult>> {
  const { timeMsMax, memoryBytesMax, depthMax } = limits.scripts;
  const nestedMax = causesScripts(call) ? depthMax - 1 : 0;
  const job = { ...script, functions: FUNCTIONS, memoryBytesMax, timeMsMax, nestedMax };
  const { jobs } = partOf(call.activation).languages;
  const run = (): Promise<JobEnd<ScriptResult>> =>
    jobs.run(
      'script',
      job,
      timeMsMax + limits.jobs.graceMs,
      (text) => conversation.answer(text),
      (ms) => call.tenant?.use?.worked(ms),
    );
  const end = await traced(call.trace, 'script', run, errorOf);
  conversation.close();
  return end;
}

function errorOf(end: JobEnd<ScriptResult>): string | null {
  if (end.kind === 'done') return end.result.kind === 'failed' ? 'failed' : null;
  return end.kind === 'killed' ? end.why : end.kind;
}

/** Whether a write of this tenant may cause a script. */
export function causesScripts(call: Call): boolean {
  return partOf(call.activation).scripted;
}

/** Why a job was ended, in words for the script's author. */
export function killedText(why: 'time' | 'crash'): string {
  return why === 'time' ? 'the script took longer than it may' : 'the script asked for more than it may have';
}
