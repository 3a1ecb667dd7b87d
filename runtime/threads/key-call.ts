/**
 * How a thread asks main for the keys of the trusted issuer: one cell of shared memory, since many requests may ask at once and
 * main listens only when it is willing to fetch. Asks go down only (actors/protocol/topics.ts); this is no ask, nobody waits.
 */

const CELL = 0;
const QUIET = 0;
const CALLED = 1;

export type KeyCall = Int32Array<SharedArrayBuffer>;

export function createKeyCall(): KeyCall {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** A thread's side: calls, unless somebody has. */
export function callForKeys(call: KeyCall): void {
  if (Atomics.compareExchange(call, CELL, QUIET, CALLED) === QUIET) Atomics.notify(call, CELL);
}

/** Main's side: hears one call from now on; an earlier one counts as answered. Gives the function that stops listening. */
export function hearKeyCall(call: KeyCall, then: () => void): () => void {
  let listening = true;
  Atomics.store(call, CELL, QUIET);
  const waited = Atomics.waitAsync(call, CELL, QUIET);
  const heard = (): void => {
    if (listening) then();
  };
  if (waited.async) void waited.value.then(heard);
  else queueMicrotask(heard);
  return () => {
    listening = false;
    callForKeys(call);
  };
}
