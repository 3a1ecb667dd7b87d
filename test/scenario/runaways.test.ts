/** Sixteen runaway expressions and scripts at once over HTTP: docs/contract/data.md §2.2, docs/contract/data-behaviour.md §3.2; docs/decisions/languages.md LA-3. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import type { Answer } from '#test/kit/test-node.ts';

const THREADS = 2;
const EACH = 8;
const MB = 2 ** 20;

const on = useDataNode({ product: 'scripted', extra: `jobs: { threads: ${THREADS} }` });

const codeOf = ({ json }: Answer): unknown => (json as { code?: unknown } | undefined)?.code;
const rssBytes = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024;
const threads = (): number => Number(/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]);

const express = (program: string): Promise<Answer> =>
  on.it.call('GET', `/data/rest/item?expression=${encodeURIComponent(program)}`, on.bearer);
const wellBehaved = async (): Promise<void> => {
  expect((await express('0 | todate')).json).toBe('1970-01-01T00:00:00Z');
  expect((await on.it.call('POST', '/data/x/run', on.bearer, { code: 'return 1;' })).json).toBe(1);
};

test('each is answered 500 by its budget or 503 with Retry-After, others are answered meanwhile, and no thread or memory stays', async () => {
  await Promise.all([wellBehaved(), wellBehaved()]);
  const before = { rss: rssBytes(), threads: threads() };
  const order: string[] = [];
  const noted = (kind: string, answer: Promise<Answer>): Promise<Answer> =>
    answer.then((given) => {
      order.push(kind);
      return given;
    });
  const runaways = Array.from({ length: EACH }, () => [
    noted('runaway', express('last(range(1e12))')),
    noted('runaway', on.it.call('GET', '/data/x/loop', on.bearer)),
  ]).flat();
  // The first runaway ends after a second, as its own budget says: a request before then need not wait for it.
  for (let i = 0; i < 10; i++)
    expect((await noted('read', on.it.call('GET', '/data/rest/item?limit=1', on.bearer))).status).toBe(200);
  expect(order[0]).toBe('read');
  const written = await on.it.call('POST', '/data/rest/item', on.bearer, { name: 'meanwhile', price: 1 });
  expect(written.status).toBe(201);
  const answers = await Promise.all(runaways);
  const ran = answers.filter(({ status }) => status === 500);
  for (const answer of answers) {
    if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe(String(limits.jobs.retryAfterSeconds));
    else expect(['v2.expression_runtime', 'v2.script_error']).toContain(codeOf(answer));
  }
  // Two at once, and one more within the second that a job may wait.
  expect(ran.length).toBeGreaterThanOrEqual(THREADS);
  expect(ran.length).toBeLessThanOrEqual(3 * THREADS);
  await wellBehaved();
  expect(threads()).toBeLessThanOrEqual(before.threads + THREADS);
  expect(rssBytes() - before.rss).toBeLessThan(300 * MB);
});
