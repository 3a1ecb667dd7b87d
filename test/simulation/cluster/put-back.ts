/**
 * The database is put back from a copy of earlier, which loses what was acknowledged since: nothing can keep that, but it must be noticed. A node with an empty store goes on with the log first, so that it grows again; then each
 * store is refused, or comes to the log's state.
 */
import { EngineRefused } from '#storage/log-engine/port.ts';
import { judgeStore, replay } from './judge.ts';
import { Ledger } from './ledger.ts';
import type { ClusterHost } from './host.ts';
import { SimulatedNode } from './node.ts';
import type { ClusterPorts } from './node.ts';
import { SHARDS } from './settings.ts';
import { cellsOf } from './stores.ts';

export async function putBackAll(before: ClusterPorts, nodes: readonly SimulatedNode[]): Promise<void> {
  const { database, world } = before;
  if (!database.hasBackup) return;
  // What was acknowledged since is lost: clients begin anew.
  const ports = { ...before, ledger: new Ledger() };
  database.putBack();
  const writes = world.random.below(8);
  const stranger = new SimulatedNode(ports, 0, 'a stranger');
  if (writes > 0)
    await comesOrIsRefused(ports, stranger, (host) => {
      for (let i = 0; i < writes; i++) for (const shard of SHARDS) host.write(shard);
    });
  for (const node of nodes.filter(({ isGone }) => !isGone)) await comesOrIsRefused(ports, node);
}

async function comesOrIsRefused(
  { database, outside, world }: ClusterPorts,
  node: SimulatedNode,
  then?: (host: ClusterHost) => void,
): Promise<void> {
  let end: 'came' | 'refused' | null = null;
  world.after(0, outside, 'comes back', () => {
    node.audits(then).then(
      () => (end = 'came'),
      (error: unknown) => {
        if (error instanceof EngineRefused) end = 'refused';
        else world.fail(error as Error);
      },
    );
  });
  await world.run(() => end !== null);
  if (end === 'refused') return;
  for (const shard of SHARDS)
    judgeStore(`${node.name}, shard ${shard}`, cellsOf(node.dataDir, shard)!, replay(shard, database.entriesOf(shard)));
}
