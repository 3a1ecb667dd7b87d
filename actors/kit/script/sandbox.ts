/**
 * Scripts of tenants: QuickJS in WebAssembly, in a job thread. Each call begins from a memory that no other call has touched, so that
 * nothing of one caller reaches the next. A script sees `request` and the host functions only; one JSON text crosses each way. One deadline
 * covers all of it, host calls and the scripts that those run included; the pool ends the thread when even that does not help.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getRandomValues } from 'node:crypto';
import { JSException } from 'quickjs-wasi';
import { limits } from '#config/limits.ts';
import { CALLED, NESTED, RAN, type NestedScript, type ScriptJob, type ScriptResult } from '../jobs.ts';
import { WebAssembly, type WasmModule } from '../web-assembly.ts';
import { Machine, thrownText, TimeUp, type Begun } from './machine.ts';

/** Asks the actor and waits, at most `waitMs`; null when no answer came. */
export type AskHost = (text: string, waitMs: number) => string | null;

export class Sandboxes {
  readonly #wasm: WasmModule;
  /** Machines that hold a compiled script, the one used last at the end. */
  readonly #machines = new Map<string, Machine>();
  /** Machines for scripts that a running script causes, one for each depth, by memory and functions. */
  #spares: { readonly key: string; readonly machines: Machine[] } = { key: '', machines: [] };

  private constructor(wasm: WasmModule) {
    this.#wasm = wasm;
  }

  static async load(): Promise<Sandboxes> {
    const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
    return new Sandboxes(await WebAssembly.compile(await readFile(path)));
  }

  /** The script's answer as JSON text, or why there is none. Never throws for what a script does. */
  async run(job: ScriptJob, ask: AskHost): Promise<ScriptResult> {
    const end = performance.now() + job.timeMsMax;
    const key = `${job.memoryBytesMax} ${job.functions.join(' ')}\n${job.name}\n${job.source}`;
    try {
      const spares = job.nestedMax === 0 ? [] : await this.#sparesOf(job);
      const machine = this.#machines.get(key) ?? (await this.#machineOf(job));
      this.#machines.delete(key);
      const result = machine.run({ request: job.request, seed: seed(), end, host: hostOf(ask, end, spares, 0) });
      // Only a machine whose call ended by itself is kept: one that was broken off may be in any state, however it is restored.
      if (!machine.isSwollen && performance.now() < end) this.#keep(key, machine);
      return result;
    } catch (error) {
      this.#spares = { key: '', machines: [] };
      return { kind: 'failed', message: messageOf(error, performance.now() > end) };
    }
  }

  #machineOf({ memoryBytesMax, functions, source, name }: ScriptJob): Promise<Machine> {
    return Machine.create(this.#wasm, memoryBytesMax, functions, { source, name });
  }

  #keep(key: string, machine: Machine): void {
    this.#machines.set(key, machine);
    if (this.#machines.size > limits.scripts.machinesKeptMax)
      this.#machines.delete(this.#machines.keys().next().value!);
  }

  async #sparesOf({ memoryBytesMax, functions, nestedMax }: ScriptJob): Promise<readonly Machine[]> {
    const key = `${memoryBytesMax} ${functions.join(' ')}`;
    if (this.#spares.key !== key) this.#spares = { key, machines: [] };
    const { machines } = this.#spares;
    while (machines.length < nestedMax)
      machines.push(await Machine.create(this.#wasm, memoryBytesMax, functions, null));
    return machines;
  }
}

/** A host call of a script at a depth: a script that the host needs before it can answer runs here, in the same thread. */
function hostOf(ask: AskHost, end: number, spares: readonly Machine[], depth: number): Begun['host'] {
  const wait = (text: string): string => {
    const answer = ask(text, Math.max(0, end - performance.now()));
    if (answer === null) throw new TimeUp('the host did not answer in time');
    return answer;
  };
  return (text) => {
    let answer = wait(CALLED + text);
    while (answer.startsWith(NESTED)) {
      const nested = JSON.parse(answer.slice(NESTED.length)) as NestedScript;
      answer = wait(RAN + JSON.stringify(runNested(nested, ask, end, spares, depth)));
    }
    return answer;
  };
}

function runNested(
  { source, name, request }: NestedScript,
  ask: AskHost,
  end: number,
  spares: readonly Machine[],
  depth: number,
): ScriptResult {
  const machine = spares[depth];
  if (machine === undefined) return { kind: 'failed', message: `scripts cause scripts more than ${depth} deep` };
  try {
    const host = hostOf(ask, end, spares, depth + 1);
    return machine.run({ request, seed: seed(), end, host }, { source, name });
  } catch (error) {
    if (!(error instanceof JSException) || performance.now() > end) throw error;
    return { kind: 'failed', message: thrownText(error) };
  }
}

const SEED_WORDS = 4;
/** Random words drawn at once: one draw costs as much as a quarter of a call. */
const drawn = new Uint32Array(256 * SEED_WORDS);
let left = 0;

function seed(): Uint32Array {
  if (left === 0) left = getRandomValues(drawn).length;
  left -= SEED_WORDS;
  return drawn.slice(left, left + SEED_WORDS);
}

function messageOf(error: unknown, isOver: boolean): string {
  if (isOver || error instanceof TimeUp) return 'the script took longer than it may';
  return error instanceof JSException ? thrownText(error) : 'the script broke its sandbox off';
}
