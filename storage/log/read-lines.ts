/** Raw lines of a log file, in slices, so that a file of any size is read in bounded memory. */
import type { LogDisk } from './disk.ts';

export interface RawLine {
  readonly bytes: Buffer;
  /** Position of the line's first byte, and of the byte after its newline (or the end of the file). */
  readonly start: number;
  readonly end: number;
  /** False for the last line when no newline ends it. */
  readonly ended: boolean;
}

const SLICE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Lines of `name` from byte `from` (the start of a line) to its end. */
export async function* readLines(disk: LogDisk, name: string, from: number): AsyncIterableIterator<RawLine> {
  let start = from;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const slice = await disk.read(name, start + rest.length, SLICE_BYTES);
    if (slice.length === 0) break;
    const bytes = rest.length === 0 ? slice : Buffer.concat([rest, slice]);
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE, rest.length); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
      yield { bytes: bytes.subarray(at, end), start: start + at, end: start + end + 1, ended: true };
      at = end + 1;
    }
    start += at;
    rest = bytes.subarray(at);
  }
  if (rest.length > 0) yield { bytes: rest, start, end: start + rest.length, ended: false };
}
