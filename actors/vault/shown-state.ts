/** What the node's own operators may see of the vault without a certificate: states, names and ends. No secret, share, token, serial or id is in it. Spec: docs/contract/node.md §11. */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { VaultJoinTokens, VaultPapers, VaultState } from '#actors/protocol/vault-state.ts';
import type { CertificateRecord } from './authority/certificate-book.ts';
import type { Keeper } from './keeper.ts';
import type { JoinTokenRecord } from './node/join-token.ts';
import { listNodes, type NodeRecord } from './node/node-record.ts';
import type { PkiRoom } from './pki-room.ts';
import { statusOf } from './status.ts';

const { vaultCertificates, vaultDays, vaultNodes, vaultTokens } = limits.nodeView;
const DAY_MS = 86_400_000;

/** Reads pages of the store whose sizes are bounded. A store that is away, sealed or rolled back shows no papers. */
export async function shownState(keeper: Keeper, pki: PkiRoom): Promise<VaultState> {
  const { backend, ready, reasons, seal } = await statusOf(keeper);
  const { sealed, kind, initialized, threshold = null, shares = null, progress = null } = seal;
  return {
    ready,
    reasons,
    seal: { sealed, kind, initialized, threshold, shares, progress },
    backend: { kind: backend.kind, reachable: backend.reachable },
    papers: sealed || !backend.reachable ? null : await papersOf(pki).catch(() => null),
  };
}

async function papersOf({ book, joining, ports }: PkiRoom): Promise<VaultPapers> {
  const nowMs = ports.clock.now();
  const nodes = await listNodes(ports.store, null, vaultNodes + 1);
  const tokens = await joining.tokens.list(null, vaultTokens + 1);
  const ending = await book.list(nowMs + vaultDays * DAY_MS, null, vaultCertificates);
  return {
    nodes: nodes.slice(0, vaultNodes).map(nodeOf),
    nodes_more: nodes.length > vaultNodes,
    join_tokens: tokensOf(tokens.slice(0, vaultTokens), nowMs),
    join_tokens_more: tokens.length > vaultTokens,
    ending_days: vaultDays,
    ending: ending.records.filter(({ revoked_at }) => revoked_at === undefined).map(certificateOf),
    ending_more: ending.next !== null,
  };
}

/** The end is that of its newest certificate. */
function nodeOf({ name, state, joined_at, renewed_at, certificates }: NodeRecord): VaultPapers['nodes'][number] {
  const ends = certificates.map(({ not_after_ms }) => not_after_ms);
  return { name, state, joined_at, renewed_at, until: ends.length === 0 ? null : timestamp(Math.max(...ends)) };
}

function tokensOf(tokens: readonly JoinTokenRecord[], nowMs: number): VaultJoinTokens {
  const live = tokens.filter(({ expires_ms }) => expires_ms > nowMs);
  const open = live.filter(({ uses, uses_max }) => uses.length < uses_max);
  const ends = open.map(({ expires_ms }) => expires_ms);
  return {
    open: open.length,
    spent: live.length - open.length,
    expired: tokens.length - live.length,
    last_end: ends.length === 0 ? null : timestamp(Math.max(...ends)),
  };
}

const certificateOf = ({ kind, subject, not_after }: CertificateRecord): VaultPapers['ending'][number] => ({
  kind,
  name: subject,
  until: not_after,
});
