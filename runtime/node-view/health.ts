/** The node's health, from what main already knows: no thread is asked, so that one that stands still does not hold the answer up. */
import { timestamp } from '#actors/kit/clock.ts';
import type { NodeHealth, UNREADY } from '#actors/protocol/node-view.ts';
import { hostColumn } from '#runtime/observe/columns.ts';
import { cellOf, readCell } from '#runtime/observe/metric-table.ts';
import { skepVersion } from '#runtime/version.ts';
import type { ViewParts } from './view-parts.ts';

const CELLS = {
  tenants_awake: cellOf('activations'),
  waiting: cellOf('mailboxDepth'),
  journal_bytes: cellOf('journalBytes'),
  journal_syncs: cellOf('journalSyncs'),
  overlay_entries: cellOf('overlayEntries'),
  lag_records: cellOf('lmdbLag'),
};

/** `degradedMax`: so many degraded things are listed, the others are counted. */
export function healthOf(parts: ViewParts, degradedMax: number): NodeHealth {
  const { copy, degraded, disk, supervisor } = parts;
  const reasons = reasonsOf(parts);
  const listed = degraded.list();
  return {
    ready: reasons.length === 0,
    reasons,
    version: skepVersion(),
    started_at: timestamp(performance.timeOrigin),
    threads: threadsOf(parts),
    spare: supervisor.spare !== undefined,
    hosts: hostsOf(parts),
    journal_copy: copy.health,
    disk: disk.health,
    degraded: listed.slice(0, degradedMax),
    degraded_more: degraded.unlisted + Math.max(0, listed.length - degradedMax),
  };
}

/** As `/readyz` decides. */
function reasonsOf({ degraded, live, supervisor, watchdog }: ViewParts): (typeof UNREADY)[number][] {
  const reasons: (typeof UNREADY)[number][] = [];
  if (live.doors?.isDraining !== false) reasons.push('draining');
  if (!supervisor.isServing(watchdog.still)) reasons.push('no_host');
  if (degraded.concernsAll) reasons.push('degraded');
  return reasons;
}

function threadsOf({ supervisor, watchdog }: ViewParts): NodeHealth['threads'] {
  const { quiet, still } = watchdog;
  return Array.from(supervisor.places(), ({ desk: { name, outbox, since, threads } }) => ({
    name,
    state: outbox === null ? 'away' : still.has(name) ? 'still' : 'serving',
    since: since === null ? null : timestamp(since),
    restarts: Math.max(0, threads - 1),
    quiet_ms: Math.round(quiet.get(name) ?? 0),
  }));
}

function hostsOf({ metrics, supervisor }: ViewParts): NodeHealth['hosts'] {
  return [...supervisor.places()].flatMap(({ desk: { name }, shards }, no) => {
    if (shards === null) return [];
    const of = (key: keyof typeof CELLS): number => readCell(metrics, hostColumn(no), CELLS[key]);
    return [
      {
        name,
        shards,
        tenants_awake: of('tenants_awake'),
        waiting: of('waiting'),
        journal_bytes: of('journal_bytes'),
        journal_syncs: of('journal_syncs'),
        overlay_entries: of('overlay_entries'),
        lag_records: of('lag_records'),
      },
    ];
  });
}
