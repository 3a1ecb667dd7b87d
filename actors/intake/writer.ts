/**
 * The group commit of intake: append to the log, fsync, commit to the database, acknowledge, exactly in this order
 * (docs/contract/intake.md §4.2: write path). One batch is in the log stage while the one before it commits:
 *
 *   queue ─▶ [ append ─ sync ] ─▶ [ commit ─ acknowledge ]
 *              batch n + 1              batch n
 *
 * A batch leaves as soon as the log stage is free, so `batch_wait` needs no timer: it holds as an upper bound unless the disk is
 * slower than it, which `stats().late` counts. The first failure of a sync or a commit stops the writer for good.
 */

/** The fate of a record. `durable`: acknowledge it. `full`: it was not stored. `failed`: whether it was stored is unknown. */
export type Fate = 'durable' | 'full' | 'failed';

/** The log, or null for `wal_jsonl: false`. The writer never makes two calls at once. */
export interface LogPort<R, P> {
  /** Writes the batch and resolves to the place after it, or to null when the disk is full and nothing of the batch stays. */
  append(batch: readonly R[]): Promise<P | null>;
  sync(): Promise<void>;
}

/** The database; for `backend: jsonl` only what must be found again while the service runs. The writer never makes two calls at once. */
export interface DatabasePort<R, P> {
  /** Resolves when the batch, and the log's place (null without a log), are durable. */
  commit(batch: readonly R[], place: P | null): Promise<void>;
}

export interface WriterOptions<R, P> {
  readonly log: LogPort<R, P> | null;
  readonly database: DatabasePort<R, P>;
  readonly batchMax: number;
  readonly batchWaitMs: number;
  readonly queueDepth: number;
  /** Milliseconds, monotonic. */
  readonly monotonic: () => number;
  /** Runs a function after the requests of this turn of the event loop were seen (setImmediate). */
  readonly later: (run: () => void) => void;
  /** Called once, at the first failed sync or commit: the process must end. */
  readonly onFatal: (error: Error) => void;
}

export interface WriterStats {
  readonly batches: number;
  readonly records: number;
  /** Batches whose oldest record waited longer than batchWaitMs before its append. */
  readonly late: number;
}

interface Entry<R> {
  readonly record: R;
  readonly sinceMs: number;
  readonly settle: (fate: Fate) => void;
}

export class Writer<R, P> {
  readonly #options: WriterOptions<R, P>;
  readonly #queue: Entry<R>[] = [];
  readonly #stats = { batches: 0, records: 0, late: 0 };
  #between: (() => Promise<void>)[] = [];
  #running: Promise<void> = Promise.resolve();
  #busy = false;
  #scheduled = false;
  #committing: Promise<void> = Promise.resolve();
  #open = true;
  #failed = false;

  constructor(options: WriterOptions<R, P>) {
    this.#options = options;
  }

  /** Records that wait for a batch, without those of batches that are being stored. */
  get depth(): number {
    return this.#queue.length;
  }

  /** Whether records are accepted. */
  get open(): boolean {
    return this.#open && !this.#failed;
  }

  stats(): WriterStats {
    return { ...this.#stats };
  }

  /** Queues a record and resolves to its fate; null when the queue is full or the writer is closed (shed it). */
  submit(record: R): Promise<Fate> | null {
    if (!this.open || this.#queue.length >= this.#options.queueDepth) return null;
    const fate = new Promise<Fate>((settle) => {
      this.#queue.push({ record, sinceMs: this.#options.monotonic(), settle });
    });
    this.#schedule();
    return fate;
  }

  /** Runs `task` when no batch is in the log stage, such as a rotation. A rejection is fatal. */
  between(task: () => Promise<void>): Promise<void> {
    const done = new Promise<void>((resolve) => this.#between.push(() => task().finally(resolve)));
    this.#schedule();
    return done;
  }

  /** Takes no more records and resolves when every one taken is settled. */
  async drain(): Promise<void> {
    this.#open = false;
    await this.#start();
    await this.#committing;
  }

  #schedule(): void {
    if (this.#busy || this.#scheduled) return;
    this.#scheduled = true;
    this.#options.later(() => {
      this.#scheduled = false;
      void this.#start();
    });
  }

  #start(): Promise<void> {
    if (!this.#busy) this.#running = this.#run();
    return this.#running;
  }

  /** `#busy` ends in the same turn in which the queue was found empty, so that a later record schedules a new run. */
  async #run(): Promise<void> {
    this.#busy = true;
    try {
      while (!this.#failed && (this.#queue.length > 0 || this.#between.length > 0)) await this.#step();
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#busy = false;
    }
  }

  async #step(): Promise<void> {
    const tasks = this.#between;
    this.#between = [];
    for (const task of tasks) await task();
    // Without a log the commit is the only stage: records collect while the previous one runs.
    if (this.#options.log === null) await this.#committing;
    if (this.#queue.length > 0 && !this.#failed) await this.#move(this.#take());
  }

  #take(): Entry<R>[] {
    const { batchMax, batchWaitMs, monotonic } = this.#options;
    if (monotonic() - this.#queue[0]!.sinceMs > batchWaitMs) this.#stats.late++;
    const batch = this.#queue.splice(0, batchMax);
    this.#stats.batches++;
    this.#stats.records += batch.length;
    return batch;
  }

  /** One batch through the log stage, and into the commit stage when the batch before has left it. */
  async #move(batch: Entry<R>[]): Promise<void> {
    const records = batch.map((entry) => entry.record);
    let place: P | null = null;
    try {
      if (this.#options.log !== null) {
        place = await this.#options.log.append(records);
        if (place === null) {
          settle(batch, this.#failed ? 'failed' : 'full');
          return;
        }
        await this.#options.log.sync();
      }
      await this.#committing;
    } catch (error) {
      settle(batch, 'failed');
      throw error;
    }
    this.#committing = this.#commit(batch, records, place);
  }

  async #commit(batch: readonly Entry<R>[], records: readonly R[], place: P | null): Promise<void> {
    try {
      if (!this.#failed) await this.#options.database.commit(records, place);
    } catch (error) {
      this.#fail(error as Error);
    }
    settle(batch, this.#failed ? 'failed' : 'durable');
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    settle(this.#queue.splice(0), 'failed');
    this.#options.onFatal(error);
  }
}

function settle(batch: readonly Entry<unknown>[], fate: Fate): void {
  for (const entry of batch) entry.settle(fate);
}
