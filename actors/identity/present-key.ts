/** Checks a presented key: the same work for every key, valid or not, and one answer for all that are not (docs/contract/identity.md §6.3). */
import { parseApiKey } from '#actors/kit/api-key.ts';
import { instantMs } from '#config/values/instant.ts';
import { sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { countsFrom } from './key/addresses.ts';
import { keyOrDecoy, type ApiKeyRecord, type Reader } from './store.ts';

/** The id that is looked up for a malformed key; no key has it. */
const NO_ID = '00000000000000000000000000';

/** A key that fits. */
export interface Presented {
  readonly principal: Principal;
  /** Set when the caller's address is not on the key's list: callers get the answer of an unknown key, and only the operator sees why. */
  readonly fromElsewhere: boolean;
  /** Presentations a second; null where nothing bounds them. */
  readonly perSecond: number | null;
}

/**
 * The key in `tenant`, whose store is read; null for a key that is malformed, unknown, expired or has a wrong secret. Every key costs one point
 * read, one SHA-256, one constant-time comparison and one look into a list of addresses.
 */
export function presentKey(
  reader: Reader,
  tenant: string,
  key: string,
  nowMs: number,
  address: string,
): Presented | null {
  const parts = parseApiKey(key);
  const record = keyOrDecoy(reader, parts?.id ?? NO_ID);
  const matches = sameDigest(secretSha256(parts?.secret ?? key), record.secret_sha256);
  const isListed = countsFrom(record.ips, address);
  const expiresAtMs = instantMs(record.expiresat);
  // An expiry that cannot be read is NaN: the key counts as expired.
  if (parts === null || !matches || !(nowMs < expiresAtMs)) return null;
  const principal = principalOfKey(parts.id, tenant, record, expiresAtMs);
  return { principal, fromElsewhere: !isListed, perSecond: record.per_second ?? null };
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
