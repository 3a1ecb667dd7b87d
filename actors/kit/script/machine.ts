/**
 * A QuickJS machine that begins every call from the same memory: what a call leaves in globals, prototypes or the heap is overwritten, byte
 * for byte, before the next one begins. So a call costs a copy of the memory and not a new machine.
 */
import { Intrinsics, QuickJS, type JSException, type JSValueHandle } from 'quickjs-wasi';
import { limits } from '#config/limits.ts';
import type { ScriptResult } from '../jobs.ts';
import type { WasmModule } from '../web-assembly.ts';
import { PRELUDE, wrapped } from './source.ts';

/** What a machine needs of one call. */
export interface Begun {
  readonly request: string;
  /** Drawn anew for each call, since the same memory would draw the same numbers: four of 32 bits. */
  readonly seed: Uint32Array;
  /** The call's deadline, by `performance.now()`. */
  readonly end: number;
  /** Answers a call of the host; throws to end the script. */
  readonly host: (text: string) => string;
}

export class TimeUp extends Error {}

/** The engine checks its own bound at function entries, so a call may reach somewhat below it. */
const STACK_CLEARED_BYTES = 2 * limits.scripts.stackBytesMax;

interface Script {
  readonly source: string;
  readonly name: string;
}

/** Exports that are used directly, as the library does to restore its own snapshots. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly __stack_pointer: { value: number };
  qjs_set_runtime_and_context(runtime: number, context: number): void;
}

export class Machine {
  readonly #vm: QuickJS;
  readonly #exports: Exports;
  readonly #main: JSValueHandle;
  readonly #script: JSValueHandle | null;
  readonly #image: ReturnType<QuickJS['snapshot']>;
  /** Of the image: frames that are still open, data and heap. */
  readonly #aboveStack: Uint8Array;
  #now: Begun | null = null;
  /** The end of the memory beyond the image that is known to be empty. */
  #emptyTo: number;

  private constructor(vm: QuickJS, functions: readonly string[], script: Script | null) {
    this.#vm = vm;
    this.#exports = (vm as unknown as { readonly exports: Exports }).exports;
    const host = vm.newFunction('host', (...args: JSValueHandle[]) => vm.newString(this.#ask(args[0]!.toString())));
    const prelude = vm.evalCode(PRELUDE, '<skep>');
    this.#main = vm.callFunction(prelude, vm.undefined, host, vm.newString(JSON.stringify(functions)));
    this.#script = script === null ? null : vm.evalCode(wrapped(script.source), script.name);
    this.#image = vm.snapshot();
    this.#aboveStack = this.#image.memory.subarray(this.#image.stackPointer);
    this.#emptyTo = this.#image.memory.length;
  }

  /**
   * A machine with the host functions and, where one is given, a compiled script. Throws JSException for a script that does not
   * compile, its handle disposed of.
   */
  static async create(
    wasm: WasmModule,
    memoryBytesMax: number,
    functions: readonly string[],
    script: Script | null,
  ): Promise<Machine> {
    let machine: Machine | null = null;
    const vm = await QuickJS.create({
      wasm,
      memoryLimit: memoryBytesMax,
      maxStackSize: limits.scripts.stackBytesMax,
      interruptHandler: () => machine?.isOver === true,
      intrinsics: Intrinsics.ALL,
    });
    return (machine = new Machine(vm, functions, script));
  }

  get isOver(): boolean {
    return this.#now !== null && performance.now() > this.#now.end;
  }

  /** Whether calls made it too large to keep. */
  get isSwollen(): boolean {
    return this.#exports.memory.buffer.byteLength > this.#image.memory.byteLength + limits.scripts.keptGrowthBytesMax;
  }

  /** Runs the machine's own script, or the one that is given, from the beginning of all memory. Throws when it is ended by force. */
  run(begun: Begun, script: Script | null = null): ScriptResult {
    const vm = this.#vm;
    this.#restore();
    this.#now = begun;
    try {
      const code = script === null ? this.#script! : vm.evalCode(wrapped(script.source), script.name);
      const state = vm.callFunction(
        this.#main,
        vm.undefined,
        code,
        vm.newString(begun.request),
        ...this.#seeded(begun),
      );
      while (vm.executePendingJobs() > 0) if (this.isOver) throw new TimeUp('time');
      const text = vm.callFunction(state.getProp('text'), state).toString();
      if (text.length > limits.scripts.resultCharsMax)
        return { kind: 'failed', message: `the answer is longer than ${limits.scripts.resultCharsMax} characters` };
      return JSON.parse(text) as ScriptResult;
    } finally {
      this.#now = null;
    }
  }

  #seeded({ seed }: Begun): JSValueHandle[] {
    return [...seed].map((part) => this.#vm.newNumber(part));
  }

  #ask(text: string): string {
    if (this.#now === null) throw new TimeUp('nothing runs');
    if (this.isOver) throw new TimeUp('time');
    if (text.length > limits.scripts.resultCharsMax) throw new TimeUp('too long a call');
    return this.#now.host(text);
  }

  /**
   * As the library restores a snapshot, in the instance that made it. The stack lies below everything else and is a megabyte, of which a
   * call reaches the top: that much is cleared, and what lies above is overwritten. Memory that it grew by is never reached again, since a
   * restored heap asks for new pages; it is cleared once.
   */
  #restore(): void {
    const { memory, runtimePtr, contextPtr, stackPointer } = this.#image;
    const bytes = new Uint8Array(this.#exports.memory.buffer);
    bytes.set(this.#aboveStack, memory.length - this.#aboveStack.length);
    bytes.fill(0, Math.max(0, stackPointer - STACK_CLEARED_BYTES), stackPointer);
    bytes.fill(0, this.#emptyTo);
    this.#emptyTo = bytes.length;
    this.#exports.qjs_set_runtime_and_context(runtimePtr, contextPtr);
    this.#exports.__stack_pointer.value = stackPointer;
  }
}

/** The text of a script's exception; its handle goes with the machine's memory. */
export function thrownText(error: JSException): string {
  const text = `${error.name}: ${error.message}`;
  error.dispose();
  return text;
}
