/** A passkey that no authenticator has: an unknown credential is verified against it, so that it costs as much as a known one. */
import { generateKeyPairSync } from 'node:crypto';
import type { PasskeyRecord } from './store.ts';

let made: PasskeyRecord | null = null;

export function decoyPasskey(): PasskeyRecord {
  return (made ??= {
    id: '',
    user: '',
    credential_id: '',
    public_key: strayKey(),
    transports: [],
    device_type: 'singleDevice',
    aaguid: '',
    name: '',
    second_factor: false,
    created_at: '',
  });
}

/** An ES256 key as COSE_Key (RFC 9053 §2.1, §7.1.1) whose private half is forgotten at once. */
function strayKey(): Uint8Array {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const part = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
  return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), part(x), Buffer.from('225820', 'hex'), part(y)]);
}
