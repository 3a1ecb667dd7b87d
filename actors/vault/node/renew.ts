/**
 * Renewal (docs/contract/vault-pki.md §5.2) replaces certificate and refresh token together. The previous token is accepted once more within a
 * minute for the same key, since the reply with its successor may have been lost; any other reuse evicts the node.
 */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { CertificateRequest } from '../pki/certificate-request.ts';
import type { JoinPorts } from './join.ts';
import { draftPapers, keyDigest, type NodePapers } from './node-certificate.ts';
import { changeOf, nodePath, readNode, type NodeRecord } from './node-record.ts';
import { sendAway } from './send-away.ts';
import { idOfToken, isTokenOf } from './token-text.ts';

export type RenewFlaw = 'invalid' | 'expired' | 'reused' | 'away';

export interface RenewOrder {
  /** The node whose certificate the caller showed. */
  readonly nodeId: string;
  readonly refreshToken: string;
  readonly request: CertificateRequest;
}

/** The new certificate and token, or why there are none. */
export function renew(ports: JoinPorts, order: RenewOrder): Promise<NodePapers | RenewFlaw> {
  if (idOfToken('hr', order.refreshToken) !== order.nodeId) return Promise.resolve('invalid');
  return ports.turns.run(nodePath(order.nodeId), async () => {
    for (let tries = 0; tries < limits.pki.conflictTriesMax; tries++) {
      const outcome = await tryRenew(ports, order);
      if (outcome !== 'met') return outcome;
    }
    throw new Error('the node could not be renewed: its record changed at every attempt; try again');
  });
}

async function tryRenew(ports: JoinPorts, order: RenewOrder): Promise<NodePapers | RenewFlaw | 'met'> {
  const kept = await readNode(ports.pki.store, order.nodeId);
  if (kept === null) return 'invalid';
  const { record } = kept;
  if (record.state !== 'active') return 'away';
  const key = keyDigest(order.request.spki);
  const judged = judge(record, order.refreshToken, key, ports.pki.clock.now());
  if (judged === 'reused') {
    await sendAway(ports, record.id, { state: 'evicted', reason: 'a spent refresh token was used again', by: 'vault' });
    return 'reused';
  }
  if (judged !== 'current' && judged !== 'grace') return judged;
  const draft = await draftPapers(ports.pki, ports.book, record, order.request);
  const next = { ...record, ...draft.parts, ...rotated(record, judged, key, ports.pki.clock.now()) };
  const committed = await ports.pki.store.commit([...draft.changes, changeOf(next, kept.version)]);
  if (!committed.ok) return 'met';
  return { node: next, certificate: draft.certificate, refreshToken: draft.refreshToken };
}

function judge(
  { refresh, previous, spent }: NodeRecord,
  token: string,
  key: string,
  nowMs: number,
): 'current' | 'grace' | RenewFlaw {
  if (isTokenOf(token, refresh.digest)) return nowMs < refresh.expires_ms ? 'current' : 'expired';
  if (previous !== null && isTokenOf(token, previous.digest))
    return nowMs < previous.until_ms && previous.key === key ? 'grace' : 'reused';
  return spent.some((digest) => isTokenOf(token, digest)) ? 'reused' : 'invalid';
}

/** Which refresh tokens count: after the grace period the previous token is accepted no more. */
function rotated(
  { refresh, previous, spent }: NodeRecord,
  judged: 'current' | 'grace',
  key: string,
  nowMs: number,
): Pick<NodeRecord, 'previous' | 'spent' | 'renewed_at'> {
  const gone = judged === 'current' ? [previous?.digest] : [previous?.digest, refresh.digest];
  const known = [...spent, ...gone.filter((digest) => digest !== undefined)].slice(-limits.node.spentKept);
  const grace = { digest: refresh.digest, key, until_ms: nowMs + limits.node.graceMs };
  return { previous: judged === 'current' ? grace : null, spent: known, renewed_at: timestamp(nowMs) };
}
