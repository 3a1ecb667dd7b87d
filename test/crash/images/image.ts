/** Writes what a disk has, when the power goes, into a directory: the image that a start meets then. */
import { closeSync, ftruncateSync, linkSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '#test/kit/random.ts';
import type { Disk } from './disk.ts';
import { pickBytes, pickNames, type Style } from './pick.ts';

const CHUNK_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(CHUNK_BYTES);

/** `dir` is made. Files that no name leads to are lost. */
export function writeImage(disk: Disk, dir: string, style: Style, random: Random): void {
  const names = pickNames(disk, style, random);
  const written = new Map<number, string>();
  const fill = (id: number, path: string): void => {
    mkdirSync(path, { mode: 0o700 });
    for (const [name, child] of names.get(id)!) {
      const to = join(path, name);
      const file = disk.files.get(child);
      const first = written.get(child);
      if (file === undefined) fill(child, to);
      else if (first !== undefined) linkSync(first, to);
      else writeSparse(to, pickBytes(file, style, random));
      written.set(child, to);
    }
  };
  fill(disk.root, dir);
}

/** Segments are made of zeros in advance: holes are read as zeros too, and cost nothing. */
function writeSparse(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES);
      if (!chunk.equals(ZEROS.subarray(0, chunk.length))) writeSync(fd, chunk, 0, chunk.length, at);
    }
    ftruncateSync(fd, bytes.length);
  } finally {
    closeSync(fd);
  }
}
