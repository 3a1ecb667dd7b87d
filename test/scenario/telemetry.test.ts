/** Metrics and the access log of a real node. Spec: docs/contract/platform.md §3.3, §4. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';

const on = useDataNode();

/** The value of one series; NaN where it is not shown. */
async function metric(series: string): Promise<number> {
  const { text } = await on.it.call('GET', '/metrics', {}, undefined, on.it.node.listeners['operations']);
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length),
  );
}

test('each answer is in a histogram of its service and class, and of its tenant', async () => {
  const read = 'skep_request_seconds_count{service="data",class="read"}';
  const write = 'skep_request_seconds_count{service="data",class="write"}';
  const mine = `skep_tenant_request_seconds_count{tenant="${TENANT}"}`;
  const refused = `skep_tenant_requests_total{tenant="${TENANT}",status="4xx"}`;
  const before = [await metric(read), await metric(write), await metric(mine), await metric(refused)];
  for (let i = 0; i < 3; i++) await on.it.call('GET', '/data/rest/item', on.bearer);
  await on.it.call('POST', '/data/rest/item', on.bearer, { name: 'counted' });
  await on.it.call('GET', '/data/rest/item/id/absent', on.bearer);
  const after = [await metric(read), await metric(write), await metric(mine), await metric(refused)];
  expect(after.map((value, i) => value - before[i]!)).toEqual([4, 1, 5, 1]);
});

test('answers of unknown paths count for the door and for no tenant', async () => {
  const door = 'skep_request_seconds_count{service="door",class="read"}';
  const before = await metric(door);
  await on.it.call('GET', '/nothing/here', on.bearer);
  expect(await metric(door)).toBe(before + 1);
});

interface Line {
  readonly msg: string;
  readonly service: string;
  readonly route: string;
  readonly tenant: string;
  readonly status: number;
  readonly ms: number;
  readonly request_id: string;
}

/** A directory with provisioned tenants, whose platform file has these lines in its section `gateway`. */
async function served(gateway: string) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-telemetry-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const before = await startTestNode({ dir });
  await before.stop();
  const file = join(dir, 'platform.yaml');
  const text = readFileSync(file, 'utf8').replace('gateway: {', `gateway: { ${gateway},`);
  writeFileSync(file, text.replace(/^log: .*$/m, ''));
  const node = await startProcess(file);
  onTestFinished(async () => void (await node.end('SIGTERM')));
  return { node, serviceKey: before.serviceKey };
}

test('gateway.access_log: a line for each answer, without path, query, token or key', async () => {
  const { node, serviceKey } = await served('access_log: { enabled: true }');
  const gateway = node.listeners['gateway']!;
  const token = await exchange(gateway, serviceKey);
  const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}`, 'X-Request-Id': 'mine-1' };
  const answer = await call(gateway, 'GET', '/data/rest/item?name=a-private-name', headers);
  expect(answer.status).toBe(200);
  await call(gateway, 'GET', '/nothing/here', headers);
  await node.end('SIGTERM'); // what waits is written then
  const lines = node
    .logged()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as Line);
  // A piece that is being written when the node ends may stand behind the one that is written last.
  const mine = lines.filter(({ request_id }) => request_id === 'mine-1').toSorted((a, b) => a.status - b.status);
  expect(mine).toMatchObject([
    { service: 'door', method: 'GET', route: '/data/rest/{entity}', tenant: TENANT, status: 200, by: 'data' },
    { service: 'door', method: 'GET', route: '', tenant: '', status: 404, by: 'door' },
  ]);
  expect(mine[0]!.ms).toBeGreaterThan(0);
  for (const secret of [token, serviceKey, 'a-private-name', '/nothing/here'])
    expect(JSON.stringify(lines)).not.toContain(secret);
});
