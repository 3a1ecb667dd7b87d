/** The public vectors of transparency-dev (vectors/README.md): good proofs verify, and every way to bend one does not. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifyConsistency, verifyInclusion } from '#storage/segment/proof.ts';

interface Inclusion {
  readonly kind: 'inclusion';
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly root: string | null;
  readonly leafHash: string | null;
}

interface Consistency {
  readonly kind: 'consistency';
  readonly size1: number;
  readonly size2: number;
  readonly root1: string | null;
  readonly root2: string | null;
}

type Vector = (Inclusion | Consistency) & {
  readonly name: string;
  readonly proof: readonly string[];
  readonly wantErr: boolean;
};

const bytes = (base64: string | null): Buffer => Buffer.from(base64 ?? '', 'base64');

function verifies(vector: Vector): boolean {
  const proof = vector.proof.map(bytes);
  if (vector.kind === 'inclusion')
    return verifyInclusion(bytes(vector.leafHash), vector.leafIdx, vector.treeSize, proof, bytes(vector.root));
  return verifyConsistency(vector.size1, vector.size2, bytes(vector.root1), bytes(vector.root2), proof);
}

const file = new URL('./vectors/merkle.jsonl', import.meta.url);
const vectors = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

test('all 196 vectors are judged as their authors judge them', () => {
  expect(vectors).toHaveLength(196);
  expect(vectors.filter(({ wantErr }) => !wantErr).length).toBeGreaterThan(10);
  const misjudged = vectors.filter((vector) => verifies(vector) === vector.wantErr);
  expect(misjudged.map(({ kind, name }) => `${kind}/${name}`)).toEqual([]);
});
