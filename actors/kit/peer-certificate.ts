/** Reads a client's certificate, once TLS has proven that the client holds its key: its issuer, and its one SPIFFE id. */
import { X509Certificate } from 'node:crypto';
import { limits } from '#config/limits.ts';

/** RFC 5280 §4.2.1.12, id-kp-clientAuth. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const SPIFFE = /^spiffe:\/\/([a-z0-9._-]{1,255})((?:\/[A-Za-z0-9._-]+)+)$/;

export interface SpiffeName {
  readonly id: string;
  readonly domain: string;
  /** With its leading slash. */
  readonly path: string;
}

/** A client certificate (DER in base64); null when it is too long, malformed, an authority's, or not for clients. */
export function readPeer(peer: string): X509Certificate | null {
  if (peer === '' || peer.length > limits.vault.peerCharsMax) return null;
  try {
    const certificate = new X509Certificate(Buffer.from(peer, 'base64'));
    return !certificate.ca && (certificate.keyUsage ?? []).includes(CLIENT_AUTH) ? certificate : null;
  } catch {
    return null;
  }
}

export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** When a certificate and its issuer count both, in milliseconds. */
export function validityOf(certificate: X509Certificate, issuer: X509Certificate) {
  return {
    notBeforeMs: Math.max(Date.parse(certificate.validFrom), Date.parse(issuer.validFrom)),
    expiresAtMs: Math.min(Date.parse(certificate.validTo), Date.parse(issuer.validTo)),
  };
}

/** Its only URI name (SPIFFE "X.509-SVID" §2). Node quotes a name that could be taken for two: such a certificate counts as without a name. */
export function spiffeNameOf(certificate: X509Certificate): SpiffeName | null {
  const names = certificate.subjectAltName ?? '';
  if (names.includes('"')) return null;
  const uris = names.split(', ').filter((name) => name.startsWith('URI:'));
  const id = uris.length === 1 ? uris[0]!.slice('URI:'.length) : '';
  const found = SPIFFE.exec(id);
  return found === null ? null : { id, domain: found[1]!, path: found[2]! };
}
