/**
 * Reads a log back and judges it. A good line fits its own hash and names the line before it. A bad line is a torn write when no
 * good line follows, or when a sector of it was never written (the caller cuts it, with what follows); else corruption, for whatever stands
 * before a good line was once synced, or written with it.
 */
import { Corruption } from '../fault.ts';
import { hasUnwrittenSector } from '../unwritten.ts';
import { openLine, type OpenedLine } from './chain.ts';
import type { LogDisk } from './disk.ts';
import type { FileName } from './file-name.ts';
import { readLines, type RawLine } from './read-lines.ts';

/** The end of a line: where the next one starts, and the hash that it must name. */
export interface Place {
  readonly file: string;
  /** Bytes. */
  readonly offset: number;
  readonly hash: string;
}

export interface LogLine {
  /** The JSON object as it was appended. */
  readonly body: string;
  /** Whether it was erased later, and its body is what stands for it (chain.ts). */
  readonly erased: boolean;
  readonly place: Place;
}

/** Bytes of a write that a crash cut short. */
export interface TornTail {
  readonly file: string;
  readonly start: number;
}

export interface LogEnd {
  /** The end of the last good line; null for a log without lines and without a known place. */
  readonly place: Place | null;
  readonly torn: TornTail | null;
}

/**
 * Gives every good line of `files` (in order of writing) after `from` to `each`, and returns where they end. A line without its
 * newline was never acknowledged and counts as bad. Throws Corruption for a bad line before a good one, a line that names
 * another than the one before it, and a file shorter than `from` says.
 */
export async function readBack(
  disk: LogDisk,
  files: readonly FileName[],
  from: Place | null,
  each: (line: LogLine) => void | Promise<void>,
): Promise<LogEnd> {
  let place = from;
  for (const [index, file] of files.entries()) {
    const start = from !== null && file.name === from.file ? from.offset : 0;
    if (start > 0) await assertLength(disk, file.name, start);
    for await (const raw of readLines(disk, file.name, start)) {
      const line = raw.ended ? openLine(raw.bytes) : null;
      if (line === null) {
        await assertTorn(disk, files.slice(index), raw);
        return { place, torn: { file: file.name, start: raw.start } };
      }
      assertLink(line, place, file.name, raw.start);
      place = { file: file.name, offset: raw.end, hash: line.hash };
      await each({ body: line.body, erased: line.erased, place });
    }
  }
  return { place, torn: null };
}

async function assertLength(disk: LogDisk, name: string, offset: number): Promise<void> {
  const size = await disk.size(name);
  if (size < offset) throw new Corruption(name, `${size} bytes, but ${offset} were acknowledged`);
}

function assertLink(line: OpenedLine, before: Place | null, name: string, start: number): void {
  if (before !== null && line.prev !== before.hash)
    throw new Corruption(`${name}:${start}`, 'the line does not follow the one before it');
}

/**
 * A bad line may only stand where nothing good follows, in this file or a later one. Behind one that was never written whole, a loss of power
 * may have kept good lines of the same write, in the same file.
 */
async function assertTorn(disk: LogDisk, files: readonly FileName[], bad: RawLine): Promise<void> {
  for (const [index, file] of files.entries()) {
    if (index === 0 && hasUnwrittenSector(bad.bytes, bad.start)) continue;
    const from = index === 0 ? bad.end : 0;
    for await (const raw of readLines(disk, file.name, from)) {
      if (openLine(raw.bytes) === null) continue;
      throw new Corruption(
        `${files[0]!.name}:${bad.start}`,
        `a bad line, and a good one after it (${file.name}:${raw.start})`,
      );
    }
  }
}
