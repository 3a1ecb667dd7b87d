/** Apple's client secret: a JWT (RFC 7519) that the team's key signs with ES256, made anew for each exchange. Pure. */
import { sign } from 'node:crypto';
import type { OAuthProvider } from '#config/definitions/product.ts';

const LIFE_SECONDS = 300;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function appleSecret({ client_id, issuer, signer }: OAuthProvider, nowMs: number): string {
  if (signer === undefined) throw new Error('the provider has no key that signs');
  const iat = Math.floor(nowMs / 1000);
  const claims = { iss: signer.team_id, iat, exp: iat + LIFE_SECONDS, aud: issuer, sub: client_id };
  const signed = `${part({ alg: 'ES256', kid: signer.key_id })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: signer.private_key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
