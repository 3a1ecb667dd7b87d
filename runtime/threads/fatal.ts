/**
 * The first failed commit or fsync ends the process with exit code 70 (docs/contract/common.md §8.2): at once, by the thread that met it. In a worker
 * `process.exit` ends only the thread. The way over main is no way: on a busy machine main hears it late, and its own
 * `process.exit` joins every thread first, which never ends while one of them waits for a disk that does not answer.
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

/** The function that a thread calls on a fault after which nothing may be acknowledged. Does not return. */
export async function fatalIn(thread: string): Promise<(error: Error) => never> {
  const exit = await loadExit();
  return (error) => {
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
    writeSync(2, `skep: ${thread}: ${error.message}${cause}; nothing after it was acknowledged, exit ${FATAL_EXIT}\n`);
    exit(FATAL_EXIT);
    throw error;
  };
}
