/** What a node counts of its queues, its disk and its logins, in its own `/metrics`. Spec: docs/contract/platform.md §3.3. */
import { expect, test } from 'vitest';
import { Metrics } from '#runtime/observe/read-metrics.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { positionHeaders } from '#test/kit/test-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';

const on = useDataNode();

async function text(): Promise<string> {
  const { listeners } = on.it.node;
  return (await on.it.call('GET', '/metrics', {}, undefined, listeners['operations'])).text;
}

const valueOf = (metrics: string, series: string): number =>
  Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  );

test('a login counts by its result, and no other request does', async () => {
  const body = { login: 'ada@example.org', password: 'not the password' };
  const before = await text();
  for (let tries = 0; tries < 2; tries++)
    expect((await on.it.call('POST', '/auth/login', positionHeaders(TENANT), body)).status).toBe(401);
  expect((await on.it.call('POST', '/auth/login', positionHeaders(TENANT), { login: 7 })).status).toBe(400);
  const after = await text();
  const grown = (result: string): number => {
    const series = `skep_logins_total{result="${result}"}`;
    return valueOf(after, series) - valueOf(before, series);
  };
  expect(['ok', 'refused', 'limited', 'failed'].map(grown)).toEqual([0, 2, 0, 1]);
});

test('a write waits for a synchronisation of the journal, which is timed', async () => {
  const before = valueOf(await text(), 'skep_journal_sync_seconds_count');
  expect((await on.it.call('POST', '/data/rest/item', on.bearer, { name: 'timed' })).status).toBe(201);
  expect(valueOf(await text(), 'skep_journal_sync_seconds_count')).toBeGreaterThan(before);
  expect(valueOf(await text(), 'skep_journal_sync_seconds_sum')).toBeGreaterThan(0);
});

test('outboxes, parcels and jobs are there, by fixed labels', async () => {
  const shown = await text();
  expect(() => Metrics.of(shown)).not.toThrow();
  for (const kind of ['mail', 'webhook', 'notice', 'audit'])
    for (const name of ['skep_outboxes_waiting', 'skep_parcels_held', 'skep_parcels_oldest_seconds'])
      expect(valueOf(shown, `${name}{kind="${kind}"}`)).toBeGreaterThanOrEqual(0);
  expect(valueOf(shown, 'skep_parcels_settled_total{kind="mail",outcome="given_up"}')).toBe(0);
  for (const name of ['skep_jobs_running', 'skep_jobs_waiting'])
    // Provisioning has loaded the product in a job, and gauges are taken once a second.
    await expect.poll(async () => valueOf(await text(), `${name}{thread="host-0"}`), { timeout: 20_000 }).toBe(0);
});
