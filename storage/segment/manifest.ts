/** What is written beside a segment when it is sealed. */
import { HASH_BYTES } from './hash.ts';

export interface Manifest {
  /** Index of its first and of its last entry. */
  readonly first: number;
  readonly last: number;
  /** Length of the segment's file, and the SHA-256 of it in hex. */
  readonly bytes: number;
  readonly sha256: string;
  /** The tree up to the segment's end: entries, and root in base64. */
  readonly size: number;
  readonly root: string;
  /** A checkpoint that covers it. */
  readonly checkpoint: string;
}

/** The manifest's file: its keys in this order, indented, one newline at the end. */
export function writeManifest({ first, last, bytes, sha256, size, root, checkpoint }: Manifest): string {
  return `${JSON.stringify({ first, last, bytes, sha256, size, root, checkpoint }, null, 2)}\n`;
}

/** A manifest, or null when the text is not exactly what `writeManifest` writes. */
export function readManifest(text: string): Manifest | null {
  try {
    const manifest = JSON.parse(text) as Manifest;
    return writeManifest(manifest) === text && isWhole(manifest) ? manifest : null;
  } catch {
    return null;
  }
}

function isWhole({ first, last, bytes, sha256, size, root, checkpoint }: Manifest): boolean {
  return (
    [first, last, bytes, size].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    last >= first &&
    size === last + 1 &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    Buffer.from(root, 'base64').length === HASH_BYTES &&
    typeof checkpoint === 'string'
  );
}

const DIGITS = 16;
const SEGMENT = /^segments\/(\d{16})\.log$/;

export const segmentPath = (first: number): string => `segments/${String(first).padStart(DIGITS, '0')}.log`;
export const manifestPath = (first: number): string => `segments/${String(first).padStart(DIGITS, '0')}.json`;

/** The index of a segment's first entry, by its path; null for another file. */
export function segmentFirst(path: string): number | null {
  const match = SEGMENT.exec(path);
  return match === null ? null : Number(match[1]);
}
