/**
 * How a thread requests that main fetches the keys of the trusted issuer: one cell of shared memory, since many requests may want that at
 * once and main listens only while it is willing to fetch. It is no ask (actors/protocol/topics.ts): the thread waits for no answer.
 */

const CELL = 0;
const QUIET = 0;
const CALLED = 1;

export type KeyCall = Int32Array<SharedArrayBuffer>;

export function createKeyCall(): KeyCall {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** A thread's side: sets the cell unless it is set. */
export function callForKeys(call: KeyCall): void {
  if (Atomics.compareExchange(call, CELL, QUIET, CALLED) === QUIET) Atomics.notify(call, CELL);
}

/** Main's side: calls `then` at the next call; an earlier one counts as answered. Gives the function that stops listening. */
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
