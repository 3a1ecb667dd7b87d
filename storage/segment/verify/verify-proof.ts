/** Verifies one record's proof: its hash, the way up the tree, and the checkpoint over it. Needs nothing but the public key. */
import { readCheckpoint } from '../checkpoint.ts';
import { HASH_BYTES, leafHash } from '../hash.ts';
import { verifyInclusion } from '../proof.ts';
import { Tampered, base64, type Tampering, type VerifyReport } from './report.ts';
import { aloneWith, isTrusted, type Trust } from './trust.ts';

/** What `?wait=checkpoint` and `/proof/inclusion` give. */
export interface ProofFile {
  readonly log_id: string;
  readonly index: number;
  /** The entry itself, as it stands in the log. */
  readonly entry: string;
  /** Hashes in base64, leaf first. */
  readonly proof: readonly string[];
  /** The signed note. */
  readonly checkpoint: string;
}

/** The report on a proof's text. */
export function verifyProof(text: string, file: string, trust: Trust): VerifyReport {
  let tampered: Tampering | null = null;
  const seen = { origin: '', size: 0, root: '' };
  try {
    const checkpoint = holdProof(text, file, trust);
    Object.assign(seen, { origin: checkpoint.origin, size: checkpoint.size, root: base64(checkpoint.root) });
  } catch (error) {
    if (!(error instanceof Tampered)) throw error;
    tampered = error.finding;
  }
  const verdict = tampered === null ? 'good' : 'tampered';
  return {
    verdict,
    mode: 'proof',
    ...seen,
    records: tampered === null ? 1 : 0,
    unsigned: 0,
    pruned: 0,
    gaps: [],
    missing: [],
    tampered,
  };
}

function holdProof(text: string, file: string, trust: Trust) {
  const proof = parse(text, file);
  const checkpoint = readCheckpoint(Buffer.from(proof.checkpoint));
  if (checkpoint === null || !isTrusted(checkpoint.note, checkpoint.size, aloneWith(trust)))
    throw new Tampered({ file, index: proof.index, what: 'the checkpoint is not signed by the key' });
  if (trust.origin !== null && checkpoint.origin !== trust.origin)
    throw new Tampered({ file, index: proof.index, what: `the checkpoint is of ${checkpoint.origin}` });
  const hashes = proof.proof.map((hash) => Buffer.from(hash, 'base64'));
  const leaf = leafHash(Buffer.from(proof.entry));
  const fits =
    hashes.every((hash, at) => hash.length === HASH_BYTES && hash.toString('base64') === proof.proof[at]) &&
    verifyInclusion(leaf, proof.index, checkpoint.size, hashes, checkpoint.root);
  if (!fits)
    throw new Tampered({ file, index: proof.index, what: 'the proof does not lead to the root', actual: base64(leaf) });
  return checkpoint;
}

function parse(text: string, file: string): ProofFile {
  let value: Partial<ProofFile> = {};
  try {
    value = JSON.parse(text) as Partial<ProofFile>;
  } catch {
    // Judged below, with every other shape.
  }
  const { index, entry, proof, checkpoint } = value;
  const fits =
    typeof index === 'number' && typeof entry === 'string' && typeof checkpoint === 'string' && Array.isArray(proof);
  if (!fits || !proof.every((hash) => typeof hash === 'string')) throw new Tampered({ file, what: 'is no proof' });
  return value as ProofFile;
}
