/**
 * The jobs of one host: as many threads as it may have, started when first needed. What runs past its budget loses its thread, and
 * the next job gets a new one. Waiting is bounded twice: by the queue's length, and by how long a job may wait for a thread.
 */
import { limits } from '#config/limits.ts';
import type { HostLine, JobEnd, JobKind, JobKinds, Jobs } from '#actors/kit/jobs.ts';

/** One thread as the pool drives it. */
export interface JobThread {
  /** Begins a job; `started` is called when its budget begins to count, `end` once, with its result. */
  begin(kind: JobKind, body: unknown, host: HostLine, started: () => void, end: (result: unknown) => void): void;
  /** Ends the thread, whatever it does. */
  kill(): void;
  /** Told when it ends by itself. */
  onDeath(listener: () => void): void;
}

export interface PoolOptions {
  /** How many may run at once; asked each time. */
  readonly threads: () => number;
  readonly start: () => JobThread;
}

interface Job {
  readonly kind: JobKind;
  readonly body: unknown;
  readonly budgetMs: number;
  readonly host: HostLine;
  readonly settle: (end: JobEnd<never>) => void;
  /** Ends the wait for a thread. */
  waiting: NodeJS.Timeout | null;
}

const noHost: HostLine = () => '{"error":"there is no host"}';

export class JobPool implements Jobs {
  readonly #options: PoolOptions;
  readonly #idle: JobThread[] = [];
  readonly #retiring = new Map<JobThread, NodeJS.Timeout>();
  #queue: Job[] = [];
  #running = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  run<K extends JobKind>(
    kind: K,
    body: JobKinds[K]['body'],
    budgetMs: number,
    host: HostLine = noHost,
  ): Promise<JobEnd<JobKinds[K]['result']>> {
    return new Promise((settle) => {
      const job: Job = { kind, body, budgetMs, host, settle, waiting: null };
      if (this.#running < this.#options.threads()) this.#begin(job);
      else this.#enqueue(job);
    });
  }

  /** Ends every thread; what runs settles as killed. */
  close(): void {
    for (const job of this.#queue.splice(0)) this.#turnAway(job);
    for (const thread of this.#idle.splice(0)) this.#retire(thread);
  }

  #enqueue(job: Job): void {
    if (this.#queue.length >= limits.jobs.queueDepthMax) {
      job.settle({ kind: 'busy' });
      return;
    }
    this.#queue.push(job);
    job.waiting = setTimeout(() => {
      this.#queue = this.#queue.filter((other) => other !== job);
      job.settle({ kind: 'busy' });
    }, limits.jobs.waitMsMax);
    job.waiting.unref();
  }

  #turnAway(job: Job): void {
    if (job.waiting !== null) clearTimeout(job.waiting);
    job.settle({ kind: 'busy' });
  }

  #begin(job: Job): void {
    if (job.waiting !== null) clearTimeout(job.waiting);
    this.#running++;
    const thread = this.#takeThread();
    let isOver = false;
    let timer = setTimeout(() => over({ kind: 'killed', why: 'crash' }, false), limits.jobs.startMsMax);
    const over = (end: JobEnd<never>, lives: boolean): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#running--;
      if (lives) this.#keep(thread);
      else thread.kill();
      job.settle(end);
      this.#next();
    };
    thread.onDeath(() => over({ kind: 'killed', why: 'crash' }, false));
    thread.begin(
      job.kind,
      job.body,
      job.host,
      () => {
        clearTimeout(timer);
        if (!isOver) timer = setTimeout(() => over({ kind: 'killed', why: 'time' }, false), job.budgetMs);
      },
      (result) => over({ kind: 'done', result: result as never }, true),
    );
  }

  #next(): void {
    const job = this.#queue.shift();
    if (job !== undefined) this.#begin(job);
  }

  #takeThread(): JobThread {
    const thread = this.#idle.pop() ?? this.#options.start();
    clearTimeout(this.#retiring.get(thread));
    this.#retiring.delete(thread);
    return thread;
  }

  /** A thread that nobody needs for a while gives its memory back. */
  #keep(thread: JobThread): void {
    this.#idle.push(thread);
    thread.onDeath(() => this.#retire(thread));
    const timer = setTimeout(() => this.#retire(thread), limits.jobs.idleMs);
    timer.unref();
    this.#retiring.set(thread, timer);
  }

  #retire(thread: JobThread): void {
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
    clearTimeout(this.#retiring.get(thread));
    this.#retiring.delete(thread);
    thread.kill();
  }
}
