/** Whether a script compiles, for checks of a product: by the engine that runs it, and without running it. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Intrinsics, JSException, QuickJS } from 'quickjs-wasi';
import { limits } from '#config/limits.ts';
import { WebAssembly, type WasmModule } from '../web-assembly.ts';
import { wrapped } from './source.ts';

export interface ScriptFault {
  /** Lines and columns of the script, from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What stands before a script in its own first line. */
const BEFORE = wrapped('\0').indexOf('\0');

/** How often the engine asks whether to go on, each some thousand steps: compiling asks never, and no clock decides. */
const LOOKS_MAX = 100;

let engine: Promise<WasmModule> | null = null;

async function loadEngine(): Promise<WasmModule> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return WebAssembly.compile(await readFile(path));
}

/**
 * What is wrong with a script's syntax; null when it compiles. A text that ends its own wrapper would run, so memory and steps are
 * bounded.
 */
export async function scriptFault(source: string): Promise<ScriptFault | null> {
  const wasm = await (engine ??= loadEngine());
  let looks = 0;
  const vm = await QuickJS.create({
    wasm,
    memoryLimit: limits.scripts.memoryBytesMax,
    maxStackSize: limits.scripts.stackBytesMax,
    interruptHandler: () => ++looks > LOOKS_MAX,
    intrinsics: Intrinsics.ALL,
  });
  try {
    vm.evalCode(wrapped(source), 'script');
    return null;
  } catch (error) {
    if (!(error instanceof JSException)) return { line: 1, column: 1, message: 'the script cannot be compiled' };
    const { message, stack = '' } = error;
    const [, line = '1', column = '1'] = /:(\d+):(\d+)\D*$/.exec(stack) ?? [];
    error.dispose();
    return {
      line: Number(line),
      column: line === '1' ? Math.max(1, Number(column) - BEFORE) : Number(column),
      message,
    };
  } finally {
    vm.dispose();
  }
}
