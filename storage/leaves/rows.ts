/** Leaves of one write in one row: each behind its length, two bytes, big endian, as in an entry bundle. */

const LENGTH_BYTES = 2;

/** Entries of at most 65,535 bytes each. */
export function joinLeaves(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(entries.flatMap((entry) => [Buffer.of(entry.length >> 8, entry.length & 0xff), entry]));
}

/** Throws where it is no row of that many leaves. */
export function splitLeaves(bytes: Buffer, count: number): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES;
    at = start > bytes.length ? Infinity : start + bytes.readUInt16BE(at);
    if (at > bytes.length) break;
    entries.push(bytes.subarray(start, at));
  }
  if (entries.length !== count) throw new Error(`a row of ${count} leaves holds ${entries.length}`);
  return entries;
}
