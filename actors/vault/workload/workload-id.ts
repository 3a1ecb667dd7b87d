/** SPIFFE IDs that may be given to services and workloads. */
import { parseSpiffeId } from '../pki/spiffe-id.ts';

/** Whether a URI may stand in an ordered certificate: null, or a sentence that says why not. */
export function flawOfWorkloadId(uri: string, trustDomain: string): string | null {
  if (!uri.startsWith('spiffe:')) return null;
  const id = parseSpiffeId(uri);
  if (id === null || id.path === '') return 'a SPIFFE ID is spiffe://<trust domain>/<path>';
  if (id.trustDomain !== trustDomain) return `use the trust domain of this vault, ${trustDomain}`;
  // These paths give the roles of the vault's callers (caller.ts): they cannot be ordered.
  if (/^\/(?:operator|node)\//.test(id.path)) return 'the paths /operator/… and /node/… are not given to workloads';
  // An audit service recognises a vault by this path (actors/audit/vault-peers.ts) and believes its statements about its store.
  if (id.path.startsWith('/vault/'))
    return 'the paths /vault/… are not given to services: a vault gets its certificate for an audit service from an authority of its own';
  return null;
}
