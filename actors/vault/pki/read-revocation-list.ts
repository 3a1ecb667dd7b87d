/** Reads a revocation list of another authority (RFC 5280 §5): of the operators' issuer. */
import { verify, type X509Certificate } from 'node:crypto';
import { DerFault, inside, readBits, readOid, readOnly, readTime, readUnsigned, type DerReader } from './der-read.ts';
import { TAG, explicit } from './der-write.ts';
import { SIGNATURES } from './oids.ts';
import { readCertificate } from './read-certificate.ts';
import { serialText } from './serial.ts';

export interface ForeignList {
  /** Encoded Name of the signer. */
  readonly issuer: Buffer;
  /** When the next list is due at the latest; Infinity where the list does not say. */
  readonly nextUpdateMs: number;
  /** In upper-case hexadecimal. */
  readonly serials: ReadonlySet<string>;
  /** Whether this authority signed the list. */
  isSignedBy(authority: X509Certificate): boolean;
}

/** The list in DER, or a sentence that says where it is damaged. Its content counts only after its signature was checked. */
export function readRevocationList(der: Buffer): ForeignList | string {
  try {
    return readOnly(der, (reader) => {
      const outer = reader.enter();
      const body = outer.next(TAG.sequence);
      const algorithm = readOid(outer.enter());
      const signature = readBits(outer);
      outer.end();
      const list = readBody(inside(body));
      return { ...list, isSignedBy: (authority) => isSigned(body.bytes, algorithm, signature, list.issuer, authority) };
    });
  } catch (error) {
    if (error instanceof DerFault) return `the revocation list is damaged: ${error.message}`;
    throw error;
  }
}

function readBody(body: DerReader): Omit<ForeignList, 'isSignedBy'> {
  body.optional(TAG.integer);
  body.next(TAG.sequence);
  const issuer = body.next(TAG.sequence).bytes;
  readTime(body);
  const hasNext = body.peek === TAG.utcTime || body.peek === TAG.generalizedTime;
  const nextUpdateMs = hasNext ? readTime(body) : Infinity;
  const revoked = body.optional(TAG.sequence);
  body.optional(explicit(0));
  body.end();
  return { issuer, nextUpdateMs, serials: revoked === undefined ? new Set() : readSerials(inside(revoked)) };
}

function readSerials(entries: DerReader): Set<string> {
  const serials = new Set<string>();
  while (!entries.done) serials.add(serialText(readUnsigned(entries.enter())));
  return serials;
}

function isSigned(
  bytes: Buffer,
  algorithm: string,
  signature: Buffer,
  issuer: Buffer,
  authority: X509Certificate,
): boolean {
  const facts = readCertificate(authority.raw);
  const digest = SIGNATURES[algorithm];
  if (typeof facts === 'string' || digest === undefined || !facts.subjectName.equals(issuer)) return false;
  try {
    return verify(digest, bytes, authority.publicKey, signature);
  } catch {
    return false; // the key is of another kind than the algorithm
  }
}
