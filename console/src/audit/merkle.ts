/** Inclusion in a Merkle tree, as the RFC verifies it: from the leaf up, with the bits of the numbers of leaf and last leaf. Source: RFC 9162 §2.1.1 and §2.1.3.2. Pure. */
import { isSame, joined, sha256, type Bytes } from './bytes.ts';

const HASH_BYTES = 32;

/** Leaves begin with 0x00 and nodes with 0x01, so that neither passes as the other. */
export const leafHash = (entry: Bytes): Promise<Bytes> => sha256(joined(Uint8Array.of(0), entry));
const nodeHash = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(joined(Uint8Array.of(1), left, right));

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);

export interface Inclusion {
  readonly leaf: Bytes;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Bytes[];
  readonly root: Bytes;
}

/** Whether the path leads from the leaf, the entry `index` of `size`, to the root. */
export async function isIncluded({ leaf, index, size, path, root }: Inclusion): Promise<boolean> {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if (![leaf, root, ...path].every(({ length }) => length === HASH_BYTES)) return false;
  let hash = leaf;
  let node = index;
  let last = size - 1;
  for (const beside of path) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      hash = await nodeHash(beside, hash);
      for (; !isOdd(node) && node !== 0; node = half(node)) last = half(last);
    } else hash = await nodeHash(hash, beside);
    node = half(node);
    last = half(last);
  }
  return last === 0 && isSame(hash, root);
}
