/** Resolves in the next turn of the event loop, after I/O and whatever else waits there. For work that no caller of this thread waits for. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
