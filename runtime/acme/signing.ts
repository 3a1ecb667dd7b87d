/** What an account signs: requests (RFC 8555 §6.2), answers to challenges (§8.1) and the binding to an outside account (§7.3.4). ES256 only. */
import { createHmac, createPublicKey, hash, sign, type KeyObject } from 'node:crypto';

/** The flattened serialization (RFC 7515 §7.2.2). */
export type Jws = Readonly<Record<'protected' | 'payload' | 'signature', string>>;

interface PublicJwk {
  readonly crv: string;
  readonly kty: string;
  readonly x: string;
  readonly y: string;
}

export const base64Url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url');

/** The members in the order in which a thumbprint needs them (RFC 7638 §3.2). */
export function publicJwk(key: KeyObject): PublicJwk {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv: crv!, kty: kty!, x: x!, y: y! };
}

/** `payload`: null asks for a resource (POST-as-GET, RFC 8555 §6.3). `kid`: null where the account is not known yet. */
export function signRequest(
  key: KeyObject,
  kid: string | null,
  url: string,
  nonce: string,
  payload: object | null,
): Jws {
  const whose = kid === null ? { jwk: publicJwk(key) } : { kid };
  const head = base64Url(JSON.stringify({ alg: 'ES256', nonce, url, ...whose }));
  const body = payload === null ? '' : base64Url(JSON.stringify(payload));
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
  return { protected: head, payload: body, signature: base64Url(signature) };
}

/** RFC 8555 §7.3.4: the account's key, under the HMAC key that the authority gave to the operator. */
export function bindAccount(key: KeyObject, { kid, hmac }: { kid: string; hmac: string }, url: string): Jws {
  const head = base64Url(JSON.stringify({ alg: 'HS256', kid, url }));
  const body = base64Url(JSON.stringify(publicJwk(key)));
  const mac = createHmac('sha256', Buffer.from(hmac, 'base64url')).update(`${head}.${body}`).digest();
  return { protected: head, payload: body, signature: base64Url(mac) };
}

/** RFC 8555 §8.1: the token, and the thumbprint of the account's key (RFC 7638). */
export const keyAuthorization = (key: KeyObject, token: string): string =>
  `${token}.${base64Url(hash('sha256', JSON.stringify(publicJwk(key)), 'buffer'))}`;
