/** Where signing keys come from: a key file or the vault. A key is only ever a handle. */
import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { signatureLine, type Signer, type Verifier, type VerifyBytes } from './store.ts';

/** The key is not available now: the vault does not answer, or refuses. The log itself is sound. */
export class KeyUnavailable extends Error {}

export interface KeyPort {
  /** The Ed25519 private key at a path of the vault; made when there is none. Rejects with KeyUnavailable while the vault cannot answer. */
  signingKey(path: string): Promise<KeyObject>;
}

export interface LogKey {
  readonly verifier: Verifier;
  readonly signer: Signer;
  /** SPKI PEM, for verifiers. */
  readonly publicPem: string;
}

const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const RAW_BYTES = 32;

/** A log's key under its name in notes. */
export async function logKey(keys: KeyPort, path: string, name: string): Promise<LogKey> {
  const secret = await keys.signingKey(path);
  const open = createPublicKey(secret);
  const publicKey = open.export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES);
  const verifier = { name, publicKey };
  return {
    verifier,
    signer: { sign: (text) => signatureLine(verifier, sign(null, Buffer.from(text), secret)) },
    publicPem: open.export({ format: 'pem', type: 'spki' }).toString(),
  };
}

export const verifyByNode: VerifyBytes = (signature, message, raw) => {
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
};
