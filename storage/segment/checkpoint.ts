/** Checkpoints: the text of a signed note that says how large a tree is and what its root is. Source: C2SP tlog-checkpoint. */
import { HASH_BYTES } from './hash.ts';
import { readNote, type Note } from './note.ts';

export interface TreeHead {
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

export interface Checkpoint extends TreeHead {
  readonly origin: string;
  readonly note: Note;
}

/** The text that is signed: origin, size, root. */
export function checkpointText(origin: string, { size, root }: TreeHead): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** A checkpoint with its signatures, which are not verified here; null when the bytes are none. */
export function readCheckpoint(bytes: Uint8Array): Checkpoint | null {
  const note = readNote(bytes);
  if (note === null) return null;
  const [origin, decimal, base64] = note.text.split('\n');
  if (origin === '' || !/^(0|[1-9]\d*)$/.test(decimal ?? '') || base64 === undefined) return null;
  const size = Number(decimal);
  const root = Buffer.from(base64, 'base64');
  if (!Number.isSafeInteger(size) || root.length !== HASH_BYTES || root.toString('base64') !== base64) return null;
  return { origin: origin!, size, root, note };
}
