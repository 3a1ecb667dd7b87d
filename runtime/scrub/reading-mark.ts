/**
 * A mark beside a shard's data.mdb that says whether the scrubber is reading it. LMDB trusts its pages: damaged ones may end the process that reads
 * them, and then the mark still says `reading`. Each step sets it anew, so that a node which is killed at any other moment blames no shard. The
 * mark is not synced: it survives the end of the process, and after a power cut it means nothing.
 */
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dataFile } from '#storage/data-file.ts';

const NAME = 'scrubbing';
/** Both words have one length: a step overwrites the word of the step before. */
const READING = 'reading';
const RESTING = 'resting';

export class ReadingMark {
  readonly #directory: string;
  readonly #fd: number | null;

  /** If the disk is full, the shard is read without a mark. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#fd = opened(directory);
  }

  /** Reads one step of the shard. */
  during<T>(step: () => T): T {
    this.#write(READING);
    try {
      return step();
    } finally {
      this.#write(RESTING);
    }
  }

  /** The round has ended, complete or not. */
  end(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    forgetReading(this.#directory);
  }

  #write(word: string): void {
    try {
      if (this.#fd !== null) writeSync(this.#fd, word, 0);
    } catch {
      // The mark is only a help; the step continues without it.
    }
  }
}

function opened(directory: string): number | null {
  try {
    const fd = openSync(join(directory, NAME), 'w', 0o600);
    writeSync(fd, `${RESTING} ${fileNo(directory)}\n`);
    return fd;
  } catch {
    return null;
  }
}

/** Whether the process ended while it read this very file; a replaced file is not concerned. */
export function endedReading(directory: string): boolean {
  try {
    return readFileSync(join(directory, NAME), 'utf8') === `${READING} ${fileNo(directory)}\n`;
  } catch {
    return false;
  }
}

/** The shard was read to its end without a crash: the scrubber may read it again. */
export function forgetReading(directory: string): void {
  rmSync(join(directory, NAME), { force: true });
}

function fileNo(directory: string): bigint {
  return statSync(dataFile(directory), { bigint: true }).ino;
}
