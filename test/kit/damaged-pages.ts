/** Damage in the structure of an LMDB file: what LMDB trusts without a look. Offsets are those of lmdb-js (LMDB 1.0, pages of 4,096 bytes). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shardPath } from '#storage/archive.ts';
import { dataFile } from '#storage/data-file.ts';

const PAGE_BYTES = 4096;
const HEADER_BYTES = 24;
const PAGE_FLAGS_AT = 18;
/** In a meta page: the root of the unnamed database, and the transaction that wrote it. */
const ROOT_AT = 136;
const TXN_AT = 152;
/** In a node: the size of its value, below (in a leaf) or the number of its child (in a branch). */
const SIZE_HIGH_AT = 2;

export type PageDamageKind =
  | 'a leaf that says it is none'
  | 'a value without end'
  | 'a child far away'
  | 'a file cut short'
  | 'a child of another';

/** Damages the tree of a shard whose root is a branch. */
export function damagePages(dataDir: string, shard: number, kind: PageDamageKind): string {
  const path = dataFile(join(shardPath(dataDir, shard)));
  const bytes = readFileSync(path);
  const root = rootOf(bytes);
  const child = nodeOf(bytes, root, 1);
  const leaf = bytes.readUInt16LE(child) * PAGE_BYTES;
  switch (kind) {
    case 'a leaf that says it is none':
      bytes.writeUInt16LE(0, leaf + PAGE_FLAGS_AT);
      break;
    case 'a value without end':
      bytes[nodeOf(bytes, leaf, 0) + SIZE_HIGH_AT + 1]! ^= 0x40;
      break;
    case 'a child far away':
      bytes[child + SIZE_HIGH_AT]! ^= 1;
      break;
    case 'a child of another':
      bytes.writeUInt16LE(bytes.readUInt16LE(nodeOf(bytes, root, 2)), child);
      break;
    case 'a file cut short':
  }
  writeFileSync(path, kind === 'a file cut short' ? bytes.subarray(0, root + PAGE_BYTES) : bytes);
  return path;
}

/** Takes from the root of a shard, leaf or branch, the mark that says which of them it is. */
export function damageRoot(dataDir: string, shard: number): void {
  const path = dataFile(shardPath(dataDir, shard));
  const bytes = readFileSync(path);
  bytes.writeUInt16LE(0, rootOf(bytes) + PAGE_FLAGS_AT);
  writeFileSync(path, bytes);
}

function rootOf(bytes: Buffer): number {
  const isFirstNewer = bytes.readUInt32LE(TXN_AT) > bytes.readUInt32LE(PAGE_BYTES + TXN_AT);
  return bytes.readUInt32LE((isFirstNewer ? 0 : PAGE_BYTES) + ROOT_AT) * PAGE_BYTES;
}

/** Where a node of a page lies in the file. */
function nodeOf(bytes: Buffer, page: number, no: number): number {
  return page + HEADER_BYTES + bytes.readUInt16LE(page + HEADER_BYTES + 2 * no);
}
