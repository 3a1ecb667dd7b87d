/** Writes DER (X.690 §8 and §10): every function gives one complete element, so that elements can be kept and joined. */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** Tag of a context-specific element: constructed ones hold elements, primitive ones bytes. */
export const explicit = (number: number): number => 0xa0 | number;
export const implicit = (number: number): number => 0x80 | number;

/** An element of the given tag whose content is the parts, one after another. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const head = headBytes(length);
  const out = Buffer.allocUnsafe(head + length);
  writeHead(out, tag, length);
  let at = head;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Tag and length alone, for content that is too large to copy. */
export function head(tag: number, length: number): Buffer {
  const out = Buffer.allocUnsafe(headBytes(length));
  writeHead(out, tag, length);
  return out;
}

function headBytes(length: number): number {
  if (length < 0x80) return 2;
  if (length < 0x100) return 3;
  if (length < 0x10000) return 4;
  return length < 0x1000000 ? 5 : 6;
}

function writeHead(out: Buffer, tag: number, length: number): void {
  out[0] = tag;
  const bytes = headBytes(length) - 2;
  if (bytes === 0) out[1] = length;
  else {
    out[1] = 0x80 | bytes;
    out.writeUIntBE(length, 2, bytes);
  }
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(TAG.sequence, ...parts);
export const octetString = (bytes: Uint8Array): Buffer => element(TAG.octetString, bytes);
export const utf8 = (text: string): Buffer => element(TAG.utf8String, Buffer.from(text, 'utf8'));
export const TRUE = Buffer.of(TAG.boolean, 1, 0xff);

/** A non-negative INTEGER of big-endian bytes: leading zeros are removed, and one is added where the first bit would be a sign. */
export function unsigned(bytes: Uint8Array, tag: number = TAG.integer): Buffer {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const digits = bytes.length === 0 ? Buffer.of(0) : bytes.subarray(from);
  return digits[0]! < 0x80 ? element(tag, digits) : element(tag, Buffer.of(0), digits);
}

/** A non-negative INTEGER of a number below 2^48. */
export function integer(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return unsigned(bytes);
}

/** BIT STRING of whole bytes; `unused` bits of the last one do not count. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => element(TAG.bitString, Buffer.of(unused), bytes);

/** OBJECT IDENTIFIER of its dotted form. X.690 §8.19. */
export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number);
  return element(TAG.oid, Buffer.from([first! * 40 + second!, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const out = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) out.unshift(0x80 | (left % 128));
  return out;
}

const YEAR_2050_MS = Date.UTC(2050, 0, 1);

/** Time of RFC 5280 §4.1.2.5: UTCTime through 2049, then GeneralizedTime; whole seconds, Z. */
export function time(ms: number): Buffer {
  if (ms >= YEAR_2050_MS) return generalizedTime(ms);
  return element(TAG.utcTime, Buffer.from(digitsOf(ms).slice(2), 'latin1'));
}

/** GeneralizedTime without fractions (RFC 5280 §4.1.2.5.2, and RFC 6960 §4.2.2.1 for OCSP). */
export const generalizedTime = (ms: number): Buffer =>
  element(TAG.generalizedTime, Buffer.from(digitsOf(ms), 'latin1'));

/** `YYYYMMDDHHMMSSZ`, a fraction of a second cut. */
function digitsOf(ms: number): string {
  const text = new Date(ms).toISOString();
  return `${text.slice(0, 4)}${text.slice(5, 7)}${text.slice(8, 10)}${text.slice(11, 13)}${text.slice(14, 16)}${text.slice(17, 19)}Z`;
}
