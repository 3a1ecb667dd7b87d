/** SPIFFE IDs that may be given to services and workloads. */
import { parseSpiffeId } from '../pki/spiffe-id.ts';

/** A sentence that says why a URI may not stand in a certificate that somebody ordered; null when it may. */
export function flawOfWorkloadId(uri: string, trustDomain: string): string | null {
  if (!uri.startsWith('spiffe:')) return null;
  const id = parseSpiffeId(uri);
  if (id === null || id.path === '') return 'a SPIFFE ID is spiffe://<trust domain>/<path>';
  if (id.trustDomain !== trustDomain) return `the trust domain of this vault is ${trustDomain}`;
  // Who they are decides what a caller may do (caller.ts): nobody orders that.
  if (/^\/(?:operator|node)\//.test(id.path)) return 'the paths /operator/… and /node/… are not given to workloads';
  // An audit service knows a vault by it (actors/audit/vault-peers.ts), and believes what it says of its store.
  if (id.path.startsWith('/vault/'))
    return 'the paths /vault/… are not given to services: a vault gets its certificate for an audit service from an authority of its own';
  return null;
}
