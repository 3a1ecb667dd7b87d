/** The authority: its name and key, with the parts that every signature repeats encoded once. */
import { createPublicKey, hash, sign, type KeyObject } from 'node:crypto';
import { bitString, head, sequence, TAG } from './der-write.ts';
import { authorityKeyId } from './extensions.ts';
import { ECDSA_SHA256, oidOf } from './oids.ts';
import { keyBits, keyId, spkiOf } from './public-key.ts';

/** AlgorithmIdentifier of ecdsa-with-SHA256: its parameters are absent (RFC 5758 §3.2). */
export const ECDSA_ALGORITHM = sequence(oidOf(ECDSA_SHA256));

export interface Issuer {
  readonly key: KeyObject;
  /** The encoded Name. */
  readonly name: Buffer;
  readonly spki: Buffer;
  readonly keyId: Buffer;
  /** The encoded extension of everything that it signs. */
  readonly authorityKeyId: Buffer;
  /** How a CertID names the issuer (RFC 6960 §4.1.1), by hash. */
  readonly certId: Readonly<Record<'sha1' | 'sha256', { readonly name: Buffer; readonly key: Buffer }>>;
  /** The end of the issuer's own certificate, in milliseconds: nothing that it signs is valid for longer. */
  readonly notAfterMs: number;
}

/** An issuer of a P-256 private key, an encoded Name and the end of its own certificate. */
export function issuerOf(key: KeyObject, name: Buffer, notAfterMs: number): Issuer {
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('an issuer needs a P-256 key');
  const spki = spkiOf(createPublicKey(key));
  const id = keyId(spki);
  const bits = keyBits(spki);
  const hashes = (kind: 'sha1' | 'sha256') => ({ name: hash(kind, name, 'buffer'), key: hash(kind, bits, 'buffer') });
  return {
    key,
    name,
    spki,
    keyId: id,
    authorityKeyId: authorityKeyId(id),
    certId: { sha1: hashes('sha1'), sha256: hashes('sha256') },
    notAfterMs,
  };
}

/** SEQUENCE of the signed part, the algorithm and the signature (RFC 5280 §4.1.1), as one buffer. */
export function signed(key: KeyObject, body: Buffer): Buffer {
  return sequence(body, ECDSA_ALGORITHM, bitString(sign('sha256', body, key)));
}

/** As `signed`, for a body in pieces: a long list is neither copied nor held twice. */
export function signedHead(signatureBytes: Buffer, bodyBytes: number): { head: Buffer; tail: Buffer } {
  const tail = Buffer.concat([ECDSA_ALGORITHM, bitString(signatureBytes)]);
  return { head: head(TAG.sequence, bodyBytes + tail.length), tail };
}
