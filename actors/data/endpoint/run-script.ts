/** Runs an endpoint's script in a job, and answers what it asks of its host. */
import { limits } from '#config/limits.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { CALLED, NO_JOBS } from '#actors/kit/jobs.ts';
import type { JobEnd, ScriptResult } from '#actors/kit/jobs.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { isFailure } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import { shown } from '../entity/shown.ts';
import { partOf, servedModels } from '../part.ts';
import { refuse } from '../refusals.ts';
import { sessionOf } from '../rest/session.ts';
import { OPERATION_NAMES } from './operations.ts';
import { ScriptTransaction } from './transaction.ts';

export type ScriptRefusal = Refusal<'v2.script_error' | 'v2.script_engine_missing' | 'v2.engine_unavailable'>;

const FUNCTIONS = [...OPERATION_NAMES, 'action', 'log', 'now', 'uuid'];

/** The script's answer as JSON text. Its changes are made, whole or not at all, once it has answered. */
export async function runScript(
  call: Call,
  endpoint: EndpointDefinition,
  request: string,
): Promise<string | ScriptRefusal> {
  if (partOf(call.activation).languages.jobs === NO_JOBS) return refuse('v2.script_engine_missing');
  for (let tries = 0; tries < limits.scripts.triesMax; tries++) {
    const { end, transaction } = await runOnce(call, endpoint, request);
    if (transaction.isConflicted) continue;
    if (end.kind !== 'done') return stopped(end);
    if (end.result.kind === 'failed') return refuse('v2.script_error', { message: end.result.message });
    if (transaction.commit()) return end.result.text;
  }
  return refuse('v2.script_error', { message: 'others kept changing the rows that it reads; try again' });
}

function stopped(end: Exclude<JobEnd<ScriptResult>, { kind: 'done' }>): ScriptRefusal {
  if (end.kind === 'busy') {
    const headers = { 'Retry-After': String(limits.jobs.retryAfterSeconds) };
    return refuse('v2.engine_unavailable', { status: 503, message: 'too many scripts run at once', headers });
  }
  const message =
    end.why === 'time' ? 'the script took longer than it may' : 'the script asked for more than it may have';
  return refuse('v2.script_error', { message });
}

async function runOnce(call: Call, endpoint: EndpointDefinition, request: string) {
  const { clock } = call.activation.context;
  const beganMs = clock.now();
  const session = { ...sessionOf(call), clock: { now: () => beganMs } };
  const transaction = new ScriptTransaction(call, session, endpoint.kind);
  const line = new ScriptLine(call, endpoint, transaction);
  const { timeMsMax, memoryBytesMax } = limits.scripts;
  const job = {
    source: endpoint.source,
    name: `${endpoint.path}.js`,
    request,
    functions: FUNCTIONS,
    memoryBytesMax,
    timeMsMax,
    nestedMax: 0,
  };
  const { jobs } = partOf(call.activation).languages;
  const end = await jobs.run('script', job, timeMsMax + limits.jobs.graceMs, (text) => line.answer(text));
  line.close();
  return { end, transaction };
}

/** The host's side of a running script: one JSON text in, one out. */
class ScriptLine {
  readonly #call: Call;
  readonly #endpoint: EndpointDefinition;
  readonly #transaction: ScriptTransaction;
  #lines = 0;
  #isClosed = false;

  constructor(call: Call, endpoint: EndpointDefinition, transaction: ScriptTransaction) {
    this.#call = call;
    this.#endpoint = endpoint;
    this.#transaction = transaction;
  }

  /** What a script still asks when it was given up counts no more. */
  close(): void {
    this.#isClosed = true;
  }

  async answer(text: string): Promise<string> {
    try {
      const { name, args } = JSON.parse(text.slice(CALLED.length)) as { readonly name: string; readonly args: readonly unknown[] };
      return this.#isClosed ? errorText('the script is over') : await this.#answer(name, args);
    } catch (error) {
      this.#call.abort();
      this.#call.activation.context.log.error({ err: error, endpoint: this.#endpoint.path }, 'a script call failed');
      return errorText('an unexpected fault; it is in the log');
    }
  }

  async #answer(name: string, args: readonly unknown[]): Promise<string> {
    switch (name) {
      case 'now':
        return valueText(JSON.stringify(timestamp(this.#call.activation.context.clock.now())));
      case 'uuid':
        return valueText(JSON.stringify(uuid(this.#call.activation.context.random(16))));
      case 'log':
        return this.#log(args);
      case 'action':
        return errorText(`no action ${shown(args[0])}`, 'v2.action_not_found', 404);
      case 'state':
        if (!this.#isGoverned(args[0]))
          return errorText(`no stateflow governs ${shown(args[0])}`, 'v2.stateflow_not_found', 404);
        return given(await this.#transaction.ask(name, args));
      default:
        return given(await this.#transaction.ask(name, args));
    }
  }

  #isGoverned(entity: unknown): boolean {
    const model = servedModels(this.#call.activation).get(String(entity));
    return model !== undefined && model.machines.length > 0;
  }

  #log(args: readonly unknown[]): string {
    if (this.#lines++ < limits.scripts.logLinesMax) {
      const said = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');
      const { context, position } = this.#call.activation;
      const fields = {
        tenant: position.key,
        endpoint: this.#endpoint.path,
        said: said.slice(0, limits.scripts.logCharsMax),
      };
      context.log.info(fields, 'a script says');
    }
    return valueText('null');
  }
}

function valueText(json: string): string {
  return `{"value":${json}}`;
}

function given(result: string | Failure): string {
  if (!isFailure(result)) return valueText(result);
  const { status, message, details } = result;
  return JSON.stringify({ error: { message, status, details } });
}

function errorText(message: string, code?: string, status?: number): string {
  return JSON.stringify({ error: { message, code, status } });
}

/** A random UUID (RFC 9562 §5.4). */
function uuid(bytes: Buffer): string {
  bytes[6] = 0x40 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
