/** In the place of node:timers/promises: over the timers of the process, which are those of the machine. */
export const setTimeout = <T>(ms: number, value?: T): Promise<T | undefined> =>
  new Promise((resolve) => void globalThis.setTimeout(resolve, ms, value));

export const setImmediate = <T>(value?: T): Promise<T | undefined> =>
  new Promise((resolve) => void globalThis.setImmediate(resolve, value));
