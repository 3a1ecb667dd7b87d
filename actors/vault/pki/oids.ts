/** Object identifiers, in dotted form for readers and encoded for writers. */
import { oid } from './der-write.ts';

/** Extensions of certificates, requests and lists. RFC 5280 §4.2 and §5.2, RFC 6960 §4.4. */
export const EXTENSION = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  crlReason: '2.5.29.21',
  crlDistributionPoints: '2.5.29.31',
  authorityKeyId: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  ocspNonce: '1.3.6.1.5.5.7.48.1.2',
} as const;

/** Parts of names. RFC 5280, appendix A.1. */
export const ATTRIBUTE = { commonName: '2.5.4.3', organization: '2.5.4.10', organizationalUnit: '2.5.4.11' } as const;

export const PURPOSE = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

/** RFC 2985 §5.4.2: the extensions in a request. */
export const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
export const OCSP_BASIC = '1.3.6.1.5.5.7.48.1.1';
export const ACCESS_OCSP = '1.3.6.1.5.5.7.48.1';

/** Hashes that a CertID may be made with. RFC 6960 §4.1.1. */
export const HASHES: Readonly<Record<string, 'sha1' | 'sha256'>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
};

/** Algorithms that may sign a request, and their hash (none: the algorithm has its own). RFC 5758, 4055, 8410. */
export const SIGNATURES: Readonly<Record<string, string | null>> = {
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.3.101.112': null,
};

/** ecdsa-with-SHA256: the algorithm of this authority. */
export const ECDSA_SHA256 = '1.2.840.10045.4.3.2';

const finished = new Map<string, Buffer>();

/** The encoded element of an identifier of this file. */
export function oidOf(dotted: string): Buffer {
  let bytes = finished.get(dotted);
  if (bytes === undefined) finished.set(dotted, (bytes = oid(dotted)));
  return bytes;
}
