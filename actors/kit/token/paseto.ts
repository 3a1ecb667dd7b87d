/**
 * PASETO v4.public on one page, over `node:crypto`'s Ed25519 (PASETO specification, Version 4).
 * Skep's tokens use no implicit assertion; the parameter exists for the standard's test vectors.
 */
import { sign, verify, type KeyObject } from 'node:crypto';

const HEADER = 'v4.public.';
const HEADER_BYTES = Buffer.from(HEADER, 'latin1');
const SIGNATURE_BYTES = 64;
const EMPTY = Buffer.alloc(0);

/** Pre-authentication encoding: a count, then each piece behind its length (PASETO, Common, "PAE"). */
export function preAuthEncode(pieces: readonly Uint8Array[]): Buffer {
  let bytes = 8;
  for (const piece of pieces) bytes += 8 + piece.length;
  const out = Buffer.alloc(bytes);
  let at = writeLe64(out, pieces.length, 0);
  for (const piece of pieces) {
    at = writeLe64(out, piece.length, at);
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}

/** LE64: little endian, top bit clear (PASETO, Common, "PAE Definition"); lengths here stay far below 2^48. */
function writeLe64(out: Buffer, value: number, at: number): number {
  out.writeUIntLE(value, at, 6);
  return at + 8;
}

/** Signs a message (PASETO, Version 4, "Sign"): h ‖ b64(m ‖ sig) and, when there is a footer, `.` ‖ b64(f). */
export function signPublic(
  key: KeyObject,
  message: Uint8Array,
  footer: Uint8Array,
  implicit: Uint8Array = EMPTY,
): string {
  const signature = sign(null, preAuthEncode([HEADER_BYTES, message, footer, implicit]), key);
  const body = HEADER + Buffer.concat([message, signature]).toString('base64url');
  return footer.length === 0 ? body : `${body}.${Buffer.from(footer).toString('base64url')}`;
}

export interface PublicParts {
  readonly message: Buffer;
  readonly signature: Buffer;
  readonly footer: Buffer;
}

/** Splits a token without verifying it: header exact, parts canonical base64url. Null for everything else. */
export function splitPublic(token: string): PublicParts | null {
  if (!token.startsWith(HEADER)) return null;
  const dot = token.indexOf('.', HEADER.length);
  const payload = strictBase64url(dot < 0 ? token.slice(HEADER.length) : token.slice(HEADER.length, dot));
  const footer = dot < 0 ? EMPTY : strictBase64url(token.slice(dot + 1));
  if (payload === null || footer === null || payload.length < SIGNATURE_BYTES) return null;
  if (dot >= 0 && footer.length === 0) return null;
  const cut = payload.length - SIGNATURE_BYTES;
  return { message: payload.subarray(0, cut), signature: payload.subarray(cut), footer };
}

/** Checks the signature over the parts (PASETO, Version 4, "Verify", steps 4 and 5). */
export function verifyPublic(key: KeyObject, parts: PublicParts, implicit: Uint8Array = EMPTY): boolean {
  return verify(null, preAuthEncode([HEADER_BYTES, parts.message, parts.footer, implicit]), key, parts.signature);
}

/** Node skips what is no base64url; a token with such characters, padding or stray low bits is another token, so it is refused. */
function strictBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
