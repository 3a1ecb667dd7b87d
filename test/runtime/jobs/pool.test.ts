/** The pool over threads that a test drives by hand: which jobs run, wait or are turned away, and what becomes of a runaway. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { JobPool, type JobThread } from '#runtime/jobs/pool.ts';
import { jobThreadsOf } from '#runtime/jobs/share.ts';

interface Handed {
  readonly source: string;
  readonly end: (result: unknown, ms: number) => void;
}

class FakeThread implements JobThread {
  isDead = false;
  /** The job that runs, and the one in hand. */
  jobs: Handed[] = [];
  /** Whether the one in hand has been begun, though its host has not heard of it. */
  isAheadBegun = false;
  beganAt: number | null = null;
  die: () => void = () => undefined;

  begin(_kind: string, body: unknown, _host: unknown, end: (result: unknown, ms: number) => void): void {
    this.jobs.push({ source: (body as { source: string }).source, end });
  }

  withdraw(): boolean {
    if (this.jobs.length < 2 || this.isAheadBegun) return false;
    this.jobs.pop();
    return true;
  }

  ranMs(): number | null {
    return this.beganAt === null ? null : performance.now() - this.beganAt;
  }

  kill(): void {
    this.isDead = true;
  }

  onDeath(listener: () => void): void {
    this.die = listener;
  }

  get source(): string | undefined {
    return this.jobs[0]?.source;
  }

  get ahead(): string | undefined {
    return this.jobs[1]?.source;
  }

  started(): void {
    this.beganAt = performance.now();
  }

  end(result: unknown): void {
    this.isAheadBegun = false;
    this.jobs.shift()!.end(result, 3);
  }
}

let threads: FakeThread[];
let pool: JobPool;
beforeEach(() => {
  vi.useFakeTimers();
  threads = [];
  pool = new JobPool({
    threads: () => 2,
    start: () => {
      const thread = new FakeThread();
      threads.push(thread);
      return thread;
    },
  });
});
afterEach(() => void vi.useRealTimers());

const BUDGET_MS = 500;
const run = (source: string) => pool.run('jq.check', { source }, BUDGET_MS);
const RESULT = { kind: 'body', text: '1' };

describe('threads', () => {
  test('none is started before it is needed, and never more than allowed', async () => {
    expect(threads).toHaveLength(0);
    for (const name of ['a', 'b', 'c']) void run(name);
    expect([threads.length, pool.running, pool.waiting]).toEqual([2, 2, 1]);
  });

  test('an idle thread takes the next job; after a while it goes', async () => {
    const first = run('a');
    threads[0]!.started();
    threads[0]!.end(RESULT);
    expect(await first).toEqual({ kind: 'done', result: RESULT });
    const second = run('b');
    expect(threads).toHaveLength(1);
    threads[0]!.end(RESULT);
    await second;
    vi.advanceTimersByTime(limits.jobs.idleMs);
    expect(threads[0]!.isDead).toBe(true);
    void run('c');
    expect(threads).toHaveLength(2);
  });

  test('one that has read products alone goes sooner; one that callers have used does not', async () => {
    const read = () => pool.run('web.index', {} as never, BUDGET_MS);
    const reads = [read(), run('a')];
    for (const thread of threads) thread.end(RESULT);
    await Promise.all(reads);
    vi.advanceTimersByTime(limits.jobs.idleReadMs);
    expect(threads.map(({ isDead }) => isDead)).toEqual([true, false]);
    const again = read();
    threads[1]!.end(RESULT);
    await again;
    vi.advanceTimersByTime(limits.jobs.idleReadMs);
    expect(threads.map(({ isDead }) => isDead)).toEqual([true, false]);
  });

  test('a thread that dies takes its job with it, and the next job gets another', async () => {
    const lost = run('a');
    threads[0]!.started();
    threads[0]!.die();
    expect(await lost).toEqual({ kind: 'killed', why: 'crash' });
    void run('b');
    expect(threads).toHaveLength(2);
  });

  test('an idle thread that dies is not given a job', async () => {
    const first = run('a');
    threads[0]!.end(RESULT);
    await first;
    threads[0]!.die();
    void run('b');
    expect(threads[1]!.source).toBe('b');
  });
});

describe('budgets', () => {
  test('it counts from when the job begins, and past it the thread goes', async () => {
    const runaway = run('a');
    vi.advanceTimersByTime(BUDGET_MS * 2);
    threads[0]!.started();
    vi.advanceTimersByTime(BUDGET_MS - 1);
    expect(threads[0]!.isDead).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await runaway).toEqual({ kind: 'killed', why: 'time' });
    expect(threads[0]!.isDead).toBe(true);
    threads[0]!.end(RESULT); // too late: the result is dropped
    expect(pool.running).toBe(0);
  });

  test('a thread that never begins is given up, too', async () => {
    const stuck = run('a');
    vi.advanceTimersByTime(limits.jobs.startMsMax);
    expect(await stuck).toEqual({ kind: 'killed', why: 'crash' });
  });
});

