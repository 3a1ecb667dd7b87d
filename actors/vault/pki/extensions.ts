/** Extensions of a certificate (RFC 5280 §4.2), each as complete DER. */
import { writeAltNames, type AltNames } from './alt-name.ts';
import { TRUE, bitString, element, explicit, implicit, octetString, sequence } from './der-write.ts';
import { ACCESS_OCSP, EXTENSION, PURPOSE, oidOf } from './oids.ts';

type Kind = keyof typeof EXTENSION;

/** One extension around its encoded value. */
export function extension(kind: Kind, value: Uint8Array, isCritical = false): Buffer {
  const id = oidOf(EXTENSION[kind]);
  return isCritical ? sequence(id, TRUE, octetString(value)) : sequence(id, octetString(value));
}

/** Bits of KeyUsage, most significant bit of the first byte first. */
const USAGE = { digitalSignature: 0x80, keyEncipherment: 0x20, keyCertSign: 0x04, cRLSign: 0x02 } as const;

/** KeyUsage, critical; unused bits at the end are removed, as a named bit list requires (X.690 §11.2.2). */
export function keyUsage(...usages: readonly (keyof typeof USAGE)[]): Buffer {
  const bits = usages.reduce((sum, usage) => sum | USAGE[usage], 0);
  let unused = 0;
  while (((bits >> unused) & 1) === 0) unused++;
  return extension('keyUsage', bitString(Buffer.of(bits), unused), true);
}

/** BasicConstraints of a CA for end entities only (`pathLen` 0), or of an end entity. */
export const CA_CONSTRAINTS = extension('basicConstraints', sequence(TRUE, Buffer.of(0x02, 1, 0)), true);
export const LEAF_CONSTRAINTS = extension('basicConstraints', sequence(), true);

export const subjectKeyId = (id: Buffer): Buffer => extension('subjectKeyId', octetString(id));

export const authorityKeyId = (id: Buffer): Buffer => extension('authorityKeyId', sequence(element(implicit(0), id)));

/** Extended key usage of a TLS peer. A service is both client and server. */
export const TLS_BOTH = extension('extKeyUsage', sequence(oidOf(PURPOSE.serverAuth), oidOf(PURPOSE.clientAuth)));

/** Critical when the subject is empty (RFC 5280 §4.2.1.6). */
export const subjectAltName = (names: AltNames, isOnlyName: boolean): Buffer =>
  extension('subjectAltName', writeAltNames(names), isOnlyName);

const uri = (text: string): Buffer => element(implicit(6), Buffer.from(text, 'latin1'));

/** The location of the revocation list. */
export const distributionPoint = (url: string): Buffer =>
  extension('crlDistributionPoints', sequence(sequence(element(explicit(0), element(explicit(0), uri(url))))));

/** The location of the responder. */
export const ocspAccess = (url: string): Buffer =>
  extension('authorityInfoAccess', sequence(sequence(oidOf(ACCESS_OCSP), uri(url))));
