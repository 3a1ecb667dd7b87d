/** OCSP requests (RFC 6960 §4.1). A signature on one is neither needed nor read. */
import { limits } from '#config/limits.ts';
import { DerFault, inside, readFlag, readOid, readOnly, readSmall, readUnsigned, type DerReader } from './der-read.ts';
import { TAG, explicit } from './der-write.ts';
import { EXTENSION, HASHES } from './oids.ts';

export interface CertId {
  /** The whole CertID, as the response repeats it. */
  readonly bytes: Buffer;
  /** The hash that names the issuer; undefined when this vault does not know it. */
  readonly hash: 'sha1' | 'sha256' | undefined;
  readonly issuerName: Buffer;
  readonly issuerKey: Buffer;
  readonly serial: Buffer;
}

export interface OcspRequest {
  readonly ids: readonly CertId[];
  readonly nonce: Buffer | null;
}

/** The request, or a sentence that says why it is malformed. */
export function readOcspRequest(der: Buffer): OcspRequest | string {
  try {
    return readOnly(der, (reader) => {
      const outer = reader.enter();
      const request = readBody(outer.enter());
      outer.optional(explicit(0)); // a signature
      outer.end();
      return request;
    });
  } catch (error) {
    if (error instanceof DerFault) return error.message;
    throw error;
  }
}

function readBody(body: DerReader): OcspRequest {
  const version = body.optional(explicit(0));
  if (version !== undefined && readSmall(inside(version)) !== 0) throw body.fault('the version is not 1');
  body.optional(explicit(1)); // the requestor's name
  const ids = readList(body.enter());
  const extensions = body.optional(explicit(2));
  body.end();
  return { ids, nonce: extensions === undefined ? null : readNonce(inside(extensions).enter()) };
}

function readList(list: DerReader): CertId[] {
  const ids: CertId[] = [];
  while (!list.done) {
    if (ids.length >= limits.pki.ocspSerialsMax) throw list.fault(`more than ${limits.pki.ocspSerialsMax} serials`);
    const one = list.enter();
    const id = one.next(TAG.sequence);
    one.optional(explicit(0)); // extensions of this serial: this responder supports none
    one.end();
    ids.push(readCertId(id.bytes, inside(id)));
  }
  if (ids.length === 0) throw list.fault('the request names no serial');
  return ids;
}

function readCertId(bytes: Buffer, id: DerReader): CertId {
  const algorithm = id.enter();
  const hash = HASHES[readOid(algorithm)];
  algorithm.optional(TAG.null);
  algorithm.end();
  const issuerName = id.next(TAG.octetString).content;
  const issuerKey = id.next(TAG.octetString).content;
  const serial = readUnsigned(id);
  id.end();
  return { bytes, hash, issuerName, issuerKey, serial };
}

/**
 * The nonce as it came: implementations differ in whether they wrap it in an OCTET STRING of its own (RFC 9654 §2.1 says yes). Other extensions are
 * ignored: an answer without them is still valid.
 */
function readNonce(extensions: DerReader): Buffer | null {
  let nonce: Buffer | null = null;
  while (!extensions.done) {
    const one = extensions.enter();
    const id = readOid(one);
    readFlag(one);
    const value = one.next(TAG.octetString);
    one.end();
    if (id !== EXTENSION.ocspNonce) continue;
    if (value.content.length > limits.pki.ocspNonceBytesMax) throw one.fault('the nonce is too long');
    nonce = value.content;
  }
  return nonce;
}