describe('the queue', () => {
  test('first come, first served: each busy thread has the next one in hand', async () => {
    const jobs = ['a', 'b', 'c', 'd', 'e'].map(run);
    expect(threads.map(({ source, ahead }) => [source, ahead])).toEqual([
      ['a', 'c'],
      ['b', 'd'],
    ]);
    expect([pool.running, pool.waiting]).toEqual([2, 3]);
    threads[0]!.end(RESULT);
    expect([threads[0]!.source, threads[0]!.ahead, pool.waiting]).toEqual(['c', 'e', 2]);
    for (const thread of [threads[0]!, threads[0]!, threads[0]!, threads[1]!]) thread.end(RESULT);
    expect(await Promise.all(jobs)).toEqual(jobs.map(() => ({ kind: 'done', result: RESULT })));
  });

  test('what is in hand goes to a thread that has nothing to do', () => {
    for (const name of ['a', 'b', 'c']) void run(name);
    expect(threads[0]!.ahead).toBe('c');
    threads[1]!.end(RESULT);
    expect([threads[0]!.ahead, threads[1]!.source]).toEqual([undefined, 'c']);
  });

  test('behind a job that takes long no job is in hand: a thread that comes free takes the one that waits longest', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) void run(name);
    for (const thread of threads) thread.started();
    vi.advanceTimersByTime(limits.jobs.handMsMax + 1);
    threads[1]!.beganAt = null;
    threads[1]!.end(RESULT); // d is begun, c comes back from behind a
    expect([threads[0]!.ahead, threads[1]!.source, threads[1]!.ahead]).toEqual([undefined, 'd', 'c']);
    void run('f');
    expect(threads[0]!.ahead).toBeUndefined();
  });

  test('a thread past its budget gives back what it has in hand, and the next thread begins with it', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(run);
    for (const thread of threads) thread.started();
    vi.advanceTimersByTime(BUDGET_MS);
    expect(await Promise.all([a, b])).toEqual([1, 2].map(() => ({ kind: 'killed', why: 'time' })));
    expect([threads.length, threads[2]!.source, pool.running]).toEqual([3, 'c', 1]);
    threads[2]!.end(RESULT);
    expect(await c).toEqual({ kind: 'done', result: RESULT });
  });

  test('a job that waits too long in a hand is taken back; one that began meanwhile is not turned away', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0); // the threads seem never to take long
    const [, , c, d] = ['a', 'b', 'c', 'd'].map((name) => pool.run('jq.check', { source: name }, 1e9));
    threads[1]!.isAheadBegun = true;
    vi.advanceTimersByTime(limits.jobs.waitMsMax);
    expect(await c).toEqual({ kind: 'busy' });
    expect(threads.map(({ ahead }) => ahead)).toEqual([undefined, 'd']);
    threads[1]!.end(RESULT);
    threads[1]!.end(RESULT);
    expect(await d).toEqual({ kind: 'done', result: RESULT });
    vi.restoreAllMocks();
  });

  test('a thread that dies after it began what it had in hand takes both jobs with it', async () => {
    const [a, , c] = ['a', 'b', 'c'].map(run);
    threads[0]!.isAheadBegun = true;
    threads[0]!.die();
    const crash = { kind: 'killed', why: 'crash' };
    expect(await Promise.all([a, c])).toEqual([crash, crash]);
    expect(pool.running).toBe(1);
  });

  test('a job that waits too long is turned away and never begins', async () => {
    void run('a');
    void run('b');
    const waiting = run('c');
    vi.advanceTimersByTime(limits.jobs.waitMsMax);
    expect(await waiting).toEqual({ kind: 'busy' });
    threads[0]!.end(RESULT);
    expect([pool.waiting, threads[0]!.source]).toEqual([0, undefined]);
  });

  test('a full queue turns the next one away at once', async () => {
    for (let i = 0; i < 2 + limits.jobs.queueDepthMax; i++) void run(`${i}`);
    expect(await run('too many')).toEqual({ kind: 'busy' });
    expect(pool.waiting).toBe(limits.jobs.queueDepthMax);
  });

  test('a closed pool turns away what waits', async () => {
    void run('a');
    void run('b');
    const waiting = run('c');
    pool.close();
    expect(await waiting).toEqual({ kind: 'busy' });
  });
});

test.each([
  [1, 1, [1]],
  [2, 1, [2]],
  [2, 2, [1, 1]],
  [5, 3, [2, 2, 1]],
])('%i job threads among %i hosts', (count, hosts, shares) => {
  expect(shares.map((_, host) => jobThreadsOf({ jobs: { threads: count }, hosts }, host))).toEqual(shares);
});
