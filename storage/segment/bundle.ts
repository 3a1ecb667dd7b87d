/** Entry bundles: each entry behind its length, two bytes, big endian. Source: C2SP tlog-tiles, "Log entries". */
import { TILE_WIDTH } from './tile-path.ts';

const LENGTH_BYTES = 2;
const ENTRY_BYTES_MAX = 0xffff;

/** At most 256 entries of at most 65,535 bytes as one bundle. */
export function writeBundle(entries: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    if (entry.length > ENTRY_BYTES_MAX) throw new RangeError(`an entry of ${entry.length} bytes`);
    parts.push(Buffer.of(entry.length >> 8, entry.length & 0xff), entry);
  }
  return Buffer.concat(parts);
}

/** The entries of a bundle, or null when it is none. */
export function readBundle(bytes: Uint8Array): Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + LENGTH_BYTES > bytes.length || entries.length === TILE_WIDTH) return null;
    const end = at + LENGTH_BYTES + ((bytes[at]! << 8) | bytes[at + 1]!);
    if (end > bytes.length) return null;
    entries.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return entries;
}
