/** What a log sends to a witness. Source: C2SP tlog-witness, "add-checkpoint". */
import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { HASH_BYTES } from './hash.ts';

/** "The consistency proof MUST be no more than 63 lines." */
const PROOF_LINES_MAX = 63;
const HASH_CHARS = 44;

export interface AddCheckpoint {
  /** The size up to which the witness is believed to know the log. */
  readonly old: number;
  readonly proof: readonly Uint8Array[];
  readonly checkpoint: Checkpoint;
}

/** `old <size>`, the proof a line each, an empty line, the note. */
export function writeAddCheckpoint(old: number, proof: readonly Uint8Array[], note: string): string {
  const lines = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `old ${old}\n${lines.join('')}\n${note}`;
}

/** The request taken apart, or null when it is none. */
export function readAddCheckpoint(body: Uint8Array): AddCheckpoint | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const end = bytes.indexOf('\n\n');
  if (end < 0 || end > (PROOF_LINES_MAX + 1) * (HASH_CHARS + 1)) return null;
  const [head, ...lines] = bytes.toString('latin1', 0, end).split('\n');
  const old = /^old (0|[1-9]\d{0,15})$/.exec(head!)?.[1];
  const proof = lines.map(readHash);
  const checkpoint = readCheckpoint(bytes.subarray(end + 2));
  if (old === undefined || checkpoint === null || lines.length > PROOF_LINES_MAX) return null;
  if (!Number.isSafeInteger(Number(old)) || proof.includes(null)) return null;
  return { old: Number(old), proof: proof as Uint8Array[], checkpoint };
}

function readHash(line: string): Uint8Array | null {
  const hash = Buffer.from(line, 'base64');
  return hash.length === HASH_BYTES && hash.toString('base64') === line ? hash : null;
}
