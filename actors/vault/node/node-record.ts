/**
 * A machine that joined.
 *
 *   (none) ──join──▶ active ──evict, decommission, reuse of a refresh token──▶ evicted ──join──▶ active
 *                      └───────────────────────ban──────────────────────────▶ banned   (for good)
 */
import type { Change, VaultStore } from '../store.ts';
import { encodeRecord, readRecord, type Kept, type Scope } from '../authority/ports.ts';

export type NodeState = 'active' | 'evicted' | 'banned';

export interface NodeRecord {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly state: NodeState;
  readonly reason?: string;
  /** SHA-256 of the current key's SubjectPublicKeyInfo, base64url. */
  readonly key: string;
  readonly joined_at: string;
  readonly renewed_at: string;
  readonly changed_by: string;
  /** Certificates that may be unexpired: they are revoked with the node. */
  readonly certificates: readonly { readonly serial: string; readonly not_after_ms: number }[];
  readonly refresh: { readonly digest: string; readonly expires_ms: number };
  /** The previous refresh token: accepted once more for the same key, while the reply with its successor may have been lost. */
  readonly previous: { readonly digest: string; readonly key: string; readonly until_ms: number } | null;
  /** Digests of tokens before that one: a caller that shows one of them stole it, or the node's own was stolen. */
  readonly spent: readonly string[];
}

const NODES = 'node/';
const NAMES = 'node-name/';

/** A node's name is unique within its scope. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$/;
export const isNodeName = (text: string): boolean => NAME.test(text);

export const nodePath = (id: string): string => NODES + id;
export const namePath = ({ datacenter, cluster }: Scope, name: string): string =>
  `${NAMES}${datacenter}/${cluster}/${name}`;

export const readNode = (store: VaultStore, id: string): Promise<Kept<NodeRecord> | null> =>
  readRecord<NodeRecord>(store, nodePath(id));

/** The id of the node that has a name. */
export async function nodeNamed(store: VaultStore, scope: Scope, name: string): Promise<Kept<string> | null> {
  return readRecord<string>(store, namePath(scope, name));
}

export async function listNodes(store: VaultStore, after: string | null, limit: number): Promise<NodeRecord[]> {
  const page = await store.list(NODES, after === null ? null : nodePath(after), limit);
  return page.map(({ value }) => JSON.parse(value.toString('utf8')) as NodeRecord);
}

export const changeOf = (record: NodeRecord, expect: number): Change => ({
  path: nodePath(record.id),
  value: encodeRecord(record),
  expect,
});
