/** Looks at an LMDB file before LMDB does: LMDB-js ends the process with a segmentation fault over one that is none. */
import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs';
import { dataFile } from './data-file.ts';
import { PageDamage } from './fault.ts';

const PAGE_BYTES = 4096;
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;

/**
 * Throws PageDamage when neither meta page of the environment in `directory` is one. A file of nothing but zeros is what a
 * power cut leaves of the very first opening: nothing was ever committed to it, and it is removed.
 */
export function refuseWreck(directory: string): void {
  const path = dataFile(directory);
  if (!existsSync(path)) return;
  const head = headOf(path);
  if (head.length === 0 || isMeta(head, 0) || isMeta(head, PAGE_BYTES)) return;
  if (head.length > 2 * PAGE_BYTES || head.some((byte) => byte !== 0)) {
    throw new PageDamage(path, 'neither of its first pages is a meta page of LMDB');
  }
  rmSync(path);
}

function isMeta(head: Buffer, page: number): boolean {
  const at = page + MAGIC_AT;
  return head.length >= at + 4 && head.readUInt32LE(at) === MAGIC;
}

/** The two meta pages, and one byte more when the file goes on. */
function headOf(path: string): Buffer {
  const head = Buffer.alloc(2 * PAGE_BYTES + 1);
  const fd = openSync(path, 'r');
  try {
    return head.subarray(0, readSync(fd, head, 0, head.length, 0));
  } finally {
    closeSync(fd);
  }
}
