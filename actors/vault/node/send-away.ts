/** Evicts or bans a node: it cannot renew, and its unexpired certificates and those of workloads that got theirs through it are revoked. */
import { limits } from '#config/limits.ts';
import type { JoinPorts } from './join.ts';
import { changeOf, readNode, type NodeRecord } from './node-record.ts';

export interface Farewell {
  readonly state: 'evicted' | 'banned';
  readonly reason: string;
  readonly by: string;
}

/**
 * The node as it is now; null when there is none. Idempotent: a banned node stays banned, and a repeated call revokes the certificates that an
 * interrupted one left. The state is written first: it alone already refuses the node.
 */
export async function sendAway(
  { pki, book }: Pick<JoinPorts, 'pki' | 'book'>,
  id: string,
  { state, reason, by }: Farewell,
): Promise<NodeRecord | null> {
  for (let tries = 0; tries < limits.pki.conflictTriesMax; tries++) {
    const kept = await readNode(pki.store, id);
    if (kept === null) return null;
    const isDone = kept.record.state === state || kept.record.state === 'banned';
    const record: NodeRecord = isDone ? kept.record : { ...kept.record, state, reason, changed_by: by };
    if (!isDone && !(await pki.store.commit([changeOf(record, kept.version)])).ok) continue;
    const code = state === 'banned' ? 'keyCompromise' : 'cessationOfOperation';
    await book.revokeAll(await book.serialsOfNode(id), code);
    return record;
  }
  throw new Error('the node could not be evicted: its record changed at every attempt; try again');
}
