/** Writes a file that its owner alone may read. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from '#storage/directory.ts';

/** Whole and durable when it returns, with mode 0600; nothing is left of it where it throws. Throws where a file is there already. */
export function writePrivate(path: string, bytes: Uint8Array): void {
  if (existsSync(path)) throw new Error(`${path} is there already: name another file`);
  const partial = `${path}.${process.pid}.new`;
  const fd = openSync(partial, 'wx', 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
    linkSync(partial, path); // unlike a rename it never replaces a file
  } finally {
    closeSync(fd);
    rmSync(partial);
  }
  syncDirectory(dirname(path));
}
