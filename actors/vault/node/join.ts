/**
 * Joining (docs/contract/vault-pki.md §5.1). The token's use, the node and its certificate are one commit. A repeated request with the same key,
 * while the token lives, gets the same node without spending a use: a lost reply costs nothing.
 */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { SerialByKey } from '#actors/kit/serial.ts';
import type { CertificateBook } from '../authority/certificate-book.ts';
import { encodeRecord, type Kept, type PkiPorts, type Scope } from '../authority/ports.ts';
import type { CertificateRequest } from '../pki/certificate-request.ts';
import type { Change } from '../store.ts';
import { joinTokenPath, sameScope, type JoinTokenRecord, type JoinTokens } from './join-token.ts';
import { draftPapers, keyDigest, type NodePapers, type PaperDraft } from './node-certificate.ts';
import { changeOf, namePath, nodeNamed, readNode, type NodeRecord } from './node-record.ts';
import { digestOf, idOfToken, isTokenOf } from './token-text.ts';

export type JoinFlaw = 'invalid' | 'expired' | 'scope' | 'spent' | 'name_taken' | 'banned';

export interface JoinOrder {
  readonly token: string;
  readonly request: CertificateRequest;
  readonly scope: Scope;
  readonly name: string;
}

export interface JoinPorts {
  readonly pki: PkiPorts;
  readonly book: CertificateBook;
  readonly tokens: JoinTokens;
  readonly turns: SerialByKey;
}

/** Compared with when no token has the id: a wrong id takes as long as a wrong secret. */
const NO_DIGEST = digestOf('');

/** The certificate and tokens of the node, or why it may not join. */
export function join(ports: JoinPorts, order: JoinOrder): Promise<NodePapers | JoinFlaw> {
  const id = idOfToken('hj', order.token);
  if (id === null) return Promise.resolve('invalid');
  return ports.turns.run(joinTokenPath(id), async () => {
    for (let tries = 0; tries < limits.pki.conflictTriesMax; tries++) {
      const outcome = await tryJoin(ports, order, id);
      if (outcome !== 'met') return outcome;
    }
    throw new Error('the join token could not be spent: other vaults changed it at every attempt; try again');
  });
}

/** `met`: another request changed one of the records meanwhile. */
async function tryJoin(ports: JoinPorts, order: JoinOrder, id: string): Promise<NodePapers | JoinFlaw | 'met'> {
  const token = await ports.tokens.read(id);
  if (!isTokenOf(order.token, token?.record.digest ?? NO_DIGEST) || token === null) return 'invalid';
  if (ports.pki.clock.now() >= token.record.expires_ms) return 'expired';
  const isOurs = sameScope(order.scope, ports.pki.scope);
  if (!isOurs || !sameScope(order.scope, token.record.scope)) return 'scope';
  const key = keyDigest(order.request.spki);
  const use = token.record.uses.find((one) => one.key === key);
  if (use !== undefined) return rejoin(ports, order, use.node, key);
  return token.record.uses.length >= token.record.uses_max ? 'spent' : spend(ports, order, token, key);
}

/** The same key again: the same node, unless it has been evicted or banned since. */
async function rejoin(
  ports: JoinPorts,
  order: JoinOrder,
  nodeId: string,
  key: string,
): Promise<NodePapers | JoinFlaw | 'met'> {
  const kept = await readNode(ports.pki.store, nodeId);
  if (kept === null || kept.record.state === 'banned') return 'banned';
  if (kept.record.state !== 'active' || kept.record.key !== key || kept.record.name !== order.name) return 'spent';
  const draft = await draftPapers(ports.pki, ports.book, kept.record, order.request);
  return commit(ports, draft, { ...kept.record, ...draft.parts }, kept.version, []);
}

/** A new key: spends a use on a new node, or on an evicted node of this name. */
async function spend(
  ports: JoinPorts,
  order: JoinOrder,
  token: Kept<JoinTokenRecord>,
  key: string,
): Promise<NodePapers | JoinFlaw | 'met'> {
  const before = await nodeBefore(ports, order);
  if (typeof before === 'string') {
    // Another vault may have spent this same use since the token was read: then this caller has the name already.
    const now = await ports.tokens.read(token.record.id);
    return now?.version === token.version ? before : 'met';
  }
  const { clock, nextId } = ports.pki;
  const id = before?.record.id ?? nextId();
  const draft = await draftPapers(ports.pki, ports.book, { id, name: order.name }, order.request);
  const now = timestamp(clock.now());
  const node: NodeRecord = {
    id,
    name: order.name,
    scope: order.scope,
    state: 'active',
    joined_at: now,
    renewed_at: now,
    changed_by: `join token ${token.record.id}`,
    previous: null,
    spent: [],
    ...draft.parts,
  };
  const spent = { ...token.record, uses: [...token.record.uses, { key, node: id }] };
  const more: Change[] = [{ path: joinTokenPath(token.record.id), value: encodeRecord(spent), expect: token.version }];
  if (before === null) more.push({ path: namePath(order.scope, order.name), value: encodeRecord(id), expect: 0 });
  return commit(ports, draft, node, before?.version ?? 0, more);
}

/** The node that had the name: null for none, the evicted node, or the reason why the name cannot be taken. */
async function nodeBefore(ports: JoinPorts, { scope, name }: JoinOrder): Promise<Kept<NodeRecord> | null | JoinFlaw> {
  const named = await nodeNamed(ports.pki.store, scope, name);
  const kept = named === null ? null : await readNode(ports.pki.store, named.record);
  if (kept === null) return null;
  if (kept.record.state === 'banned') return 'banned';
  return kept.record.state === 'evicted' ? kept : 'name_taken';
}

async function commit(
  { pki }: JoinPorts,
  draft: PaperDraft,
  node: NodeRecord,
  expect: number,
  more: readonly Change[],
): Promise<NodePapers | 'met'> {
  const committed = await pki.store.commit([...draft.changes, changeOf(node, expect), ...more]);
  return committed.ok ? { node, certificate: draft.certificate, refreshToken: draft.refreshToken } : 'met';
}
