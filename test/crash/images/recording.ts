/**
 * What a process did to the files below a directory, in order, as recorder.c writes it down; and the notes that a test adds to the same
 * order: what it asked for, and what was answered.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('./recorder.c', import.meta.url));
const HEAD_BYTES = 32;

/** As in recorder.c; a note is the test's own. */
const KINDS = {
  1: 'write',
  2: 'size',
  3: 'syncing',
  4: 'synced',
  5: 'file',
  6: 'directory',
  7: 'rename',
  8: 'unlink',
  9: 'rmdir',
  10: 'link',
  11: 'note',
  12: 'unseen',
} as const;
const NOTE = 11;

export interface Recorded {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  /** Of a write: it was durable when it returned (O_DSYNC). Of the end of a sync: it succeeded. */
  readonly flag: boolean;
  /** Of the file or directory; 0 where the record names paths. */
  readonly ino: number;
  /** Where a write begins, the size that a file got, or the number that the two records of one sync share. */
  readonly number: number;
  /** The bytes of a write; else a text: a path, two with a zero byte between them, a note. */
  readonly bytes: Buffer;
}

/** Compiles the recorder into `dir`; gives what the environment of the process needs. `log` lies outside `dataDir`. */
export function recorderFor(dir: string, dataDir: string, log: string): Readonly<Record<string, string>> {
  const library = join(dir, 'recorder.so');
  execFileSync('gcc', ['-Wall', '-Werror', '-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'], {
    stdio: 'inherit',
  });
  return { LD_PRELOAD: library, SKEP_RECORD_DIR: dataDir, SKEP_RECORD_LOG: log };
}

/** Adds a note behind everything that was recorded so far. One write to a file that is open for appending, as the recorder's are. */
export function addNote(log: string, note: object): void {
  const text = Buffer.from(JSON.stringify(note));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(NOTE, 0);
  head.writeBigUInt64LE(BigInt(text.length), 24);
  appendFileSync(log, Buffer.concat([head, text]));
}

/** All records in their order. Throws where one is cut, or the process changed a file by a way that is not recorded. */
export function readRecording(log: string): Recorded[] {
  const all = readFileSync(log);
  const found: Recorded[] = [];
  for (let at = 0; at < all.length;) {
    const kind = KINDS[all.readUInt32LE(at) as keyof typeof KINDS];
    const length = Number(all.readBigUInt64LE(at + 24));
    const end = at + HEAD_BYTES + length;
    if (kind === undefined || end > all.length) throw new Error(`the recording is broken at ${at}`);
    const bytes = all.subarray(at + HEAD_BYTES, end);
    if (kind === 'unseen') throw new Error(`a file changed by a way that is not recorded: ${bytes.toString()}`);
    found.push({
      kind,
      flag: all.readUInt32LE(at + 4) === 1,
      ino: Number(all.readBigUInt64LE(at + 8)),
      number: Number(all.readBigUInt64LE(at + 16)),
      bytes,
    });
    at = end;
  }
  return found;
}
