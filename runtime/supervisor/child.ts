/** One worker thread and main's end of its channel. */
import { Worker } from 'node:worker_threads';
import { createPulse } from '#actors/host/pulse.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { ChildRow } from './children.ts';

const MEMORY = { maxOldGenerationSizeMb: 1024 };

export class Child {
  readonly row: ChildRow;
  readonly channel: Channel;
  /** Resolves with the reason once the thread is gone; never rejects. */
  readonly gone: Promise<string>;
  readonly pulse = createPulse();
  readonly #worker: Worker;

  constructor(row: ChildRow, workerData: object) {
    this.row = row;
    this.#worker = new Worker(new URL(`../threads/${row.file}`, import.meta.url), {
      name: row.name,
      workerData: { ...workerData, pulse: this.pulse },
      resourceLimits: MEMORY,
    });
    this.channel = new Channel(this.#worker, 'main', row.name);
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

  /** Ends the thread at once, whatever it does. */
  async kill(): Promise<void> {
    await this.#worker.terminate();
  }
}
