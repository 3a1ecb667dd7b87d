/** What operators see of a link: metrics that alerts ask for, `/readyz`, `skep cluster status`, and the route of the console, while it is up and while it is cut. */
import { describe, expect, test } from 'vitest';
import type { NodeCluster } from '#actors/protocol/node-view.ts';
import type { NodeStatus } from '#runtime/cluster/shards.ts';
import { metricsIn, metricsShown, rulesOf } from '#test/kit/alert-rules.ts';
import { readiness } from '#test/kit/node-pair.ts';
import { call } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { metricOf, type FarWorld } from './world.ts';

const SOON = { timeout: 20_000 };
const BEHIND_MAX = 1_000_000;

export function linkShown(on: () => FarWorld): void {
  const linkedByStatus = async (): Promise<boolean | null | undefined> => {
    const { out } = await skep(`cluster status -f ${on().pair.machines[0].file} -o json`);
    return (JSON.parse(out) as { nodes: readonly NodeStatus[] }).nodes.find(({ state }) => state === 'stands by')
      ?.linked;
  };

  describe('what is shown of a link', () => {
    test('both nodes together show every metric that alerts of such nodes ask for', async () => {
      const { pair } = on();
      const [near, far] = pair.machines;
      await pair.followed(far, BEHIND_MAX);
      const texts = [near, far].map(async ({ operations }) => (await fetch(`${operations}/metrics`)).text());
      const names = metricsShown((await Promise.all(texts)).join('\n'));
      const asked = metricsIn(rulesOf('skep-cluster'));
      expect(asked.length).toBeGreaterThan(8);
      expect(asked.filter((name) => !names.has(name))).toEqual([]);
      const values = (...which: readonly (readonly [typeof near, string])[]) =>
        Promise.all(which.map(([machine, name]) => metricOf(machine, name)));
      await expect
        .poll(
          () =>
            values(
              [far, 'skep_link_up'],
              [far, 'skep_standby_follows'],
              [near, 'skep_link_nodes'],
              [near, 'skep_standbys'],
            ),
          SOON,
        )
        .toEqual([1, 1, 1, 1]);
      // What callers of the far door asked is counted there, and what only a node shows that serves is not.
      expect(await metricOf(far, 'skep_requests_total')).toBeGreaterThan(10);
      expect(await metricOf(far, 'skep_lease_seconds')).toBeNull();
      expect(await metricOf(far, 'skep_standbys')).toBeNull();
    });

    test('one that is cut is told at each place, and so is its end', async () => {
      const { far, headers, pair, proxy } = on();
      const [one, two] = pair.machines;
      const lost = (await metricOf(two, 'skep_link_lost_total'))!;
      proxy.isShut = true;
      proxy.hangUp();
      await expect.poll(() => readiness(two), SOON).toContain('no link: ');
      expect(await metricOf(two, 'skep_link_up')).toBe(0);
      expect(await metricOf(two, 'skep_link_lost_total')).toBe(lost + 1);
      expect((await fetch(`${far}/ready`)).status).toBe(503);
      const refused = await call(far, 'GET', '/data/rest/item?limit=1', headers);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      await expect.poll(linkedByStatus, SOON).toBe(false);
      await expect.poll(() => metricOf(one, 'skep_link_nodes'), SOON).toBe(0);
      proxy.isShut = false;
      await expect.poll(() => readiness(two), SOON).toContain(', linked');
      expect((await fetch(`${far}/ready`)).status).toBe(200);
      await expect.poll(linkedByStatus, SOON).toBe(true);
    });

    test('a superadmin is told by the route of the console, through the far door', async () => {
      const { far } = on();
      const root = await on().root();
      const mates = async () => {
        const { json, status, text } = await call(far, 'GET', '/superadmin/node/cluster', root);
        expect(status, text).toBe(200);
        return (json as NodeCluster).log!.nodes;
      };
      await expect
        .poll(async () => (await mates()).map(({ state, linked }) => [state, linked]), SOON)
        .toEqual(
          expect.arrayContaining([
            ['serves', null],
            ['stands by', true],
          ]),
        );
      for (const { link, state } of await mates()) if (state !== 'ended') expect(link).toMatch(/^127\.0\.0\.1:\d+$/);
    });
  });
}
