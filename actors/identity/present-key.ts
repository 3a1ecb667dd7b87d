/** Presenting a key: the same work for every key, good or bad, and one answer for all bad ones (docs/contract/identity.md §6.3). */
import { parseApiKey } from '#actors/kit/api-key.ts';
import { instantMs } from '#config/values/instant.ts';
import { sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { keyOrDecoy } from './store.ts';
import type { ApiKeyRecord, Reader } from './store.ts';

/** Stands for what a malformed key does not have. */
const NOBODY = '00000000000000000000000000';

/**
 * The principal of a presented key in the tenant `tenant`, whose store is read; null when its shape is bad, its row unknown,
 * its secret wrong or its time over. One point read, one SHA-256, one constant-time comparison, whatever the key.
 */
export function presentKey(reader: Reader, tenant: string, key: string, nowMs: number): Principal | null {
  const parts = parseApiKey(key);
  const record = keyOrDecoy(reader, parts?.id ?? NOBODY);
  const matches = sameDigest(secretSha256(parts?.secret ?? key), record.secret_sha256);
  const expiresAtMs = instantMs(record.expiresat);
  // Written so that a time that cannot be read is a time that is over.
  if (parts === null || !matches || !(nowMs < expiresAtMs)) return null;
  return principalOfKey(parts.id, tenant, record, expiresAtMs);
}

/** Subject, tenant, roles and grants as docs/contract/identity.md §2.5 has them; a key is never an impersonation. */
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
