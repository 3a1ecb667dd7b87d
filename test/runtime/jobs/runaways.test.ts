/** Sixteen runaway programs and scripts at once, on real threads: how many run together, when each ends, what is left of them. */
import { afterEach, expect, test } from 'vitest';
import type { JobEnd, ScriptJob } from '#actors/kit/jobs.ts';
import { limits } from '#config/limits.ts';
import { JobPool, type JobThread } from '#runtime/jobs/pool.ts';
import { startJobThread } from '#runtime/jobs/worker-thread.ts';

const THREADS = 2;
const EACH = 8;
/** What a runaway may take beyond its budget. */
const ABOVE_MS = 500;
const MB = 2 ** 20;

interface Watched {
  /** Threads that have been started and not ended. */
  readonly alive: Set<JobThread>;
  /** How long each job that was ended by force had run. */
  readonly killedAfterMs: number[];
  started: number;
}

function watched(): { readonly pool: JobPool; readonly seen: Watched } {
  const seen: Watched = { alive: new Set(), killedAfterMs: [], started: 0 };
  const pool = new JobPool({
    threads: () => THREADS,
    start: () => {
      const inner = startJobThread(() => undefined);
      const thread: JobThread = {
        ...inner,
        kill() {
          seen.killedAfterMs.push(inner.ranMs() ?? 0);
          seen.alive.delete(thread);
          inner.kill();
        },
      };
      seen.started++;
      seen.alive.add(thread);
      return thread;
    },
  });
  return { pool, seen };
}

let pool: JobPool;
afterEach(() => pool.close());

const script = (source: string): ScriptJob => ({
  source,
  name: 'runaway.js',
  request: '{}',
  functions: ['db.get'],
  memoryBytesMax: limits.scripts.memoryBytesMax,
  timeMsMax: limits.scripts.timeMsMax,
  nestedMax: 0,
});
const EXPRESSION_MS = limits.expressions.timeMsMax;
const SCRIPT_MS = limits.scripts.timeMsMax + limits.jobs.graceMs;

test('never more than the threads run, each ends by its budget, a job that would wait longer is turned away, and the pool is whole again', async () => {
  const made = watched();
  ({ pool } = made);
  const { seen } = made;
  // Both kinds are loaded on both threads before.
  const warm = () => [
    pool.run('jq.check', { source: '.' }, EXPRESSION_MS),
    pool.run('script', script('return 1;'), SCRIPT_MS),
  ];
  await Promise.all([...warm(), ...warm()]);
  const rssBefore = process.memoryUsage().rss;
  let most = 0;
  const runs: Promise<JobEnd<unknown>>[] = [];
  const note = (): void => void (most = Math.max(most, pool.running, seen.alive.size));
  for (let i = 0; i < EACH; i++) {
    runs.push(pool.run('jq.run', { source: 'last(range(1e12))', text: 'null', fast: false }, EXPRESSION_MS));
    runs.push(pool.run('script', script('for (;;) {}'), SCRIPT_MS));
    note();
  }
  const ends = await Promise.all(
    runs.map((run) =>
      run.then((end) => {
        note();
        return end;
      }),
    ),
  );
  expect(most).toBe(THREADS);
  const expressions = ends.filter((_, i) => i % 2 === 0).map(({ kind }) => kind);
  const scripts = ends.filter((_, i) => i % 2 === 1);
  expect(expressions.filter((kind) => kind !== 'killed' && kind !== 'busy')).toEqual([]);
  expect(expressions).toContain('killed');
  // A script's own sandbox ends it; its thread is then used again.
  for (const end of scripts)
    expect([
      { kind: 'busy' },
      { kind: 'done', result: { kind: 'failed', message: 'the script took longer than it may' } },
    ]).toContainEqual(end);
  for (const ms of seen.killedAfterMs) expect(ms).toBeLessThan(EXPRESSION_MS + ABOVE_MS);
  // A job that waited as long as it may is among them: two threads cannot run sixteen within it.
  expect(ends.filter(({ kind }) => kind === 'busy').length).toBeGreaterThanOrEqual(2 * EACH - 3 * THREADS);
  expect([pool.running, pool.waiting]).toEqual([0, 0]);
  expect(await Promise.all(warm())).toMatchObject([
    { kind: 'done' },
    { kind: 'done', result: { kind: 'value', text: '1' } },
  ]);
  expect(seen.alive.size).toBeLessThanOrEqual(THREADS);
  expect(process.memoryUsage().rss - rssBefore).toBeLessThan(256 * MB);
});

test(
  'programs that double a text or a value end within their job, and the process goes on',
  { timeout: 60_000 },
  async () => {
    ({ pool } = watched());
    const sources = [
      `reduce range(30) as $i ("'"; @sh) | length`,
      String.raw`reduce range(30) as $i ("\""; [.] | @csv) | length`,
      `reduce range(40) as $i ([1]; [., .]) | tojson | length`,
      String.raw`reduce range(1000000) as $i ({}; .["a\($i)"] = $i) | length`,
      `[range(1000000000) | {a: .}] | length`,
    ];
    for (const source of sources) {
      const end = await pool.run('jq.run', { source, text: 'null', fast: true }, EXPRESSION_MS);
      expect(end.kind === 'done' ? end.result.kind : end.kind, source).toMatch(/^(?:killed|failed)$/);
    }
    const after = await pool.run('jq.run', { source: '1 + 1', text: 'null', fast: true }, EXPRESSION_MS);
    expect(after).toEqual({ kind: 'done', result: { kind: 'body', text: '2' } });
  },
);

test('short jobs behind a runaway run on the other thread, all of them, before it ends', async () => {
  ({ pool } = watched());
  const short = (n: number) => pool.run('script', { ...script('return request;'), request: String(n) }, SCRIPT_MS);
  await Promise.all([short(0), short(0)]);
  const order: string[] = [];
  const runaway = pool.run('script', script('for (;;) {}'), SCRIPT_MS).then(() => order.push('runaway'));
  const shorts = Array.from({ length: 40 }, (_, i) =>
    short(i).then((end) => {
      order.push('short');
      return end;
    }),
  );
  const values = (await Promise.all(shorts)).map((end) => (end.kind === 'done' ? end.result : end));
  await runaway;
  expect(values).toEqual(Array.from({ length: 40 }, (_, i) => ({ kind: 'value', text: String(i) })));
  expect(order.at(-1)).toBe('runaway');
});

test('a host that answers late and a host that answers never: the script ends, and the next one is answered rightly', async () => {
  ({ pool } = watched());
  const ask = script('return db.get("item", "1");');
  const never = pool.run('script', ask, SCRIPT_MS, () => new Promise<string>(() => undefined));
  const late = pool.run(
    'script',
    ask,
    SCRIPT_MS,
    () => new Promise((resolve) => setImmediate(() => resolve('{"value":1}'))),
  );
  const next = pool.run('script', ask, SCRIPT_MS, () => '{"value":2}');
  expect(await late).toMatchObject({ kind: 'done', result: { kind: 'value', text: '1' } });
  expect(await next).toMatchObject({ kind: 'done', result: { kind: 'value', text: '2' } });
  expect(await never).toMatchObject({ kind: 'done', result: { kind: 'failed' } });
  const after = await Promise.all([1, 2, 3].map((n) => pool.run('script', ask, SCRIPT_MS, () => `{"value":${n}}`)));
  expect(after.map((end) => end.kind === 'done' && end.result)).toEqual(
    [1, 2, 3].map((n) => ({ kind: 'value', text: String(n) })),
  );
});
