/** Erases lines of a log file that is not written to any more: all other lines, and every place in the file, stay as they are. */
import { eraseLine, openLine, type OpenedLine } from './chain.ts';
import type { LogDisk } from './disk.ts';
import { readLines } from './read-lines.ts';

/** Bytes of one write. */
const PIECE_BYTES = 256 * 1024;
const NEWLINE = Buffer.from('\n');

/**
 * Writes the file anew, with what `standIn` gives in the place of a line (a JSON object that is no longer than the line; null keeps it), and puts
 * it in the place of the old one at once: a crash leaves one of both. A damaged line stays as it is, so that it can be examined.
 */
export async function eraseLines(
  disk: LogDisk,
  name: string,
  standIn: (line: OpenedLine) => string | null,
): Promise<void> {
  await disk.rewrite(name, rewritten(disk, name, standIn));
}

async function* rewritten(
  disk: LogDisk,
  name: string,
  standIn: (line: OpenedLine) => string | null,
): AsyncGenerator<Buffer, void> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const raw of readLines(disk, name, 0)) {
    const line = raw.ended ? openLine(raw.bytes) : null;
    const body = line === null || line.erased ? null : standIn(line);
    pieces.push(body === null ? raw.bytes : eraseLine(raw.bytes, body));
    if (raw.ended) pieces.push(NEWLINE);
    bytes += raw.end - raw.start;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}
