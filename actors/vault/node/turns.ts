/** Runs tasks one after another per key, so that callers of this instance do not conflict; conflicts with other instances show by version. */

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `task` when every earlier task of the key has ended. */
  async take<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const run = before.then(task, task);
    this.#last.set(key, run);
    try {
      return await run;
    } finally {
      if (this.#last.get(key) === run) this.#last.delete(key);
    }
  }
}
