/** New Ed25519 signing keys, as key records. */
import { createPrivateKey } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { timestamp } from '../clock.ts';
import { paserkPid, rawPublicKey } from './paserk.ts';
import { OWN_ISSUER } from './ring.ts';
import type { KeyRecord } from './ring.ts';

/** PKCS#8 head of an Ed25519 private key whose 32-byte seed follows (RFC 8410 §7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

/** A key from 32 random bytes: the seed is the private key (RFC 8032 §5.1.5). */
export function newSigningKey(source: { readonly clock: Clock; random(bytes: number): Buffer }): KeyRecord {
  const der = Buffer.concat([PKCS8_HEAD, source.random(SEED_BYTES)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    kid: paserkPid(rawPublicKey(key)),
    issuer: OWN_ISSUER,
    private_pem: key.export({ format: 'pem', type: 'pkcs8' }) as string,
    created_at: timestamp(source.clock.now()),
  };
}
