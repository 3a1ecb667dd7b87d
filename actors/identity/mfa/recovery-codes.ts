/** Recovery codes: shown once, stored as SHA-256, each good for one use in place of a TOTP code. Pure. */
import { Secret } from 'otpauth';
import { limits } from '#config/limits.ts';
import { sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import type { RecoveryCodeRecord } from './store.ts';

const GROUP = /.{4}/g;
const SEPARATORS = /[\s-]/g;

export interface NewRecoveryCodes {
  /** `ABCD-EFGH-IJKL-MNOP` each: 80 random bits in base32. */
  readonly codes: readonly string[];
  readonly digests: readonly Uint8Array[];
}

/** Ten new codes. Random secrets of 80 bits need no slow hash. */
export function newRecoveryCodes(random: (bytes: number) => Buffer): NewRecoveryCodes {
  const bare = Array.from({ length: limits.mfa.recoveryCodes }, () => bareCode(random(limits.mfa.recoveryCodeBytes)));
  return { codes: bare.map((code) => code.match(GROUP)!.join('-')), digests: bare.map(secretSha256) };
}

function bareCode(bytes: Buffer): string {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;
}

/** The number of the stored code that the text matches, or null. Case, spaces and dashes are ignored; every code is compared. */
export function matchingCode(stored: readonly RecoveryCodeRecord[], text: string): number | null {
  const digest = secretSha256(text.replaceAll(SEPARATORS, '').toUpperCase());
  let found: number | null = null;
  for (const { no, sha256 } of stored) if (sameDigest(digest, sha256)) found = no;
  return found;
}
