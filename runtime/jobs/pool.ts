/**
 * The jobs of one host: as many threads as it may have, started when first needed. A job that exceeds its budget is ended together with
 * its thread, and the next job gets a new one. Waiting is bounded twice: by the queue's length, and by how long a job may wait for a thread.
 *
 * A busy thread has the next job in hand already, so that it need not wait for its host between two short ones. A job in hand has
 * not begun: it is taken back when its thread takes long, dies, or another thread has nothing to do.
 */
import { limits } from '#config/limits.ts';
import type { HostLine, JobEnd, JobKind, JobKinds, JobRan, Jobs } from '#actors/kit/jobs.ts';

/** One thread as the pool drives it: it runs one job, and may have another in hand. */
export interface JobThread {
  /** Hands over a job, which begins once the one before has ended; `end` is called once, with its result and the milliseconds that it ran. */
  begin(kind: JobKind, body: unknown, host: HostLine, end: (result: unknown, ms: number) => void): void;
  /** Takes back the job in hand; false when there is none, or it has begun. */
  withdraw(): boolean;
  /** For how many milliseconds the first of its jobs has run; null while that job has not begun. */
  ranMs(): number | null;
  /** Ends the thread at once. */
  kill(): void;
  /** The listener is called when the thread ends by itself. */
  onDeath(listener: () => void): void;
}

export interface PoolOptions {
  /** How many threads may run at once; asked before each start. */
  readonly threads: () => number;
  readonly start: () => JobThread;
}

interface Job {
  readonly kind: JobKind;
  readonly body: unknown;
  readonly budgetMs: number;
  readonly host: HostLine;
  readonly ran: JobRan | undefined;
  readonly settle: (end: JobEnd<never>) => void;
  /** Ends the wait for a thread. */
  waiting: NodeJS.Timeout | null;
}

/** A thread that has a job. */
interface Seat {
  readonly thread: JobThread;
  job: Job;
  ahead: Job | null;
  timer: NodeJS.Timeout;
}

/** Jobs of a start or a deploy. */
const READS: ReadonlySet<JobKind> = new Set(['product.load', 'product.kept', 'product.take', 'web.index']);

const noHost: HostLine = () => '{"error":"there is no host"}';

