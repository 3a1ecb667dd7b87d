/** Whether bytes of a file never came to the disk. */

/** Disks write a sector whole. */
const SECTOR_BYTES = 512;

/**
 * Whether a line, which begins at byte `at` of a file of text that only grows, holds the rest of a sector that was never written: zeros up to the
 * sector's end, or the line's. A loss of power leaves that of a write whose other sectors came, before or behind it. Text has no zero byte, and
 * a byte that was changed to one does not reach up to the sector's end.
 */
export function hasUnwrittenSector(line: Buffer, at: number): boolean {
  for (let zero = line.indexOf(0); zero >= 0; zero = line.indexOf(0, zero + 1)) {
    const end = Math.min(line.length, zero + SECTOR_BYTES - ((at + zero) % SECTOR_BYTES));
    if (line.subarray(zero, end).every((byte) => byte === 0)) return true;
  }
  return false;
}
