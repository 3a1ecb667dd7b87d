/** Ordered keys: tuples of values as byte strings that sort as the values do. Nulls first, then false, true, numbers, decimals, strings. */
import { hash } from 'node:crypto';
import type { Bytes } from './port.ts';

export type KeyPart = null | boolean | number | string | Decimal;

/** A decimal or large integer in text form, ordered by value. */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const NULL = '\x05';
const FALSE = '\x10';
const TRUE = '\x11';
const NUMBER = '\x20';
const DECIMAL = '\x28';
const BITS128 = '\x2c';
const STRING = '\x30';

/** LMDB takes keys of at most 1,978 bytes; longer tuples are cut and end in a hash, and the row decides. */
const TUPLE_BYTES_MAX = 1900;
const HASH_BYTES = 32;

/** The tuple as a byte string. Tuples of one shape sort part by part. */
export function tuple(...parts: readonly KeyPart[]): Bytes {
  let out = '';
  for (const part of parts) out += encode(part);
  return bounded(out);
}

/** The smallest byte string above every key that starts with `prefix` (which may not be all FF: table numbers never are). */
export function after(prefix: Bytes): Bytes {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end--;
  if (end === 0) throw new Error('no key is above this prefix');
  return prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1);
}

/**
 * The end of the range of keys that begin with whole parts: above whatever part or id goes on, whose mark is below FF, and below a
 * text that begins with the last part and goes on with NUL, which has FF there.
 */
export function beyond(parts: Bytes): Bytes {
  return `${parts}\xff`;
}

/** A part of 16 bytes, ordered as they are: ids whose text has a fixed length and alphabet. */
export function bits128(bytes: Bytes): Bytes {
  return BITS128 + bytes;
}

/** A 16-bit table number, big endian. */
export function u16(no: number): Bytes {
  return String.fromCharCode(no >>> 8, no & 0xff);
}

/** A 32-bit number, big endian. */
export function u32(no: number): Bytes {
  return String.fromCharCode(no >>> 24, (no >>> 16) & 0xff, (no >>> 8) & 0xff, no & 0xff);
}

function encode(part: KeyPart): Bytes {
  if (typeof part === 'string') return `${STRING}${escaped(part)}\x00`;
  if (typeof part === 'number') return NUMBER + orderedDouble(part);
  if (part === null) return NULL;
  if (typeof part === 'boolean') return part ? TRUE : FALSE;
  return DECIMAL + orderedDecimal(part.text);
}

/** UTF-8 as latin1 chars; NUL becomes NUL FF, so that the end mark sorts before every longer string. */
function escaped(text: string): Bytes {
  // oxlint-disable-next-line no-control-regex
  if (!/[^\x01-\x7f]/.test(text)) return text;
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  return bytes.includes('\x00') ? bytes.replaceAll('\x00', '\x00\xff') : bytes;
}

const double = new DataView(new ArrayBuffer(8));

/** IEEE 754 with the sign turned, and all bits of negatives, so that bytes order as numbers do; -0 is 0. */
function orderedDouble(value: number): Bytes {
  double.setFloat64(0, value === 0 ? 0 : value);
  let high = double.getUint32(0);
  let low = double.getUint32(4);
  if (high >>> 31 === 1) {
    high = ~high >>> 0;
    low = ~low >>> 0;
  } else high = (high | 0x80000000) >>> 0;
  return u32(high) + u32(low);
}

/** Sign, exponent, digits: `1.50` and `1.5` give the same key. */
function orderedDecimal(text: string): Bytes {
  const match = /^(-?)0*(\d*)(?:\.(\d*))?$/.exec(text);
  if (match === null) throw new Error(`not a decimal: ${text}`);
  const whole = match[2]!;
  const fraction = match[3] ?? '';
  const digits = withoutLastZeros((whole + fraction).replace(/^0+/, ''));
  if (digits === '') return '\x02\x00';
  const exponent = whole.length > 0 ? whole.length : -/^0*/.exec(fraction)![0].length;
  const magnitude = `${u16(exponent + 0x8000)}${digits}\x00`;
  return match[1] === '-' ? `\x01${complement(magnitude)}` : `\x03${magnitude}`;
}

/** By hand: an expression would look at each run of zeros once for each of them. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--;
  return digits.slice(0, end);
}

function complement(bytes: Bytes): Bytes {
  let out = '';
  for (let i = 0; i < bytes.length; i++) out += String.fromCharCode(255 - bytes.charCodeAt(i));
  return out;
}

function bounded(key: Bytes): Bytes {
  if (key.length <= TUPLE_BYTES_MAX) return key;
  const digest = hash('sha256', Buffer.from(key, 'latin1'), 'buffer').toString('latin1');
  return key.slice(0, TUPLE_BYTES_MAX - HASH_BYTES) + digest;
}
