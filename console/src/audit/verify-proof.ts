/**
 * Whether a record is in the log that a key has signed: docs/contract/audit.md §2.1 and §4, with no code of the node. Pure; runs in a worker of the page (verify.worker.ts).
 *
 * What is checked, in this order: the shape of the proof, the signature under the checkpoint, whose log it is, the path from the record to the root, and that the record is the one that the page shows.
 */
import { fromBase64, toBase64, utf8, type Bytes } from './bytes.ts';
import { isIncluded, leafHash } from './merkle.ts';
import { isSigned, readCheckpoint, readKey } from './note.ts';

/** What the node gives as a proof (`GET /audit/logs/{id}/proof/inclusion`). */
interface Proof {
  readonly index: number;
  /** The record as it stands in the log. */
  readonly entry: string;
  readonly proof: readonly string[];
  readonly checkpoint: string;
}

export interface ProofAsk {
  /** As it came: nothing of it is believed. */
  readonly proof: unknown;
  /** A verifier key or PEM. */
  readonly key: string;
  readonly origin: string;
  readonly index: number;
  /** The record that the page shows. */
  readonly record: unknown;
}

/** What does not hold, in the order in which it is checked. */
export const FAULTS = ['shape', 'key', 'signature', 'origin', 'path', 'record'] as const;
export type Fault = (typeof FAULTS)[number];

export type Verdict =
  | { readonly kind: 'good'; readonly size: number; readonly root: string; readonly leaf: string }
  | { readonly kind: 'bad'; readonly fault: Fault }
  /** The browser has no Ed25519: nothing was checked. */
  | { readonly kind: 'unable' };

const bad = (fault: Fault): Verdict => ({ kind: 'bad', fault });

export async function verifyProof({ proof: given, key: keyText, origin, index, record }: ProofAsk): Promise<Verdict> {
  const proof = proofOf(given);
  const checkpoint = proof === null ? null : readCheckpoint(proof.checkpoint);
  const path = proof?.proof.map(fromBase64) ?? [];
  if (proof === null || checkpoint === null || path.includes(null)) return bad('shape');
  const key = await readKey(keyText);
  if (key === null) return bad('key');
  try {
    if (!(await isSigned(checkpoint.note, key))) return bad('signature');
  } catch {
    return { kind: 'unable' };
  }
  if (checkpoint.origin !== origin) return bad('origin');
  const leaf = await leafHash(utf8(proof.entry));
  const { size, root } = checkpoint;
  if (!(await isIncluded({ leaf, index: proof.index, size, path: path as Bytes[], root }))) return bad('path');
  if (proof.index !== index || !isRecord(proof.entry, record)) return bad('record');
  return { kind: 'good', size, root: toBase64(root), leaf: toBase64(leaf) };
}

function proofOf(value: unknown): Proof | null {
  if (typeof value !== 'object' || value === null) return null;
  const { index, entry, proof, checkpoint } = value as Partial<Proof>;
  const fits = typeof index === 'number' && typeof entry === 'string' && typeof checkpoint === 'string';
  if (!fits || !Array.isArray(proof) || !proof.every((hash) => typeof hash === 'string')) return null;
  return { index, entry, proof, checkpoint };
}

/** Whether the entry says what the shown record says, whatever the order of its members. */
function isRecord(entry: string, record: unknown): boolean {
  try {
    return sorted(JSON.parse(entry)) === sorted(record);
  } catch {
    return false;
  }
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
