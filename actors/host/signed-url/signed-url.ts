/**
 * URLs that carry their permission: path and query, signed with HMAC-SHA-256 (RFC 2104) by a key of the tenant. What is signed is the text itself,
 * path and query as they are sent, so that every other spelling of the same URL is another URL. The signature covers the verb (GET, which HEAD
 * shares), the service, the position, the path, which file it is and in which state, how it is shown, the second at which it ends, and the signer.
 *   who may make one: a caller who may read the file, by the rule of the read     what it costs: one HMAC, and a point read for the key
 *   who may use one: everyone who has it, within the rate of anonymous callers     whom can it hurt: the signer, whose rights it lends until it ends
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { POSITION_PARAMETER } from '#actors/protocol/position-parameters.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { Call } from '../call.ts';
import { signingKey, verifyingKey, type UrlKey } from './keys.ts';
import { signersOf } from './signers.ts';
import type { Disposition, UrlWish } from './wish.ts';

/** The file of a row or an asset. */
export interface FileState {
  readonly sha256: string;
  readonly name: string;
  readonly content_type: string;
}

export interface SignedFile {
  /** Which file of the row or asset it is: a field, a version; '' where there is one. */
  readonly part: string;
  readonly state: FileState;
}

export interface SignedUrl {
  readonly url: string;
  readonly expires_at: string;
}

/** A URL that is in force: its signature, its time and its signer have been checked, not yet its file. */
export interface OpenUrl {
  readonly part: string;
  readonly disposition: Disposition;
  readonly signer: Principal;
  /** Whether the file is still the one that was signed. */
  isOf(state: FileState): boolean;
}

/** `invalid`: not signed here, or changed since. `over`: its time is up, or its signer's credential counts no more. */
export type UrlFault = 'invalid' | 'over';

const NAMES = ['part', 'state', 'disposition', 'expires', 'signer', 'key', 'signature'] as const;
type Fields = Readonly<Record<(typeof NAMES)[number], string>>;
const SIGNATURE = '&signature=';
/** In base64url; its 22 characters are 132 bits of a SHA-256. */
const STATE_CHARS = 22;
const NUMBER = /^[1-9]\d{0,14}$/;
/** Separates the texts that are signed, of which none contains it. */
const SEPARATOR = '\n';

/** The name of the caller of a call as a signer of this tenant; null where it cannot be judged again later. */
export function signerOf(call: Call): string | null {
  if (call.principal === null) return null;
  const signers = signersOf(call);
  const name = signers.nameOf(call, call.principal);
  return name !== null && signers.find(call, name) !== null ? name : null;
}

/** The URL of a file at a route of the same parameters; the call has not waited since its file was read. */
export function signUrl(
  call: Call,
  service: string,
  row: RouteRow,
  signer: string,
  file: SignedFile,
  wish: UrlWish,
): SignedUrl {
  const { activation } = call;
  const expires = Math.floor(call.now / 1000) + wish.lifeSeconds;
  const key = signingKey(call, service);
  const fields = {
    part: encodeURIComponent(file.part),
    state: digestOf(file.state),
    disposition: wish.disposition,
    expires: String(expires),
    signer,
    key: String(key.id),
  };
  const path = pathOf(row, (name) => encodeURIComponent(call.param(name)));
  const query = Object.entries(fields).reduce(
    (text, [name, value]) => `${text}&${name}=${value}`,
    `${POSITION_PARAMETER}=${activation.position.key}`,
  );
  const signature = signatureOf(key, service, activation.position.key, path, query);
  return { url: `${path}?${query}${SIGNATURE}${signature}`, expires_at: timestamp(expires * 1000) };
}

/** The URL of a call, whose position the door has read from it. */
export function openUrl(call: Call, service: string): OpenUrl | UrlFault {
  const fields = fieldsOf(call.rawQuery);
  if (fields === null || !isSigned(call, service, fields)) return 'invalid';
  if (!(call.now < Number(fields.expires) * 1000)) return 'over';
  const signer = signersOf(call).find(call, fields.signer);
  if (signer === null) return 'over';
  return {
    part: decodeURIComponent(fields.part),
    disposition: fields.disposition as Disposition,
    signer,
    isOf: (state) => digestOf(state) === fields.state,
  };
}

/** What caches and browsers are told of an answer to a signed URL: it is the caller's own, checked each time, and its address goes to no other page. */
export const SIGNED_HEADERS = {
  'Cache-Control': 'private, no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

function isSigned(call: Call, service: string, { key: id, signature }: Fields): boolean {
  const key = NUMBER.test(id) ? verifyingKey(call.turn(), service, Number(id)) : undefined;
  if (key === undefined) return false;
  const query = call.rawQuery.slice(0, -(SIGNATURE.length + signature.length));
  const path = pathOf(call.route.row, (name) => call.rawParam(name));
  return isSame(signature, signatureOf(key, service, call.activation.position.key, path, query));
}

/** The parameters of a query in their order; null for any other query. Values are as they were sent. */
function fieldsOf(query: string): Fields | null {
  if (query.length > limits.signedUrl.queryCharsMax) return null;
  const [, ...pairs] = query.split('&');
  if (pairs.length !== NAMES.length) return null;
  const fields: Record<string, string> = {};
  for (const [i, name] of NAMES.entries()) {
    if (!pairs[i]!.startsWith(`${name}=`)) return null;
    fields[name] = pairs[i]!.slice(name.length + 1);
  }
  return fields as Fields;
}

function signatureOf({ secret }: UrlKey, service: string, position: string, path: string, query: string): string {
  const text = ['skep.url.1', service, 'GET', position, path, query].join(SEPARATOR);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Compares the texts and not their bytes: the last character of base64url has bits that decode to nothing. */
function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function digestOf({ sha256, name, content_type }: FileState): string {
  return hash('sha256', JSON.stringify([sha256, name, content_type]), 'base64url').slice(0, STATE_CHARS);
}

/** The public path, on whichever listener it was called. */
function pathOf({ path }: RouteRow, value: (name: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => value(name));
}
