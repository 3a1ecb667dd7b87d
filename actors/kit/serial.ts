/** Tasks that must not overlap: each begins when those given before it have ended, whether they succeeded or not. */

export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task behind all earlier ones. Its result, or its error, is its caller's alone. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const mine = this.#last.then(task);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Resolves when the tasks given so far have ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** The same for each key by itself. A key whose last task has ended is forgotten. */
export class SerialByKey {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(task, task);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
