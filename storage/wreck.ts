/** Looks at the files of an environment before LMDB does: LMDB-js ends the process with a segmentation fault over one that is none, or that does not open. */
import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dataFile } from './data-file.ts';
import { PageDamage } from './fault.ts';

const PAGE_BYTES = 4096;
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
/** In a meta page: the first page of the tree, all ones for an empty one, and the number of the transaction that wrote it. */
const ROOT_AT = 136;
const NO_ROOT = 2n ** 64n - 1n;
const TXN_AT = 152;

/**
 * Throws PageDamage when neither meta page of the environment in `directory` is one, or when the file ends before the tree of the newer one begins: a
 * disk that lost what it had said to be synced leaves that, and reading it would end the process with SIGBUS. A file of nothing but zeros is what
 * a power cut leaves of the very first opening: nothing was ever committed to it, and it is removed.
 */
export function refuseWreck(directory: string): void {
  const path = dataFile(directory);
  if (!existsSync(path)) return;
  const { head, bytes } = lookAt(path);
  const metas = [0, PAGE_BYTES].filter((page) => isMeta(head, page));
  if (metas.length > 0) {
    const root = rootOf(head, metas);
    if (root === NO_ROOT || (root + 1n) * BigInt(PAGE_BYTES) <= BigInt(bytes)) return;
    throw new PageDamage(
      path,
      `its tree begins at page ${root}, and the file ends before: the disk has lost synced writes`,
    );
  }
  if (head.length === 0) return;
  if (head.length > 2 * PAGE_BYTES || head.some((byte) => byte !== 0)) {
    throw new PageDamage(path, 'neither of its first pages is a meta page of LMDB');
  }
  rmSync(path);
}

/** What LMDB holds open at once, and one for what the machine says of itself. */
const DESCRIPTORS = 4;

/**
 * Throws the system's error where LMDB could not open its two files: LMDB-js 3.5 frees what it holds twice when its own opening fails, and the process
 * ends with a signal instead (docs/decisions/storage.md ST-43). They are not opened here, since closing a file gives up the locks that another
 * environment of this process holds on it (POSIX, fcntl).
 */
export function refuseUnopenable(directory: string): void {
  for (const path of [join(directory, 'lock.mdb'), dataFile(directory)]) {
    const isThere = existsSync(path);
    accessSync(isThere ? path : directory, constants.R_OK | constants.W_OK);
    if (isThere && !statSync(path).isFile()) throw new Error(`${path} is no file: move it away`);
  }
  const held: number[] = [];
  try {
    while (held.length < DESCRIPTORS) held.push(openSync(directory, 'r'));
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

function isMeta(head: Buffer, page: number): boolean {
  const at = page + MAGIC_AT;
  return head.length >= page + TXN_AT + 8 && head.readUInt32LE(at) === MAGIC;
}

/** Where the tree of the newest meta page begins. */
function rootOf(head: Buffer, metas: readonly number[]): bigint {
  const txn = (page: number): bigint => head.readBigUInt64LE(page + TXN_AT);
  const newest = metas.reduce((best, page) => (txn(page) > txn(best) ? page : best));
  return head.readBigUInt64LE(newest + ROOT_AT);
}

/** The two meta pages, and one byte more when the file goes on; and the length of the file. */
function lookAt(path: string): { readonly head: Buffer; readonly bytes: number } {
  const head = Buffer.alloc(2 * PAGE_BYTES + 1);
  const fd = openSync(path, 'r');
  try {
    return { head: head.subarray(0, readSync(fd, head, 0, head.length, 0)), bytes: fstatSync(fd).size };
  } finally {
    closeSync(fd);
  }
}
