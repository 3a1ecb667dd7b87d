/** PASERK ids of Ed25519 public keys (PASERK specification, operation ID, type `pid`). */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';

const PUBLIC_KEY_BYTES = 32;
/** 264 bits: 33 bytes make 44 base64url characters without padding. */
const ID_BYTES = 33;

/** The raw 32 bytes of an Ed25519 key's public half (RFC 8037 §2: member `x`). */
export function rawPublicKey(key: KeyObject): Buffer {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  const jwk = half.export({ format: 'jwk' });
  if (jwk.crv !== 'Ed25519' || jwk.x === undefined) throw new Error('not an Ed25519 key');
  return Buffer.from(jwk.x, 'base64url');
}

/** `k4.public.` and the key (PASERK, type "public"). */
export function paserkPublic(raw: Uint8Array): string {
  if (raw.length !== PUBLIC_KEY_BYTES) throw new Error(`an Ed25519 public key has ${PUBLIC_KEY_BYTES} bytes`);
  return `k4.public.${Buffer.from(raw).toString('base64url')}`;
}

/** `k4.pid.` and BLAKE2b-264 over `k4.pid.` and the k4.public form (PASERK, operation "ID"). */
export function paserkPid(raw: Uint8Array): string {
  const digest = blake2b(Buffer.from(`k4.pid.${paserkPublic(raw)}`, 'latin1'), { dkLen: ID_BYTES });
  return `k4.pid.${Buffer.from(digest).toString('base64url')}`;
}
