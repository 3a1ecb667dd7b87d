/**
 * One line of the log: a JSON object whose last two members are `prev`, the hash of the line before, and `hash`, the SHA-256
 * in hex of this line's bytes up to `,"hash":`. A line that is changed, dropped or moved breaks every hash after it.
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
  /** The JSON object as it was given to `sealLine`. */
  readonly body: string;
  readonly prev: string;
  readonly hash: string;
}

/** Takes a line apart, or null when its bytes do not fit its own hash. Whether `prev` fits is the reader's to judge. */
export function openLine(line: Buffer): OpenedLine | null {
  const headEnd = line.length - HASH_BYTES;
  const bodyEnd = headEnd - PREV_BYTES;
  if (bodyEnd < 2) return null;
  const tail = line.toString('latin1', bodyEnd);
  const own = hash('sha256', line.subarray(0, headEnd), 'hex');
  const prev = tail.slice(PREV_HEAD.length, PREV_HEAD.length + HEX);
  if (tail !== `${PREV_HEAD}${prev}"${HASH_HEAD}${own}${TAIL}`) return null;
  return { body: `${line.toString('utf8', 0, bodyEnd)}}`, prev, hash: own };
}
