/**
 * Reads DER (X.690 §10): definite, shortest lengths only, single-byte tags only, no element past its parent's end.
 * The schema drives the reader element by element: depth is bounded by the schema, and hostile nesting costs nothing.
 */
import { TAG } from './der-write.ts';

/** A fault in the encoding, with its byte offset in the outermost bytes. */
export class DerFault extends Error {
  constructor(what: string, at: number) {
    super(`${what} at byte ${at}`);
    this.name = 'DerFault';
  }
}

export interface Element {
  readonly tag: number;
  /** Head and content. */
  readonly bytes: Buffer;
  readonly content: Buffer;
  /** Offset of the content in the outermost bytes, for faults found in it. */
  readonly at: number;
}

const LENGTH_BYTES_MAX = 4;

export class DerReader {
  readonly #bytes: Buffer;
  readonly #base: number;
  #at = 0;

  /** `base` is the offset of `bytes` in the outermost ones. */
  constructor(bytes: Buffer, base = 0) {
    this.#bytes = bytes;
    this.#base = base;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The tag of the next element; -1 at the end. */
  get peek(): number {
    return this.done ? -1 : this.#bytes[this.#at]!;
  }

  fault(what: string): DerFault {
    return new DerFault(what, this.#base + this.#at);
  }

  /** The next element; of the given tag, when one is given. */
  next(tag?: number): Element {
    if (this.done) throw this.fault('an element is missing');
    const from = this.#at;
    const found = this.#bytes[from]!;
    if (tag !== undefined && found !== tag) throw this.fault(`tag 0x${hex(found)} stands where 0x${hex(tag)} belongs`);
    if ((found & 0x1f) === 0x1f) throw this.fault('a tag of several bytes');
    const [length, start] = this.#length(from + 1);
    const end = start + length;
    if (end > this.#bytes.length) throw this.fault('an element reaches past the end');
    this.#at = end;
    return {
      tag: found,
      bytes: this.#bytes.subarray(from, end),
      content: this.#bytes.subarray(start, end),
      at: this.#base + start,
    };
  }

  /** The next element if it has this tag. */
  optional(tag: number): Element | undefined {
    return this.peek === tag ? this.next(tag) : undefined;
  }

  /** A reader of the content of the next element. */
  enter(tag: number = TAG.sequence): DerReader {
    return inside(this.next(tag));
  }

  /** Throws when bytes are left. */
  end(): void {
    if (!this.done) throw this.fault('bytes after the last element');
  }

  #length(at: number): [length: number, start: number] {
    const first = this.#bytes[at];
    if (first === undefined) throw this.fault('a length is missing');
    if (first < 0x80) return [first, at + 1];
    const count = first & 0x7f;
    if (count === 0 || count > LENGTH_BYTES_MAX) throw this.fault('a length is indefinite or too long');
    if (at + count >= this.#bytes.length) throw this.fault('a length is cut off');
    const length = this.#bytes.readUIntBE(at + 1, count);
    if (length < 0x80 || this.#bytes[at + 1] === 0) throw this.fault('a length is not in its shortest form');
    return [length, at + 1 + count];
  }
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

export const inside = (element: Element): DerReader => new DerReader(element.content, element.at);

/** Reads `bytes` as exactly one element. */
export function readOnly<T>(bytes: Buffer, read: (reader: DerReader) => T): T {
  const reader = new DerReader(bytes);
  const value = read(reader);
  reader.end();
  return value;
}

/** Content of a non-negative INTEGER without its sign byte. */
export function readUnsigned(reader: DerReader): Buffer {
  const { content } = reader.next(TAG.integer);
  if (content.length === 0 || content[0]! >= 0x80) throw reader.fault('a number is empty or negative');
  if (content.length > 1 && content[0] === 0 && content[1]! < 0x80) throw reader.fault('a number has too many digits');
  return content[0] === 0 && content.length > 1 ? content.subarray(1) : content;
}

/** A small number, such as a version. */
export function readSmall(reader: DerReader): number {
  const digits = readUnsigned(reader);
  if (digits.length > 4) throw reader.fault('a number is too large');
  return digits.readUIntBE(0, digits.length);
}

/** Bytes of a BIT STRING of whole bytes. */
export function readBits(reader: DerReader): Buffer {
  const { content } = reader.next(TAG.bitString);
  if (content.length === 0 || content[0] !== 0) throw reader.fault('a bit string is not made of whole bytes');
  return content.subarray(1);
}

/** An OID in its dotted form. */
export function readOid(reader: DerReader): string {
  const { content } = reader.next(TAG.oid);
  if (content.length === 0 || content[content.length - 1]! >= 0x80)
    throw reader.fault('an object identifier is cut off');
  const arcs: number[] = [];
  let value = 0;
  let isFirst = true;
  for (const byte of content) {
    if (isFirst && byte === 0x80) throw reader.fault('an object identifier has too many digits');
    value = value * 128 + (byte & 0x7f);
    isFirst = byte < 0x80;
    if (value > 0xffffffff) throw reader.fault('an object identifier is too large');
    if (!isFirst) continue;
    if (arcs.length === 0) {
      const root = Math.min(2, Math.floor(value / 40));
      arcs.push(root, value - 40 * root);
    } else arcs.push(value);
    value = 0;
  }
  return arcs.join('.');
}

/** A BOOLEAN, which DER writes only when it is true (its default is false everywhere we read one). */
export function readFlag(reader: DerReader): boolean {
  const element = reader.optional(TAG.boolean);
  if (element === undefined) return false;
  if (element.content.length !== 1 || element.content[0] !== 0xff)
    throw reader.fault('a boolean is neither true nor absent');
  return true;
}

const DIGITS = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** UTCTime or GeneralizedTime as RFC 5280 §4.1.2.5 allows them, in milliseconds. */
export function readTime(reader: DerReader): number {
  const element = reader.next();
  const text = element.content.toString('latin1');
  const long = element.tag === TAG.utcTime ? `${text < '50' ? '20' : '19'}${text}` : text;
  if (element.tag !== TAG.utcTime && element.tag !== TAG.generalizedTime)
    throw reader.fault('a time is neither UTCTime nor GeneralizedTime');
  const match = DIGITS.exec(long);
  if (match === null) throw reader.fault('a time is not in the form of RFC 5280');
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number);
  const ms = Date.UTC(year!, month! - 1, day, hour, minute, second);
  if (!new Date(ms).toISOString().startsWith(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}`))
    throw reader.fault('a time is not a valid date and time');
  return ms;
}
