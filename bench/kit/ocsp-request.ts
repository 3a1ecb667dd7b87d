/** A request about one serial, without a nonce. RFC 6960 §4.1.1. */
import { TAG, element, octetString, sequence, unsigned } from '#actors/vault/pki/der-write.ts';
import { oidOf } from '#actors/vault/pki/oids.ts';
import { serialBytes } from '#actors/vault/pki/serial.ts';

/** SHA-1 of the issuer's name and of its key, as the request wants them. */
export interface IssuerHashes {
  readonly name: Buffer;
  readonly key: Buffer;
}

export function ocspRequest(issuer: IssuerHashes, serial: string): Buffer {
  const algorithm = sequence(oidOf('1.3.14.3.2.26'), Buffer.of(TAG.null, 0));
  const id = sequence(algorithm, octetString(issuer.name), octetString(issuer.key), unsigned(serialBytes(serial)));
  return element(TAG.sequence, sequence(sequence(sequence(id))));
}
