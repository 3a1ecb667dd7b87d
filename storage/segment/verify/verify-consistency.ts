/**
 * Verifies what `/proof/consistency` gives: that the tree under a signed checkpoint continues an earlier one. The proof has no roots
 * of its own, so the earlier checkpoint must be at hand, signed by the log, too; without it nothing is shown and nothing is wrong.
 */
import { readCheckpoint, type Checkpoint } from '../checkpoint.ts';
import { verifyConsistency } from '../proof.ts';
import { Tampered, base64, type VerifyReport } from './report.ts';
import { aloneWith, isTrusted, type Trust } from './trust.ts';

/** What `/proof/consistency` gives. */
export interface ConsistencyFile {
  readonly from: number;
  readonly to: number;
  /** Hashes in base64. */
  readonly proof: readonly string[];
  /** The newest signed note. */
  readonly checkpoint: string;
}

/** Whether a file's JSON is one of these and not a proof of inclusion. */
export function isConsistencyFile(value: unknown): value is ConsistencyFile {
  if (typeof value !== 'object' || value === null) return false;
  const { from, to, proof, checkpoint, entry } = value as Record<string, unknown>;
  const counts = [from, to].every((count) => Number.isSafeInteger(count));
  const hashes = Array.isArray(proof) && proof.every((hash) => typeof hash === 'string');
  return counts && hashes && typeof checkpoint === 'string' && entry === undefined;
}

/** The report; `earlier` is the text of a checkpoint of `from` records, null where there is none at hand. */
export function verifyConsistencyFile(
  proof: ConsistencyFile,
  file: string,
  earlier: { readonly text: string; readonly file: string } | null,
  trust: Trust,
): VerifyReport {
  const missing: string[] = [];
  let newest: Checkpoint | null = null;
  let tampered: VerifyReport['tampered'] = null;
  try {
    newest = signed(proof.checkpoint, file, trust);
    const before = earlier === null ? null : signed(earlier.text, earlier.file, trust);
    if (before === null || before.size !== proof.from)
      missing.push(`a checkpoint of ${proof.from} records, signed then: --earlier <file>`);
    if (newest.size !== proof.to) missing.push(`a checkpoint of ${proof.to} records: ask for the proof without to`);
    if (before !== null && missing.length === 0) hold(proof, file, before, newest);
  } catch (error) {
    if (!(error instanceof Tampered)) throw error;
    tampered = error.finding;
  }
  return {
    verdict: tampered !== null ? 'tampered' : missing.length > 0 ? 'incomplete' : 'good',
    mode: 'proof',
    origin: newest?.origin ?? '',
    size: newest?.size ?? 0,
    root: newest === null ? '' : base64(newest.root),
    records: 0,
    unsigned: 0,
    pruned: 0,
    gaps: [],
    missing,
    tampered,
  };
}

function signed(text: string, file: string, trust: Trust): Checkpoint {
  const checkpoint = readCheckpoint(Buffer.from(text));
  if (checkpoint === null || !isTrusted(checkpoint.note, checkpoint.size, aloneWith(trust)))
    throw new Tampered({ file, what: 'the checkpoint is not signed by the key' });
  if (trust.origin !== null && checkpoint.origin !== trust.origin)
    throw new Tampered({ file, what: `the checkpoint is of ${checkpoint.origin}` });
  return checkpoint;
}

function hold({ from, to, proof }: ConsistencyFile, file: string, before: Checkpoint, newest: Checkpoint): void {
  if (before.origin !== newest.origin)
    throw new Tampered({ file, what: `the earlier checkpoint is of another log: ${before.origin}` });
  const hashes = proof.map((hash) => Buffer.from(hash, 'base64'));
  const isCanonical = hashes.every((hash, at) => hash.toString('base64') === proof[at]);
  if (!isCanonical || !verifyConsistency(from, to, before.root, newest.root, hashes))
    throw new Tampered({
      file,
      what: `the tree of ${to} records does not continue the one of ${from}`,
      expected: base64(before.root),
      actual: base64(newest.root),
    });
}
