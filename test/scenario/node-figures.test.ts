/** The figures of the last hour, and the cluster of a node that has none, as a superadmin of the control plane asks for them. Spec: docs/contract/node.md §9, §10. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import type { NodeFigures } from '#actors/protocol/node-view.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const ROOT = { login: 'root@example.org', password: 'a long enough password' };

let it: TestNode;
let root: Headers;
beforeAll(async () => {
  it = await startTestNode({ hosts: 2 });
  await it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...ROOT, roles: ['superadmin'] });
  const at = positionHeaders(CONTROL_PLANE);
  const { json } = await it.call('POST', '/auth/login', at, ROOT);
  root = { ...at, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}, 60_000);
afterAll(() => it.stop());

const figures = async () => (await it.call('GET', '/superadmin/node/figures', root)).json as NodeFigures;

test('the point that has begun has what was answered, and memory and lag of all threads', async () => {
  await expect
    .poll(async () => (await figures()).points.at(-1), { timeout: 20_000 })
    .toMatchObject({
      requests_per_second: expect.toSatisfy((rate: number) => rate > 0),
      p50_ms: expect.any(Number),
      heap_bytes: expect.toSatisfy((bytes: number) => bytes > 1_000_000),
      rss_bytes: expect.toSatisfy((bytes: number) => bytes > 10_000_000),
    });
  const { every_seconds: every, points } = await figures();
  expect(every * 1000).toBe(limits.nodeView.figureEveryMs);
  const { p50_ms: half, p99_ms: most } = points.at(-1)!;
  expect(most).toBeGreaterThanOrEqual(half!);
});

test('a node whose journal lies in files is on no log', async () => {
  const { status, json } = await it.call('GET', '/superadmin/node/cluster', root);
  expect([status, json]).toEqual([200, { log: null }]);
});
