/** Reads the needed fields of a certificate (RFC 5280 §4.1) without trusting it: the caller checks its signature first. */
import { NO_NAMES, readAltNames, type AltNames } from './alt-name.ts';
import { DerFault, inside, readFlag, readOid, readOnly, readTime, readUnsigned, type DerReader } from './der-read.ts';
import { TAG, explicit } from './der-write.ts';
import { readName, type NameParts } from './name.ts';
import { EXTENSION } from './oids.ts';
import { serialText } from './serial.ts';

export interface CertificateFacts {
  readonly serial: string;
  /** Encoded Name of the issuer. */
  readonly issuer: Buffer;
  readonly subject: NameParts;
  /** Encoded Name of the subject. */
  readonly subjectName: Buffer;
  readonly spki: Buffer;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly names: AltNames;
}

/** The facts of a certificate in DER, or a sentence that says where it is damaged. */
export function readCertificate(der: Buffer): CertificateFacts | string {
  try {
    return readOnly(der, (reader) => {
      const outer = reader.enter();
      const facts = readBody(outer.enter());
      outer.next(TAG.sequence);
      outer.next(TAG.bitString);
      outer.end();
      return facts;
    });
  } catch (error) {
    if (error instanceof DerFault) return `the certificate is damaged: ${error.message}`;
    throw error;
  }
}

function readBody(body: DerReader): CertificateFacts {
  body.optional(explicit(0));
  const serial = serialText(readUnsigned(body));
  body.next(TAG.sequence);
  const issuer = body.next(TAG.sequence).bytes;
  const validity = body.enter();
  const notBeforeMs = readTime(validity);
  const notAfterMs = readTime(validity);
  validity.end();
  const subjectElement = body.next(TAG.sequence);
  const subject = readOnly(subjectElement.bytes, readName);
  const spki = body.next(TAG.sequence).bytes;
  const extensions = body.optional(explicit(3));
  body.end();
  const names = extensions === undefined ? NO_NAMES : readNames(inside(extensions).enter());
  return { serial, issuer, subject, subjectName: subjectElement.bytes, spki, notBeforeMs, notAfterMs, names };
}

function readNames(extensions: DerReader): AltNames {
  let names = NO_NAMES;
  while (!extensions.done) {
    const one = extensions.enter();
    const id = readOid(one);
    readFlag(one);
    const value = one.next(TAG.octetString);
    one.end();
    if (id === EXTENSION.subjectAltName) names = readAltNames(inside(value));
  }
  return names;
}
