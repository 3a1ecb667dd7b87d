/** Which witnesses a cosigned checkpoint names, and when they signed. Their signatures are not checked: the page has no key of theirs. Source: C2SP tlog-cosignature. Pure. */
import { readCheckpoint } from './note.ts';

/** Key id before it and signature after it are skipped here. */
const TIME_BYTES = 8;
const COSIGNATURE_BYTES = TIME_BYTES + 64;

export interface Cosigned {
  readonly size: number;
  readonly by: readonly { readonly name: string; readonly at: string }[];
}

/** Null where the text is no checkpoint, or has no signature of a witness. */
export function cosignedBy(text: string): Cosigned | null {
  const checkpoint = readCheckpoint(text);
  const lines = checkpoint?.note.signatures.filter(({ bytes }) => bytes.length === COSIGNATURE_BYTES) ?? [];
  if (checkpoint === null || lines.length === 0) return null;
  const by = lines.map(({ name, bytes }) => {
    const seconds = Number(new DataView(bytes.buffer, bytes.byteOffset, TIME_BYTES).getBigUint64(0));
    return { name, at: new Date(seconds * 1000).toISOString() };
  });
  return { size: checkpoint.size, by };
}
