/** Turns tuple keys back into their parts: for dumps that people read, and for the check of index entries. */
import { Decimal, type KeyPart } from './key.ts';
import type { Bytes } from './port.ts';

interface Cursor {
  readonly bytes: Bytes;
  at: number;
}

/** The parts of a tuple, or null when the bytes are none (a long one that was cut and ends in a hash, for instance). */
export function untuple(bytes: Bytes): KeyPart[] | null {
  const cursor = { bytes, at: 0 };
  const parts: KeyPart[] = [];
  while (cursor.at < bytes.length) {
    const part = partAt(cursor);
    if (part === undefined) return null;
    parts.push(part);
  }
  return parts;
}

/** The tags of key.ts. */
function partAt(cursor: Cursor): KeyPart | undefined {
  switch (cursor.bytes.charCodeAt(cursor.at++)) {
    case 0x05:
      return null;
    case 0x10:
      return false;
    case 0x11:
      return true;
    case 0x20:
      return numberAt(cursor);
    case 0x28:
      return decimalAt(cursor);
    case 0x2c:
      return bits128At(cursor);
    case 0x30:
      return stringAt(cursor);
    default:
      return undefined;
  }
}

function stringAt(cursor: Cursor): string | undefined {
  const { bytes } = cursor;
  for (let end = bytes.indexOf('\0', cursor.at); end !== -1; end = bytes.indexOf('\0', end + 2)) {
    if (bytes[end + 1] === '\xff') continue;
    const text = bytes.slice(cursor.at, end).replaceAll('\0\xff', '\0');
    cursor.at = end + 1;
    return Buffer.from(text, 'latin1').toString('utf8');
  }
  return undefined;
}

/** An id of 128 bits, in hexadecimal. */
function bits128At(cursor: Cursor): string | undefined {
  if (cursor.at + 16 > cursor.bytes.length) return undefined;
  cursor.at += 16;
  return Buffer.from(cursor.bytes.slice(cursor.at - 16, cursor.at), 'latin1').toString('hex');
}

function numberAt(cursor: Cursor): number | undefined {
  if (cursor.at + 8 > cursor.bytes.length) return undefined;
  const bytes = Buffer.from(cursor.bytes.slice(cursor.at, cursor.at + 8), 'latin1');
  cursor.at += 8;
  if (bytes[0]! < 0x80) bytes.forEach((byte, i) => (bytes[i] = ~byte));
  else bytes[0]! ^= 0x80;
  return bytes.readDoubleBE();
}

function decimalAt(cursor: Cursor): Decimal | undefined {
  const { bytes } = cursor;
  const sign = bytes.charCodeAt(cursor.at++);
  if (sign === 2) return bytes[cursor.at++] === '\0' ? new Decimal('0') : undefined;
  if (sign !== 1 && sign !== 3) return undefined;
  const turned = sign === 1 ? '\xff' : '\0';
  const end = bytes.indexOf(turned, cursor.at + 2);
  if (end === -1) return undefined;
  const magnitude = Buffer.from(bytes.slice(cursor.at, end), 'latin1').map((byte) => (sign === 1 ? 255 - byte : byte));
  cursor.at = end + 1;
  const exponent = ((magnitude[0]! << 8) | magnitude[1]!) - 0x8000;
  const digits = Buffer.from(magnitude.subarray(2)).toString('latin1');
  return new Decimal((sign === 1 ? '-' : '') + placePoint(digits, exponent));
}

/** 0.digits × 10^exponent, written plainly. */
function placePoint(digits: string, exponent: number): string {
  if (exponent <= 0) return `0.${'0'.repeat(-exponent)}${digits}`;
  if (digits.length <= exponent) return digits.padEnd(exponent, '0');
  return `${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}
