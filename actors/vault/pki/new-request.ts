/** Makes certificate requests (RFC 2986) for the agent, which needs a certificate. */
import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { bitString, element, explicit, integer, sequence } from './der-write.ts';
import { ECDSA_ALGORITHM } from './issuer.ts';
import { writeName } from './name.ts';
import { spkiOf } from './public-key.ts';

/** A request of a P-256 private key, DER. It asks for no names: the issuer decides them. */
export function writeCertificateRequest(key: KeyObject, commonName: string): Buffer {
  const spki = spkiOf(createPublicKey(key));
  const info = sequence(integer(0), writeName({ commonName }), spki, element(explicit(0)));
  return sequence(info, ECDSA_ALGORITHM, bitString(sign('sha256', info, key)));
}
