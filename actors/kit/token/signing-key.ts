/** New Ed25519 signing keys, as key records. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { timestamp, type Clock } from '../clock.ts';
import { paserkPid, rawPublicKey } from './paserk.ts';
import { OWN_ISSUER, type KeyRecord } from './ring.ts';

/** PKCS#8 head of an Ed25519 private key whose 32-byte seed follows (RFC 8410 §7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

/** The key of 32 bytes: the seed is the private key (RFC 8032 §5.1.5). */
export function keyOfSeed(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) throw new Error(`an Ed25519 seed has ${SEED_BYTES} bytes`);
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

/** A key from random bytes. */
export function newSigningKey(source: { readonly clock: Clock; random(bytes: number): Buffer }): KeyRecord {
  const key = keyOfSeed(source.random(SEED_BYTES));
  return {
    kid: paserkPid(rawPublicKey(key)),
    issuer: OWN_ISSUER,
    private_pem: key.export({ format: 'pem', type: 'pkcs8' }) as string,
    created_at: timestamp(source.clock.now()),
  };
}
