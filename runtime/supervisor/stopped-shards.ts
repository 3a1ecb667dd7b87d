/** Shards that a damaged journal has stopped: which journals stay for them, and what the operator is told. */
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { StoppedShard } from '#actors/protocol/topics.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';

const MEND =
  'stop the node and keep a copy of the data directory; then either restore the directory from a backup, or give the lost records up ' +
  'with skep storage repair <dir> --drop-records';

/** The journals, out of those that were replayed oldest first, that stopped shards still need: the damaged one and what came after it. */
export function neededJournals(replayed: readonly string[], stopped: readonly StoppedShard[]): readonly string[] {
  const places = stopped.map(({ journal }) => replayed.indexOf(journal)).filter((at) => at >= 0);
  return places.length === 0 ? [] : replayed.slice(Math.min(...places));
}

/** Reports stopped shards as degraded. Throws where the control plane's shard is among them, since without it no tenant is known. */
export function reportStopped(stopped: readonly StoppedShard[], degraded: Degraded): void {
  const control = stopped.find(({ shard }) => shard === CONTROL_ENTRY.shard);
  if (control !== undefined)
    throw new Error(
      `shard ${control.shard}, which knows all tenants, may miss records that were acknowledged: ${control.what}\n    ${MEND}`,
    );
  for (const { shard, what } of stopped) {
    const reason = `its tenants get 503, the others are served: records of it that were acknowledged may be lost (${what}). Mend it: ${MEND}`;
    degraded.report({ scope: 'shard', name: `shard ${shard}`, reason, lasts: 'cleared' });
  }
}
