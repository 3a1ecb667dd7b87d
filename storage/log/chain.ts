/**
 * One line of the log: a JSON object whose last two members are `prev`, the hash of the line before, and `hash`, the SHA-256
 * in hex of this line's bytes up to `,"hash":`. A line that is changed, dropped or moved breaks every hash after it.
 *
 * An erased line keeps `prev` and `hash` of what stood there, and says so by a last member `"erased":true` with spaces behind it: it has the
 * length of the old line, so that every place in its file stays what it was. Its own bytes prove nothing: the reader of the log must find a
 * later line of the chain that names its hash as erased.
 */
import { hash } from 'node:crypto';

const HEX = 64;
const HASH_HEAD = ',"hash":"';
const PREV_HEAD = ',"prev":"';
const TAIL = '"}';
/** `,"hash":"<hex>"}` */
const HASH_BYTES = HASH_HEAD.length + HEX + TAIL.length;
/** `,"prev":"<hex>"`, which stands before it. */
const PREV_BYTES = PREV_HEAD.length + HEX + 1;

const TAIL_SHAPE = /^,"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/;
const ERASED = ',"erased":true';
const ERASED_SHAPE = /,"erased":true *$/;

/** What the first line of all names as the line before it. */
export const GENESIS = '0'.repeat(HEX);

export interface SealedLine {
  /** Without the newline. */
  readonly line: string;
  readonly hash: string;
}

/** Chains a JSON object (`{…}`, not empty, on one line) to the line whose hash is `prev`. */
export function sealLine(body: string, prev: string): SealedLine {
  const head = `${body.slice(0, -1)}${PREV_HEAD}${prev}"`;
  const own = hash('sha256', head, 'hex');
  return { line: `${head}${HASH_HEAD}${own}${TAIL}`, hash: own };
}

export interface OpenedLine {
  /** The JSON object as it was given to `sealLine`, or to `eraseLine`. */
  readonly body: string;
  readonly prev: string;
  /** Of an erased line: the hash of what stood there. */
  readonly hash: string;
  readonly erased: boolean;
}

/**
 * Takes a line apart, or null when its bytes do not fit its own hash and it is not an erased line. Whether `prev` fits, and whether an erased
 * line may be one, is the reader's to judge.
 */
export function openLine(line: Buffer): OpenedLine | null {
  const headEnd = line.length - HASH_BYTES;
  const bodyEnd = headEnd - PREV_BYTES;
  if (bodyEnd < 2) return null;
  const ends = TAIL_SHAPE.exec(line.toString('latin1', bodyEnd));
  if (ends === null) return null;
  const [, prev, stated] = ends as unknown as [string, string, string];
  const head = line.toString('utf8', 0, bodyEnd);
  if (hash('sha256', line.subarray(0, headEnd), 'hex') === stated)
    return { body: `${head}}`, prev, hash: stated, erased: false };
  const end = ERASED_SHAPE.exec(head)?.index;
  return end === undefined ? null : { body: `${head.slice(0, end)}}`, prev, hash: stated, erased: true };
}

/** The line with another JSON object (`{…}`, not empty, on one line) in its place, of the same length. Throws where that would be longer. */
export function eraseLine(line: Buffer, body: string): Buffer {
  const bodyEnd = line.length - HASH_BYTES - PREV_BYTES;
  const head = Buffer.from(`${body.slice(0, -1)}${ERASED}`);
  if (head.length > bodyEnd) throw new RangeError('what stands for an erased line is longer than the line');
  return Buffer.concat([head, Buffer.alloc(bodyEnd - head.length, ' '), line.subarray(bodyEnd)]);
}
