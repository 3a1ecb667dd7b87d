/** Drills: crashes of threads on purpose, for tests and for operators. Each resolves when the thread is gone. */
import type { ChildRow } from './children.ts';
import type { Thread } from './thread.ts';

export interface Threads {
  host(no: number): Thread;
  other(name: ChildRow['name']): Thread | undefined;
}

export class Drills {
  readonly #threads: Threads;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  /** Ends a host's thread at once, as a crash would. */
  async killHost(no: number): Promise<void> {
    const thread = this.#threads.host(no);
    await thread.kill();
    await thread.gone;
  }

  /** An uncaught error in a host's thread. */
  async throwInHost(no: number): Promise<void> {
    const thread = this.#threads.host(no);
    await thread.channel.ask('thread.throw', null);
    await thread.gone;
  }

  /** Ends the one thread of a kind at once, as a crash would. Without effect on a node that has no such thread. */
  async kill(name: ChildRow['name']): Promise<void> {
    const thread = this.#threads.other(name);
    await thread?.kill();
    await thread?.gone;
  }
}