export class JobPool implements Jobs {
  readonly #options: PoolOptions;
  readonly #idle: JobThread[] = [];
  readonly #retiring = new Map<JobThread, NodeJS.Timeout>();
  /** Threads that have run a job of callers. */
  readonly #serving = new WeakSet<JobThread>();
  readonly #seats = new Set<Seat>();
  #queue: Job[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#seats.size;
  }

  get waiting(): number {
    return [...this.#seats].reduce((sum, { ahead }) => sum + (ahead === null ? 0 : 1), this.#queue.length);
  }

  run<K extends JobKind>(
    kind: K,
    body: JobKinds[K]['body'],
    budgetMs: number,
    host: HostLine = noHost,
    ran?: JobRan,
  ): Promise<JobEnd<JobKinds[K]['result']>> {
    return new Promise((settle) => {
      const job: Job = { kind, body, budgetMs, host, ran, settle, waiting: null };
      if (this.#seats.size < this.#options.threads()) this.#begin(job, this.#takeThread());
      else this.#enqueue(job);
    });
  }

  /** Ends every thread; what runs settles as killed. */
  close(): void {
    for (const seat of this.#seats) this.#takeBack(seat);
    for (const job of this.#queue.splice(0)) turnAway(job);
    for (const thread of this.#idle.splice(0)) this.#retire(thread);
  }

  #enqueue(job: Job): void {
    if (this.waiting >= limits.jobs.queueDepthMax) {
      job.settle({ kind: 'busy' });
      return;
    }
    this.#queue.push(job);
    job.waiting = setTimeout(() => this.#waitedTooLong(job), limits.jobs.waitMsMax);
    job.waiting.unref();
    for (const seat of this.#seats) this.#handAhead(seat);
  }

  #waitedTooLong(job: Job): void {
    const seat = [...this.#seats].find(({ ahead }) => ahead === job);
    if (seat !== undefined && !this.#takeBack(seat)) return; // it has begun
    this.#queue = this.#queue.filter((other) => other !== job);
    turnAway(job);
  }

  #begin(job: Job, thread: JobThread): void {
    const seat: Seat = { thread, job, ahead: null, timer: this.#watch(() => seat, job) };
    this.#seats.add(seat);
    stopWaiting(job);
    thread.onDeath(() => this.#lost(seat, 'crash'));
    this.#hand(seat, job);
    this.#handAhead(seat);
  }

  #hand(seat: Seat, job: Job): void {
    if (!READS.has(job.kind)) this.#serving.add(seat.thread);
    seat.thread.begin(job.kind, job.body, job.host, (result, ms) => this.#ended(seat, job, result, ms));
  }

  /** Gives each busy thread a next job, except one whose job takes long: another thread may be free before it. */
  #handAhead(seat: Seat): void {
    if (seat.ahead !== null || this.#isSlow(seat)) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    seat.ahead = job;
    this.#hand(seat, job);
  }

  #isSlow({ thread }: Seat): boolean {
    return (thread.ranMs() ?? 0) > limits.jobs.handMsMax;
  }

  /** Puts the job that a thread has in hand back at the head of the queue; false when it has begun, or there is none. */
  #takeBack(seat: Seat): boolean {
    const { ahead } = seat;
    if (ahead === null || !seat.thread.withdraw()) return false;
    seat.ahead = null;
    this.#queue.unshift(ahead);
    return true;
  }

  /** Watches a job until it ends: ends its thread when the job has run for its budget, or does not begin. */
  #watch(seatOf: () => Seat, job: Job): NodeJS.Timeout {
    const since = performance.now();
    const look = (): void => {
      const seat = seatOf();
      const ran = seat.thread.ranMs();
      const left = ran === null ? limits.jobs.startMsMax - (performance.now() - since) : job.budgetMs - ran;
      if (left > 0) seat.timer = setTimeout(look, Math.min(Math.ceil(left), job.budgetMs));
      else this.#lost(seat, ran === null ? 'crash' : 'time');
    };
    return setTimeout(look, job.budgetMs);
  }

  #ended(seat: Seat, job: Job, result: unknown, ms: number): void {
    if (seat.job !== job || !this.#seats.has(seat)) return;
    job.ran?.(ms);
    clearTimeout(seat.timer);
    const { ahead } = seat;
    if (ahead === null) this.#free(seat);
    else {
      seat.job = ahead;
      seat.ahead = null;
      stopWaiting(ahead);
      seat.timer = this.#watch(() => seat, ahead);
      this.#takeFromSlow();
      this.#handAhead(seat);
    }
    job.settle({ kind: 'done', result: result as never });
  }

  /** The thread of a seat has nothing to do. */
  #free(seat: Seat): void {
    this.#seats.delete(seat);
    this.#takeFromSlow();
    if (this.#queue.length === 0) for (const other of this.#seats) if (this.#takeBack(other)) break;
    const job = this.#queue.shift();
    if (job === undefined) this.#keep(seat.thread);
    else this.#begin(job, seat.thread);
  }

  #takeFromSlow(): void {
    for (const seat of this.#seats) if (seat.ahead !== null && this.#isSlow(seat)) this.#takeBack(seat);
  }

  #lost(seat: Seat, why: 'time' | 'crash'): void {
    if (!this.#seats.delete(seat)) return;
    clearTimeout(seat.timer);
    const { ahead } = seat;
    const isBegun = ahead !== null && !this.#takeBack(seat);
    seat.job.ran?.(seat.thread.ranMs() ?? 0);
    seat.thread.kill();
    seat.job.settle({ kind: 'killed', why });
    if (isBegun) ahead.settle({ kind: 'killed', why: 'crash' });
    const next = this.#queue.shift();
    if (next !== undefined) this.#begin(next, this.#takeThread());
  }

  #takeThread(): JobThread {
    const thread = this.#idle.pop() ?? this.#options.start();
    clearTimeout(this.#retiring.get(thread));
    this.#retiring.delete(thread);
    return thread;
  }

  /** Keeps an idle thread for a while, then ends it to free its memory. */
  #keep(thread: JobThread): void {
    this.#idle.push(thread);
    thread.onDeath(() => this.#retire(thread));
    const { idleMs, idleReadMs } = limits.jobs;
    const timer = setTimeout(() => this.#retire(thread), this.#serving.has(thread) ? idleMs : idleReadMs);
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

function stopWaiting(job: Job): void {
  if (job.waiting !== null) clearTimeout(job.waiting);
}

function turnAway(job: Job): void {
  stopWaiting(job);
  job.settle({ kind: 'busy' });
}
