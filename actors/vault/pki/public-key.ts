/** Public keys that this authority certifies, and their key identifiers. */
import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { readBits, readOnly } from './der-read.ts';

const RSA_BITS_MIN = 2048;
/** A larger key would cost more per verification than a caller may demand. */
const RSA_BITS_MAX = 4096;
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/** The key of a SubjectPublicKeyInfo, or a sentence that says why this authority does not certify it. */
export function loadPublicKey(spki: Buffer): KeyObject | string {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return 'the public key cannot be read';
  }
  return weakness(key) ?? key;
}

/** Why a key is not certified; null when it is. */
function weakness(key: KeyObject): string | null {
  const details = key.asymmetricKeyDetails;
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return null;
    case 'ec':
      return CURVES.includes(details?.namedCurve) ? null : 'the curve of the key must be P-256, P-384 or P-521';
    case 'rsa': {
      const bits = details?.modulusLength ?? 0;
      const isFit = bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX && (details?.publicExponent ?? 0n) >= 65_537n;
      return isFit
        ? null
        : `an RSA key needs ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits and an exponent of at least 65537`;
    }
    default:
      return 'the key must be EC, RSA or Ed25519';
  }
}

/** Its SubjectPublicKeyInfo as DER, in OpenSSL's form. */
export const spkiOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' });

/** The bits of a SubjectPublicKeyInfo: key identifiers and OCSP's key hash are hashes of them. */
export function keyBits(spki: Buffer): Buffer {
  return readOnly(spki, (reader) => {
    const info = reader.enter();
    info.next();
    const bits = readBits(info);
    info.end();
    return bits;
  });
}

/** Key identifier: the leftmost 160 bits of the key bits' SHA-256 (RFC 7093 §2, method 1). */
export const keyId = (spki: Buffer): Buffer => hash('sha256', keyBits(spki), 'buffer').subarray(0, 20);
