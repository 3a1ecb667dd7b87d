/**
 * Keeps a thread from being ended inside native code that answers it by aborting the whole process (SIGABRT): `worker.terminate()` fails each call
 * that such code makes into Node. So do koffi's start-up and the constructors of LMDB's cursors and transactions.
 */
export interface NativeGuard {
  /** False: the thread is about to be ended and must not begin. */
  begin(): boolean;
  end(): void;
}

let guard: NativeGuard | null = null;

/** Every later native section of this thread goes through the guard. Main and tools have none: they are never terminated. */
export function guardNative(by: NativeGuard): void {
  guard = by;
}

/** False: the thread is about to be ended and must not begin. */
export function beginNative(): boolean {
  return guard === null || guard.begin();
}

export function endNative(): void {
  guard?.end();
}

/** As `beginNative`, for code that cannot give up: a thread that is about to be ended waits here for its end. */
export function enterNative(): void {
  if (!beginNative()) for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0);
}
