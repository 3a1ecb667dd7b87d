/** Checks a presented key: the same work for every key, valid or not, and one answer for all that are not (docs/contract/identity.md §6.3). */
import { parseApiKey } from '#actors/kit/api-key.ts';
import { instantMs } from '#config/values/instant.ts';
import { sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { keyOrDecoy } from './store.ts';
import type { ApiKeyRecord, Reader } from './store.ts';

/** The id that is looked up for a malformed key; no key has it. */
const NO_ID = '00000000000000000000000000';

/**
 * The principal of a key in `tenant`, whose store is read; null for a key that is malformed, unknown, expired or has a wrong secret. Every key
 * costs one point read, one SHA-256 and one constant-time comparison.
 */
export function presentKey(reader: Reader, tenant: string, key: string, nowMs: number): Principal | null {
  const parts = parseApiKey(key);
  const record = keyOrDecoy(reader, parts?.id ?? NO_ID);
  const matches = sameDigest(secretSha256(parts?.secret ?? key), record.secret_sha256);
  const expiresAtMs = instantMs(record.expiresat);
  // An expiry that cannot be read is NaN: the key counts as expired.
  if (parts === null || !matches || !(nowMs < expiresAtMs)) return null;
  return principalOfKey(parts.id, tenant, record, expiresAtMs);
}

/** Subject, tenant, roles and grants of docs/contract/identity.md §2.5; a key is never an impersonation. */
function principalOfKey(id: string, tenant: string, { capabilities }: ApiKeyRecord, expiresAtMs: number): Principal {
  return {
    type: 'key',
    subject: id,
    tenant,
    roles: capabilities.roles ?? [],
    scope: capabilities.scope ?? [],
    superadmin: capabilities.is_superadmin ?? false,
    sid: null,
    actor: null,
    readonly: false,
    expiresAtMs,
  };
}
