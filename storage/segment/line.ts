/** One line of a segment: `<crc32 in hex> <length> <json>`. The entry of the tree is the JSON, byte by byte. */
import { crc32 } from 'node:zlib';
import { hasUnwrittenSector } from '../unwritten.ts';

const CRC_DIGITS = 8;
const NEWLINE = 0x0a;
/** CRC, space, at most seven digits of length, space. */
const HEAD_BYTES_MAX = CRC_DIGITS + 1 + 7 + 1;

/** The line of an entry, with its newline. */
export function writeLine(entry: Uint8Array): Buffer {
  return writeLines([entry]);
}

/** The lines of entries, in one buffer. */
export function writeLines(entries: readonly Uint8Array[]): Buffer {
  const room = entries.reduce((sum, entry) => sum + HEAD_BYTES_MAX + entry.length + 1, 0);
  const lines = Buffer.allocUnsafe(room);
  let at = 0;
  for (const entry of entries) {
    at += lines.write(headOf(entry), at, 'latin1');
    lines.set(entry, at);
    at += entry.length;
    lines[at++] = NEWLINE;
  }
  return lines.subarray(0, at);
}

/** How long the line of an entry is, with its newline. */
export function lineBytes({ length }: Uint8Array): number {
  return CRC_DIGITS + 1 + String(length).length + 1 + length + 1;
}

function headOf(entry: Uint8Array): string {
  return `${crc32(entry).toString(16).padStart(CRC_DIGITS, '0')} ${entry.length} `;
}

export interface ReadLine {
  readonly entry: Buffer;
  /** Where the next line begins. */
  readonly end: number;
}

/** The line at `at`, or null when it is not as `writeLine` would write it, or not all there. */
export function readLine(bytes: Buffer, at: number): ReadLine | null {
  const head = bytes.toString('latin1', at, at + HEAD_BYTES_MAX);
  const match = /^[0-9a-f]{8} ([1-9]\d{0,6}) /.exec(head);
  if (match === null) return null;
  const from = at + match[0].length;
  const to = from + Number(match[1]);
  if (to >= bytes.length || bytes[to] !== NEWLINE) return null;
  const entry = bytes.subarray(from, to);
  if (crc32(entry) !== Number.parseInt(head.slice(0, CRC_DIGITS), 16)) return null;
  return { entry, end: to + 1 };
}

/**
 * Whether what stands at `at`, which is no good line, is what a crash left of a write: no good line is behind it, or it was never written whole.
 * Of what no sync has covered, a loss of power may keep a later line without an earlier one.
 */
export function isTorn(bytes: Buffer, at: number): boolean {
  const end = bytes.indexOf(NEWLINE, at);
  return hasUnwrittenSector(bytes.subarray(at, end < 0 ? bytes.length : end), at) || !hasLineAfter(bytes, at);
}

function hasLineAfter(bytes: Buffer, at: number): boolean {
  for (let next = bytes.indexOf(NEWLINE, at); next >= 0; next = bytes.indexOf(NEWLINE, next + 1))
    if (readLine(bytes, next + 1) !== null) return true;
  return false;
}
