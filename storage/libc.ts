/** The bridge to the C library, for the few calls that Node lacks. Only a thread that needs one pays for it: 6 ms and 1 MB. */

/**
 * Keeps a thread from being ended while it loads native code: `worker.terminate()` then fails a call inside koffi's own start-up, and
 * koffi answers that by aborting the whole process (SIGABRT). Calls of a loaded function can be ended at any time.
 */
export interface LoadGuard {
  /** False: the thread is about to be ended and must not begin to load. */
  begin(): boolean;
  end(): void;
}

let guard: LoadGuard | null = null;

/** Every later `loadC` of this thread goes through the guard. Main and tools have none: they are never terminated. */
export function guardLoads(by: LoadGuard): void {
  guard = by;
}

/** A function of the C library by its declaration, `int flock(int fd, int operation)`; called synchronously. */
export async function loadC<F>(declaration: string): Promise<F> {
  if (guard?.begin() === false) return new Promise<never>(() => undefined);
  try {
    const { default: koffi } = await import('koffi');
    const libc = koffi.load(process.platform === 'darwin' ? 'libSystem.dylib' : 'libc.so.6');
    return libc.func(declaration) as F;
  } finally {
    guard?.end();
  }
}
