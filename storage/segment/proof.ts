/** Inclusion and consistency proofs. Source: RFC 6962 §2.1.1 and §2.1.2 (making), RFC 9162 §2.1.3.2 and §2.1.4.2 (verifying). */
import { HASH_BYTES, nodeHash, splitOf } from './hash.ts';

/** Entries `from` ≤ i < `to`, whose root is one hash of a proof. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The ranges whose roots prove entry `index` of a tree of `size` entries, leaf first: PATH(m, D[n]). */
export function inclusionRanges(index: number, size: number): Range[] {
  const ranges: Range[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const split = from + splitOf(to - from);
    if (index < split) {
      ranges.unshift({ from: split, to });
      to = split;
    } else {
      ranges.unshift({ from, to: split });
      from = split;
    }
  }
  return ranges;
}

/** The ranges whose roots prove that a tree of `to` entries continues one of `from`: PROOF(m, D[n]). */
export function consistencyRanges(from: number, to: number): Range[] {
  return from === 0 || from === to ? [] : subproof(from, { from: 0, to }, true);
}

function subproof(size: number, range: Range, whole: boolean): Range[] {
  if (size === range.to) return whole ? [] : [range];
  const split = range.from + splitOf(range.to - range.from);
  const left = { from: range.from, to: split };
  const right = { from: split, to: range.to };
  if (size <= split) return [...subproof(size, left, whole), right];
  return [...subproof(size, right, false), left];
}

type Hash = Uint8Array;

/** Whether `proof` shows that `leaf` is the hash of entry `index` in the tree of `size` entries under `root`. */
export function verifyInclusion(leaf: Hash, index: number, size: number, proof: readonly Hash[], root: Hash): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  const ranges = inclusionRanges(index, size);
  if (proof.length !== ranges.length) return false;
  let hash = leaf;
  for (const [at, { from }] of ranges.entries())
    hash = from > index ? nodeHash(hash, proof[at]!) : nodeHash(proof[at]!, hash);
  return isSame(hash, root);
}

/** Whether `proof` shows that the tree of `to` entries under `toRoot` continues the one of `from` entries under `fromRoot`; of an empty tree it could show nothing. */
export function verifyConsistency(
  from: number,
  to: number,
  fromRoot: Hash,
  toRoot: Hash,
  proof: readonly Hash[],
): boolean {
  if (!isCount(from) || !isCount(to) || from === 0 || from > to) return false;
  if (from === to) return proof.length === 0 && Buffer.compare(fromRoot, toRoot) === 0;
  const hashes = isPowerOfTwo(from) ? [fromRoot, ...proof] : [...proof];
  if (hashes.length === 0) return false;
  let old = from - 1;
  let last = to - 1;
  for (; old % 2 === 1; old = (old - 1) / 2) last = Math.floor(last / 2);
  let fromHash = hashes[0]!;
  let toHash = hashes[0]!;
  for (const hash of hashes.slice(1)) {
    if (last === 0) return false;
    if (old % 2 === 1 || old === last) {
      fromHash = nodeHash(hash, fromHash);
      toHash = nodeHash(hash, toHash);
      for (; old % 2 === 0 && old > 0; old /= 2) last = Math.floor(last / 2);
    } else toHash = nodeHash(toHash, hash);
    old = Math.floor(old / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && isSame(fromHash, fromRoot) && isSame(toHash, toRoot);
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isPowerOfTwo = (value: number): boolean => splitOf(value + 1) === value;
const isSame = (a: Hash, b: Hash): boolean => a.length === HASH_BYTES && Buffer.compare(a, b) === 0;
