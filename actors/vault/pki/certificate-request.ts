/** Certificate requests (PKCS #10, RFC 2986). The signature must prove that the caller holds the key. */
import { verify, type KeyObject } from 'node:crypto';
import { NO_NAMES, readAltNames, type AltNames } from './alt-name.ts';
import type { DerReader } from './der-read.ts';
import { DerFault, DerReader as Reader, inside, readBits, readFlag, readOid, readOnly, readSmall } from './der-read.ts';
import { TAG, explicit } from './der-write.ts';
import { readName, type NameParts } from './name.ts';
import { EXTENSION, EXTENSION_REQUEST, SIGNATURES } from './oids.ts';
import { fromPem } from './pem.ts';
import { loadPublicKey, spkiOf } from './public-key.ts';

export interface CertificateRequest {
  readonly key: KeyObject;
  /** SubjectPublicKeyInfo, DER: the certificate repeats it. */
  readonly spki: Buffer;
  readonly subject: NameParts;
  readonly names: AltNames;
}

/** A request as PEM or as base64 of DER; a sentence that says what is wrong with it, for example a signature by another key. */
export function readCertificateRequest(text: string): CertificateRequest | string {
  const der = fromPem(text, ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST']) ?? base64(text);
  if (der === null) return 'the request is neither PEM (CERTIFICATE REQUEST) nor base64 of DER';
  return parseCertificateRequest(der);
}

function base64(text: string): Buffer | null {
  const digits = text.replace(/\s/g, '');
  const der = Buffer.from(digits, 'base64');
  return der.length > 0 && der.toString('base64') === digits ? der : null;
}

/** A request in DER. */
export function parseCertificateRequest(der: Buffer): CertificateRequest | string {
  try {
    return readOnly(der, readSigned);
  } catch (error) {
    if (error instanceof DerFault) return `the request is damaged: ${error.message}`;
    throw error;
  }
}

function readSigned(reader: DerReader): CertificateRequest | string {
  const outer = reader.enter();
  const info = outer.next(TAG.sequence);
  const algorithm = readOid(outer.enter());
  const signature = readBits(outer);
  outer.end();
  const { spki, subject, names } = readInfo(inside(info));
  const key = loadPublicKey(spki);
  if (typeof key === 'string') return key;
  if (!isSigned(info.bytes, key, algorithm, signature)) return 'the signature was not made with the key in the request';
  return { key, spki: spkiOf(key), subject, names };
}

function readInfo(info: DerReader): { spki: Buffer; subject: NameParts; names: AltNames } {
  if (readSmall(info) !== 0) throw info.fault('the version of the request is not 1');
  const subject = readName(info);
  const spki = info.next(TAG.sequence).bytes;
  const attributes = info.optional(explicit(0));
  info.end();
  return { spki, subject, names: attributes === undefined ? NO_NAMES : readAttributes(inside(attributes)) };
}

/** The names among the requested extensions: the issuer decides everything else in a certificate. */
function readAttributes(attributes: DerReader): AltNames {
  let names = NO_NAMES;
  while (!attributes.done) {
    const attribute = attributes.enter();
    const isWanted = readOid(attribute) === EXTENSION_REQUEST;
    const values = attribute.next(TAG.set);
    attribute.end();
    if (isWanted) names = readExtensions(inside(values).enter()) ?? names;
  }
  return names;
}

function readExtensions(extensions: DerReader): AltNames | undefined {
  let names: AltNames | undefined;
  while (!extensions.done) {
    const one = extensions.enter();
    const id = readOid(one);
    readFlag(one);
    const value = one.next(TAG.octetString);
    one.end();
    if (id !== EXTENSION.subjectAltName) continue;
    if (names !== undefined) throw one.fault('the request has two extensions of alternative names');
    const inner = new Reader(value.content, value.at);
    names = readAltNames(inner);
    inner.end();
  }
  return names;
}

/** Proof of possession (RFC 2986 §3): the signature over the request's own bytes. */
function isSigned(bytes: Buffer, key: KeyObject, algorithm: string, signature: Buffer): boolean {
  const digest = SIGNATURES[algorithm];
  if (digest === undefined) return false;
  try {
    return verify(digest, bytes, key, signature);
  } catch {
    return false; // an algorithm for another kind of key
  }
}
