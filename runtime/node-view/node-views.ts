/** Puts together what main shows of the node (topic `node.ask`). The caller was judged before; nothing here changes anything. */
import { limits } from '#config/limits.ts';
import type { NodeViews } from '#runtime/node-asks.ts';
import { BucketsView } from './buckets.ts';
import { ClusterView } from './cluster.ts';
import { ConfigurationView } from './configuration.ts';
import { healthOf } from './health.ts';
import { LogsView } from './logs.ts';
import { tenantsOf } from './tenants.ts';
import { vaultOf } from './vault.ts';
import type { ViewParts } from './view-parts.ts';

/** To be called before the vault's secrets are in the platform: the settings that are shown name them, as the file does. */
export function nodeViews(parts: ViewParts): NodeViews {
  const { figures, load, rates } = parts;
  const cluster = new ClusterView(parts);
  const logs = new LogsView(parts);
  const configuration = new ConfigurationView(parts.live.platform);
  const buckets = new BucketsView(parts);
  return {
    'node.buckets': () => buckets.list(limits.nodeView.refusedTenants),
    'node.cluster': () => cluster.show(),
    'node.figures': () => figures.list(),
    'node.health': () => healthOf(parts, limits.nodeView.degradedMax),
    'node.configuration': ({ after, limit }) => configuration.page(after, limit),
    'node.load': ({ minutes, limit }) => ({
      ...load.loads(minutes, limit, performance.now()),
      rates: rates
        .counts()
        .map(({ profile, entries, refused, overflowed }) => ({ profile, callers: entries, refused, overflowed })),
    }),
    'node.tenants': ({ tenants }) => tenantsOf(parts, tenants),
    'node.logs': (ask) => logs.lines(ask),
    'node.vault': () => vaultOf(parts),
    'node.slow': ({ minutes, limit }) => ({ minutes, requests: load.slow(minutes, limit, performance.now()) }),
  };
}
