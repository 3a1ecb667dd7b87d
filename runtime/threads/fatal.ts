/**
 * The first failed commit or fsync ends the process with exit code 70 (DESIGN §5). In a worker `process.exit` ends only the
 * thread: it tells main through shared memory, and kills the process when main has not gone in time.
 */
import { writeSync } from 'node:fs';

export const FATAL_EXIT = 70;
const KILL_AFTER_MS = 100;

/** Two cells: the exit code, and one that nobody ever writes (to wait on). */
export function createFatalFlag(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Main's side: ends the process as soon as any thread raises the flag. */
export function watchFatal(flag: Int32Array<SharedArrayBuffer>): void {
  const waited = Atomics.waitAsync(flag, 0, 0);
  if (waited.async) void waited.value.then(() => process.exit(Atomics.load(flag, 0)));
  else process.exit(FATAL_EXIT);
}

/** The function that a thread calls on a fault after which nothing may be acknowledged. Does not return. */
export function fatalIn(thread: string, flag: Int32Array<SharedArrayBuffer>): (error: Error) => never {
  return (error) => {
    writeSync(2, `skep: ${thread}: ${error.message}; nothing after it was acknowledged, exit ${FATAL_EXIT}\n`);
    Atomics.store(flag, 0, FATAL_EXIT);
    Atomics.notify(flag, 0);
    Atomics.wait(flag, 1, 0, KILL_AFTER_MS);
    process.kill(process.pid, 'SIGKILL');
    throw error;
  };
}
