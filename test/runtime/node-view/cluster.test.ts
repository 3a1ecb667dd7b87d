/** What the cluster view says while the database answers, fails, or keeps still. The answers of a real one: test/scenario/console-cluster-chromium.test.ts. */
import { beforeEach, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { OwnPlace } from '#runtime/cluster/cluster-node.ts';
import type { LogSight } from '#runtime/cluster/log-sight.ts';
import { ClusterView } from '#runtime/node-view/cluster.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';

const { clusterFreshMs, clusterNodesMax, clusterShardsMax, clusterWaitMs } = limits.nodeView;
const own: OwnPlace = { node: 'n1', leaseMs: 15_000, leftMs: 12_000, servedMs: 5000, before: 'n2', cause: 'silent' };
const platform = { cluster: { reads: 'lease' } } as Platform;
const host = { desk: { name: 'host-0' }, shards: [0, 1] } as unknown as ReturnType<
  Supervisor['places']
> extends Iterable<infer P>
  ? P
  : never;
const supervisor = { isServing: () => true, spare: undefined, places: () => [host].values() };

function sightOf(shards: number, nodes = 1): LogSight {
  return {
    database: { name: 'db/log', bytes: 1, findings: [], members: [] },
    nodes: Array.from({ length: nodes }, (_, no) => {
      return {
        node: `n${no}`,
        state: 'serves',
        beat_seconds: 1,
        lease_seconds: 15,
        behind: null,
        behind_seconds: null,
        link: null,
        linked: null,
        carries: null,
      };
    }),
    shards: Array.from({ length: shards }, (_, shard) => {
      const at = { epoch: 1, last: 9, confirmed: 8, trimmed: 0, copy: null, copied_at: null, behind: 9 };
      return { shard, owner: 'n1', ...at };
    }),
  };
}

let answers: (() => Promise<LogSight>)[];
let asked: number;
let view: ClusterView;

beforeEach(() => {
  vi.useFakeTimers();
  answers = [];
  asked = 0;
  const parts = { cluster: { own }, live: { platform, doors: null }, supervisor } as never;
  view = new ClusterView(parts, () => answers[asked++]!());
  return () => vi.useRealTimers();
});

const logOf = async () => (await view.show()).log!;

test('a look counts for some seconds, for all who ask; shards have their threads, and lists their bounds', async () => {
  answers = [async () => sightOf(clusterShardsMax + 3, clusterNodesMax + 2), async () => sightOf(1)];
  const [first, second] = await Promise.all([logOf(), logOf()]);
  expect([asked, first]).toEqual([1, second]);
  expect(first).toMatchObject({ node: 'n1', before: 'n2', why: 'silent', failed: null, shards_more: 3, nodes_more: 2 });
  expect([first.shards.length, first.nodes.length]).toEqual([clusterShardsMax, clusterNodesMax]);
  expect(first.shards.slice(0, 3).map(({ host: name }) => name)).toEqual(['host-0', 'host-0', null]);
  vi.advanceTimersByTime(clusterFreshMs);
  expect((await logOf()).shards).toHaveLength(1);
});

test('a database that fails is said, in one line, beside what it said before', async () => {
  answers = [async () => sightOf(2), () => Promise.reject(new Error('db/log: refused\n    skep cluster check'))];
  const before = await logOf();
  vi.advanceTimersByTime(clusterFreshMs);
  const after = await logOf();
  expect(after).toMatchObject({ failed: 'db/log: refused', asked_at: before.asked_at, shards: before.shards });
});

test('one that keeps still holds an answer up for so long, and is asked once', async () => {
  answers = [() => new Promise(() => undefined)];
  for (let look = 0; look < 2; look++) {
    const said = logOf();
    await vi.advanceTimersByTimeAsync(clusterWaitMs);
    expect(await said).toMatchObject({ failed: 'the database has not answered for 3 s', asked_at: null, shards: [] });
  }
  expect(asked).toBe(1);
});
