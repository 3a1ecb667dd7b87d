/** The end of a log file. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { limits } from '#config/limits.ts';

/** The last whole lines, up to `limits.debug.logBytesMax`. Throws where the file cannot be read. */
export function logTail(path: string, bytesMax: number = limits.debug.logBytesMax): string {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - bytesMax);
    const bytes = Buffer.alloc(size - from);
    const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(fd);
  }
}
