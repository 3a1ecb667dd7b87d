/**
 * The first failed commit or fsync ends the process with exit code 70 (docs/contract/common.md §8.2), at once and from the thread that met it.
 * `process.exit` in a worker ends only the thread. Asking main to exit is not enough: on a busy machine main hears of it late, and its
 * `process.exit` first joins every thread, which takes for ever while one of them waits for a disk that does not answer.
 */
import { writeSync } from 'node:fs';
import { loadC } from '#storage/libc.ts';

export const FATAL_EXIT = 70;

export type Exit = (code: number) => void;

let loading: Promise<Exit> | null = null;

/** `_exit` of the C library: ends every thread of the process at once, and runs nothing more. */
export function loadExit(): Promise<Exit> {
  return (loading ??= loadC<Exit>('void _exit(int status)'));
}

/** Gives the function with which a thread ends the process, on a fault after which nothing may be acknowledged. It does not return. */
export async function fatalIn(thread: string): Promise<(error: Error) => never> {
  const exit = await loadExit();
  return (error) => {
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
    writeSync(2, `skep: ${thread}: ${error.message}${cause}; nothing after it was acknowledged, exit ${FATAL_EXIT}\n`);
    exit(FATAL_EXIT);
    throw error;
  };
}
