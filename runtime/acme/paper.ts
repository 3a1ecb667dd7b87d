/** Requests for certificates and the certificates that come back: DER and PEM, no network. */
import { X509Certificate, createPrivateKey, createPublicKey, generateKeyPair, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { limits } from '#config/limits.ts';
import { NO_NAMES } from '#actors/vault/pki/alt-name.ts';
import { CertificateMaker, selfSign } from '#actors/vault/pki/certificate.ts';
import { TAG, bitString, element, explicit, integer, sequence } from '#actors/vault/pki/der-write.ts';
import { subjectAltName } from '#actors/vault/pki/extensions.ts';
import { ECDSA_ALGORITHM } from '#actors/vault/pki/issuer.ts';
import { writeName } from '#actors/vault/pki/name.ts';
import { EXTENSION_REQUEST, oidOf } from '#actors/vault/pki/oids.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { spkiOf } from '#actors/vault/pki/public-key.ts';
import { newSerial } from '#actors/vault/pki/serial.ts';
import { AcmeFault } from './fault.ts';
import type { Life } from './next-action.ts';

const newPair = promisify(generateKeyPair);

/** A new P-256 key. */
export async function newKey(): Promise<KeyObject> {
  return (await newPair('ec', { namedCurve: 'P-256' })).privateKey;
}

export const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;

/** A request (RFC 2986) that asks for one DNS name, as a subject alternative name alone (RFC 8555 §7.4). DER. */
export function requestFor(key: KeyObject, name: string): Buffer {
  const asked = sequence(subjectAltName({ ...NO_NAMES, dns: [name] }, true));
  const attribute = sequence(oidOf(EXTENSION_REQUEST), element(TAG.set, asked));
  const info = sequence(integer(0), writeName({}), spkiOf(createPublicKey(key)), element(explicit(0), attribute));
  return sequence(info, ECDSA_ALGORITHM, bitString(sign('sha256', info, key)));
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * The certificates of a chain as PEM, and nothing else that stands there. Throws AcmeFault unless the first one is of this key and name, and valid now.
 */
export function checkedChain(text: string, key: KeyObject, name: string, nowMs: number): string {
  const wrong = (what: string): AcmeFault =>
    new AcmeFault(`the authority sent ${what}`, 'it is tried again; where it stays so, ask the authority');
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0 || blocks.length > limits.acme.chainMax) throw wrong('no chain of certificates');
  let leaf: X509Certificate;
  try {
    [leaf] = blocks.map((block) => new X509Certificate(block)) as [X509Certificate];
  } catch {
    throw wrong('a certificate that cannot be read');
  }
  if (!leaf.checkPrivateKey(key)) throw wrong('a certificate of another key');
  if (leaf.checkHost(name) === undefined) throw wrong(`a certificate that does not name ${name}`);
  if (lifeOf(leaf).notAfterMs <= nowMs)
    throw wrong('a certificate that has ended already, or the clock of this machine is wrong');
  return `${blocks.join('\n')}\n`;
}

const lifeOf = (certificate: X509Certificate): Life => ({
  notBeforeMs: Date.parse(certificate.validFrom),
  notAfterMs: Date.parse(certificate.validTo),
});

/** The life of the pair in a file's text; throws where it is none: no certificate, no key, or another's key. */
export function readPair(text: string): Life {
  const certificate = new X509Certificate(text);
  if (!certificate.checkPrivateKey(createPrivateKey(text))) throw new Error('the key is not that of the certificate');
  return lifeOf(certificate);
}

/** A pair that is signed by itself and names no host: what callers are shown where there is no other. */
export async function fallbackPair(nowMs: number): Promise<string> {
  const key = await newKey();
  const subject = { commonName: 'skep: no certificate yet' };
  const { issuer } = selfSign(key, subject, nowMs, limits.acme.fallbackMs);
  const { der } = new CertificateMaker(issuer, {}).make({
    serial: newSerial(randomBytes),
    subject,
    names: NO_NAMES,
    spki: issuer.spki,
    isRsa: false,
    nowMs,
    lifetimeMs: limits.acme.fallbackMs,
  });
  return keyPem(key) + toPem('CERTIFICATE', der);
}
