/** The host's side of a running job: it answers what the script, and the scripts that it causes, ask for. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { CALLED, NESTED, RAN, type ScriptResult } from '#actors/kit/jobs.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { SchemaMoved } from '#actors/engine/rows/schema-moved.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { freeOf } from './free.ts';
import { Answered, Conflicted, newStep, ScriptWanted, type Run } from './replay.ts';
import { refusedBy, type Refused } from './refused.ts';

export interface ConversationPorts {
  readonly call: Call;
  /** Replays everything in the call's turn, up to the step that was asked for. */
  readonly attempt: () => unknown;
  /** Why an operation is refused; null where it may be done. */
  readonly refuse: (name: string, args: readonly unknown[]) => Failure | null;
  /** Answers operations outside of the replay, each time with the rows of now; null where all are replayed. */
  readonly aside: ((name: string, args: readonly unknown[]) => Promise<string | Failure>) | null;
}

export class Conversation {
  readonly #ports: ConversationPorts;
  /** The script that the job began with, and the nested ones that it waits for. */
  readonly #running: Run[];
  readonly #name: string;
  #lines = 0;
  #calls = 0;
  #isClosed = false;
  /** The refusals that the first script got, by number. */
  readonly #refused: Refused[] = [];
  /** Other work changed what the script read, its rows or the schema: it must run anew. */
  isConflicted = false;
  /** Why the host had no room for an operation, or null: the caller may try again (503). */
  busy: Busy | null = null;

  constructor(ports: ConversationPorts, first: Run) {
    this.#ports = ports;
    this.#running = [first];
    this.#name = first.script.name;
  }

  /** Ends the conversation: a script that was given up gets no more answers. */
  close(): void {
    this.#isClosed = true;
  }

  /** The refusal that ended the first script, or null. `number` comes from inside the script's sandbox, so it is checked. */
  refusal(number: unknown): Refused | null {
    return (typeof number === 'number' ? this.#refused[number] : undefined) ?? null;
  }

  /** One text in, one out. Never rejects. */
  async answer(text: string): Promise<string> {
    const { call } = this.#ports;
    try {
      if (this.#isClosed) return errorText('the script is over');
      if (text.startsWith(RAN)) return await this.#ran(JSON.parse(text.slice(RAN.length)) as ScriptResult);
      const { name, args } = JSON.parse(text.slice(CALLED.length)) as Asked;
      return this.#aside(name, args) ?? (await this.#ask(name, args));
    } catch (error) {
      call.abort();
      if (error instanceof Busy) return this.#overtaken(error);
      call.activation.context.log.error(
        { err: error, tenant: call.activation.position.key, script: this.#name },
        'an operation of a script failed: the script got an error',
      );
      return errorText('an unexpected fault; it is in the log');
    }
  }

  /** Whatever the script makes of the error that it gets, its run does not count. */
  #overtaken(error: Busy): string {
    if (error instanceof SchemaMoved) this.isConflicted = true;
    else this.busy = error;
    return errorText(error.message);
  }

  /** Answers what needs nothing stored; null for every other operation. */
  #aside(name: string, args: readonly unknown[]): string | null {
    const { context } = this.#ports.call.activation;
    if (name === 'now') return valueText(JSON.stringify(timestamp(context.clock.now())));
    if (name === 'uuid') return valueText(JSON.stringify(uuid(context.random(16))));
    return name === 'log' ? this.#log(args) : null;
  }

  #log(args: readonly unknown[]): string {
    if (this.#lines++ < limits.scripts.logLinesMax) {
      const said = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');
      const { context, position } = this.#ports.call.activation;
      const fields = { tenant: position.key, script: this.#name, said: said.slice(0, limits.scripts.logCharsMax) };
      context.log.info(fields, 'a script wrote a log line');
    }
    return valueText('null');
  }

  async #ask(name: string, args: readonly unknown[]): Promise<string> {
    if (++this.#calls > limits.scripts.hostCallsMax) return errorText(`more than ${limits.scripts.hostCallsMax} calls`);
    const refused = this.#ports.refuse(name, args);
    if (refused !== null) return this.#given(name, refused);
    if (this.#ports.aside !== null) return this.#given(name, await this.#ports.aside(name, args));
    this.#running.at(-1)!.steps.push(newStep(name, args));
    return this.#again();
  }

  /** A nested script has ended: the one that caused it goes on. */
  #ran(result: ScriptResult): Promise<string> {
    const run = this.#running.pop()!;
    run.result = result;
    return this.#again();
  }

  async #again(): Promise<string> {
    const { call, attempt } = this.#ports;
    await freeOf(call);
    call.nextTurn();
    try {
      await attempt();
      this.isConflicted = true;
    } catch (error) {
      if (error instanceof Answered) return this.#answered(error);
      if (error instanceof ScriptWanted) return this.#wanted(error.run);
      if (!(error instanceof Conflicted)) throw error;
      this.isConflicted = true;
    } finally {
      call.abort();
    }
    return errorText('the rows that were read have changed');
  }

  /** A failed step left nothing behind and is not replayed. */
  #answered({ step, given: text }: Answered): string {
    const { steps } = this.#running.at(-1)!;
    if (isFailure(text)) steps.splice(steps.indexOf(step), 1);
    else step.given = text;
    return this.#given(step.name, text);
  }

  #given(name: string, result: string | Failure): string {
    if (!isFailure(result)) return valueText(result);
    const error = refusedBy(name, result);
    if (this.#running.length > 1) return JSON.stringify({ error });
    return JSON.stringify({ error, refusal: this.#refused.push(error) - 1 });
  }

  /** Runs the nested script in the same job: jobs that wait for jobs of the same pool could wait for ever. */
  async #wanted(run: Run): Promise<string> {
    if (this.#running.length < limits.scripts.depthMax) {
      this.#running.push(run);
      return NESTED + JSON.stringify(run.script);
    }
    run.result = { kind: 'failed', message: `scripts cause scripts more than ${limits.scripts.depthMax} deep` };
    return this.#again();
  }
}

interface Asked {
  readonly name: string;
  readonly args: readonly unknown[];
}

function valueText(json: string): string {
  return `{"value":${json}}`;
}

function errorText(message: string): string {
  return JSON.stringify({ error: { message } });
}

/** A random UUID (RFC 9562 §5.4). */
function uuid(bytes: Buffer): string {
  bytes[6] = 0x40 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
