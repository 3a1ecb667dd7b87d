/** The hashes of a Merkle tree. Source: RFC 6962 §2.1 (and RFC 9162 §2.1.1): leaves begin with 0x00, nodes with 0x01. */
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

/** Room for one leaf, its 0x00 already there: one call over one buffer costs half of a hash object. Larger ones get their own. */
const LEAF_BYTES = 64 * 1024;
const leaf = Buffer.alloc(1 + LEAF_BYTES);
const NODE_BYTES = 1 + 2 * HASH_BYTES;

/** The hash of one entry. */
export function leafHash(entry: Uint8Array): Buffer {
  const bytes = entry.length <= LEAF_BYTES ? leaf : Buffer.alloc(1 + entry.length);
  bytes.set(entry, 1);
  return hash('sha256', bytes.subarray(0, 1 + entry.length), 'buffer');
}

/** The hash of a node over its two children, 32 bytes each. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const node = Buffer.allocUnsafe(NODE_BYTES);
  node[0] = 1;
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return hash('sha256', node, 'buffer');
}

/** The root of the tree without entries. */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer');

/**
 * The root over a list of subtrees of one size, of which the last may be smaller: MTH of RFC 6962 §2.1. `items` is not empty.
 */
export function rootOver(items: readonly Uint8Array[], from = 0, to = items.length): Uint8Array {
  if (to - from === 1) return items[from]!;
  const split = from + splitOf(to - from);
  return nodeHash(rootOver(items, from, split), rootOver(items, split, to));
}

/** The largest power of two below `size` (at least 2): where RFC 6962 splits a tree. */
export function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}
