/** Where tenants are and which revisions they serve. Hosts read that from their stores, without waking a tenant; one that stands still is not asked, and one that is late is not waited for. */
import { setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import type { NodeTenants, ServedPlace } from '#actors/protocol/node-view.ts';
import type { ViewParts } from './view-parts.ts';

type Parts = Pick<ViewParts, 'rooms' | 'supervisor' | 'watchdog'>;

/** For each place, in its order. */
export async function tenantsOf(parts: Parts, places: readonly ServedPlace[]): Promise<NodeTenants> {
  const hostOf = new Map<number, string>();
  for (const { desk, shards } of parts.supervisor.places()) for (const no of shards ?? []) hostOf.set(no, desk.name);
  const byHost = Map.groupBy(places, ({ shard }) => hostOf.get(shard));
  const revisions = new Map<number, string | null>();
  await Promise.all(
    Array.from(byHost, async ([host, own]) => {
      if (host === undefined || parts.watchdog.still.has(host)) return;
      const known = await revisionsOf(parts, own);
      own.forEach(({ no }, at) => revisions.set(no, known[at] ?? null));
    }),
  );
  return places.map(({ no, shard }) => ({ host: hostOf.get(shard) ?? null, revision: revisions.get(no) ?? null }));
}

/** Of tenants of one host; none where it does not answer in time. */
async function revisionsOf({ rooms }: Parts, own: readonly ServedPlace[]): Promise<readonly (string | null)[]> {
  const numbers = own.map(({ no }) => no);
  const asked = rooms.hosts.revisionsOf(own[0]!.shard, numbers).catch(() => []);
  return Promise.race([asked, passed(limits.nodeView.revisionsWaitMs, [], { ref: false })]);
}
