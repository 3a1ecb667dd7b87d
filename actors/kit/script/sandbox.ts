/**
 * Scripts of tenants: QuickJS in WebAssembly, in a job thread. A script gets a virtual machine of its own, so that nothing of one
 * caller is there for the next. It sees `request` and the host functions, and nothing else of the world; everything that crosses is
 * one JSON text each way. One deadline covers all of it, host calls included; the pool ends the thread when even that does not help.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Intrinsics, JSException, QuickJS } from 'quickjs-wasi';
import type { JSValueHandle } from 'quickjs-wasi';
import { limits } from '#config/limits.ts';
import type { ScriptJob, ScriptResult } from '../jobs.ts';
import { WebAssembly } from '../web-assembly.ts';
import type { WasmModule } from '../web-assembly.ts';
import { PRELUDE, wrapped } from './source.ts';

/** Asks the actor and waits, at most so many milliseconds; null when no answer came. */
export type AskHost = (text: string, waitMs: number) => string | null;

class TimeUp extends Error {}

export class Sandboxes {
  readonly #wasm: WasmModule;

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
    const isOver = (): boolean => performance.now() > end;
    let vm: QuickJS | null = null;
    try {
      vm = await QuickJS.create({
        wasm: this.#wasm,
        memoryLimit: job.memoryBytesMax,
        maxStackSize: limits.scripts.stackBytesMax,
        interruptHandler: isOver,
        intrinsics: Intrinsics.ALL,
      });
      return evaluate(vm, job, ask, end);
    } catch (error) {
      return { kind: 'failed', message: messageOf(error, isOver()) };
    } finally {
      dispose(vm);
    }
  }
}

function evaluate(vm: QuickJS, job: ScriptJob, ask: AskHost, end: number): ScriptResult {
  const host = vm.newFunction('host', (...args: JSValueHandle[]) => {
    const text = args[0]!.toString();
    const left = end - performance.now();
    const answer = left > 0 && text.length <= limits.scripts.resultCharsMax ? ask(text, left) : null;
    if (answer === null) throw new TimeUp('the host did not answer in time');
    return vm.newString(answer);
  });
  // The machine lives for this one call: its handles go with it.
  const prelude = vm.evalCode(PRELUDE, '<skep>');
  const names = vm.newString(JSON.stringify(job.functions));
  const main = vm.callFunction(prelude, vm.undefined, host, names, vm.newString(job.request));
  const script = vm.evalCode(wrapped(job.source), job.name);
  const result = vm.callFunction(main, vm.undefined, script);
  while (vm.executePendingJobs() > 0) if (performance.now() > end) throw new TimeUp('time');
  const answer = vm.callFunction(result.getProp('text'), result);
  const text = answer.toString();
  if (text.length > limits.scripts.resultCharsMax)
    return { kind: 'failed', message: `the answer is longer than ${limits.scripts.resultCharsMax} characters` };
  return JSON.parse(text) as ScriptResult;
}

function messageOf(error: unknown, isOver: boolean): string {
  if (isOver || error instanceof TimeUp) return 'the script took longer than it may';
  if (error instanceof JSException) {
    const message = `${error.name}: ${error.message}`;
    error.dispose();
    return message;
  }
  return 'the script broke its sandbox off';
}

/** A machine that was broken off may not even be disposed of; its memory goes with the instance. */
function dispose(vm: QuickJS | null): void {
  try {
    vm?.dispose();
  } catch {
    // nothing refers to it any more
  }
}
