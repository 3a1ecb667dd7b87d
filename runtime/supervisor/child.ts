/** One worker thread and main's end of its channel. */
import { Worker } from 'node:worker_threads';
import { createPulse } from '#actors/host/pulse.ts';
import { Channel, type Port } from '#actors/protocol/channel.ts';
import { programUrl } from '../place.ts';
import type { ChildRow } from './children.ts';
import { claimEnd, createEndCells } from './end-guard.ts';

const MEMORY = { maxOldGenerationSizeMb: 1024 };

export class Child {
  readonly row: ChildRow;
  readonly channel: Channel;
  /** Resolves with the reason once the thread is gone; never rejects. */
  readonly gone: Promise<string>;
  readonly pulse = createPulse();
  readonly #endCells = createEndCells();
  readonly #worker: Worker;
  #first: (message: unknown) => boolean = () => false;

  constructor(row: ChildRow, workerData: object) {
    this.row = row;
    this.#worker = new Worker(programUrl(`runtime/threads/${row.file}`), {
      name: row.name,
      workerData: { ...workerData, pulse: this.pulse, endCells: this.#endCells },
      resourceLimits: MEMORY,
    });
    const port: Port = {
      postMessage: (message, transfer) => this.#worker.postMessage(message, transfer),
      on: (_event, listener) =>
        this.#worker.on('message', (message) => {
          if (!this.#first(message)) listener(message);
        }),
    };
    this.channel = new Channel(port, 'main', row.name);
    this.gone = new Promise((resolve) => {
      let reason = '';
      this.#worker.on('error', (error: Error) => (reason = error.stack ?? error.message));
      this.#worker.on('exit', (code) => {
        const text = reason === '' ? `exit ${code}` : reason;
        this.channel.close(`${row.name}: ${text}`);
        resolve(text);
      });
    });
  }

  /** From now on `first` sees each message of the thread: those for which it gives true do not reach the channel. */
  bridge(first: (message: unknown) => boolean): void {
    this.#first = first;
  }

  /** Hands the thread a message that is not of its channel here. */
  post(message: unknown): void {
    this.#worker.postMessage(message);
  }

  /** Milliseconds that the thread's event loop has waited for events so far, the present wait included; read without asking the thread. */
  get idleMs(): number {
    return this.#worker.performance.eventLoopUtilization().idle;
  }

  /** Ends the thread at once; only some native code is waited for, since ending the thread inside it would abort the process. */
  async kill(): Promise<void> {
    await claimEnd(this.#endCells);
    await this.#worker.terminate();
  }
}
