/**
 * Runs a function once the microtasks that wait now, and those that follow from them, have run, and before any other event. Node drains its
 * queue of ticks, then the microtasks, and again while there are ticks: a tick from within a microtask comes when no microtask is left.
 */
export function afterMicrotasks(run: () => void): void {
  queueMicrotask(() => process.nextTick(run));
}
