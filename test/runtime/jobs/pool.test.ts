/** The pool over threads that a test drives by hand: who runs, who waits, who is turned away, and what becomes of a runaway. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { JobPool } from '#runtime/jobs/pool.ts';
import type { JobThread } from '#runtime/jobs/pool.ts';
import { jobThreadsOf } from '#runtime/jobs/share.ts';

class FakeThread implements JobThread {
  isDead = false;
  source = '';
  started: () => void = () => undefined;
  end: (result: unknown) => void = () => undefined;
  die: () => void = () => undefined;

  begin(_kind: string, body: unknown, _host: unknown, started: () => void, end: (result: unknown) => void): void {
    this.source = (body as { source: string }).source;
    this.started = started;
    this.end = end;
  }

  kill(): void {
    this.isDead = true;
  }

  onDeath(listener: () => void): void {
    this.die = listener;
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
  test('it counts from when the job says that it begins, and past it the thread goes', async () => {
    const runaway = run('a');
    vi.advanceTimersByTime(BUDGET_MS * 2);
    threads[0]!.started();
    vi.advanceTimersByTime(BUDGET_MS - 1);
    expect(threads[0]!.isDead).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await runaway).toEqual({ kind: 'killed', why: 'time' });
    expect(threads[0]!.isDead).toBe(true);
    threads[0]!.end(RESULT); // too late: nobody hears it
    expect(pool.running).toBe(0);
  });

  test('a thread that never begins is given up, too', async () => {
    const stuck = run('a');
    vi.advanceTimersByTime(limits.jobs.startMsMax);
    expect(await stuck).toEqual({ kind: 'killed', why: 'crash' });
  });
});

describe('the queue', () => {
  test('first come, first served, on the thread that comes free', async () => {
    const jobs = ['a', 'b', 'c', 'd'].map(run);
    threads[1]!.end(RESULT);
    expect(threads[1]!.source).toBe('c');
    threads[0]!.end(RESULT);
    expect(threads[0]!.source).toBe('d');
    threads[0]!.end(RESULT);
    threads[1]!.end(RESULT);
    expect(await Promise.all(jobs)).toEqual(jobs.map(() => ({ kind: 'done', result: RESULT })));
  });

  test('who waits too long is turned away and never begins', async () => {
    void run('a');
    void run('b');
    const waiting = run('c');
    vi.advanceTimersByTime(limits.jobs.waitMsMax);
    expect(await waiting).toEqual({ kind: 'busy' });
    threads[0]!.end(RESULT);
    expect([pool.waiting, threads[0]!.source]).toEqual([0, 'a']);
  });

  test('a full queue turns the next one away at once', async () => {
    for (let i = 0; i < 2 + limits.jobs.queueDepthMax; i++) void run(`${i}`);
    expect(await run('too many')).toEqual({ kind: 'busy' });
    expect(pool.waiting).toBe(limits.jobs.queueDepthMax);
  });

  test('a closed pool turns away who waits', async () => {
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
