/** One asset as a file: a line of JSON, and a line with the SHA-256 of it, so that what was torn or altered is told from what was written. */
import { hash } from 'node:crypto';
import { isId } from '../page.ts';
import type { Row } from '../rows.ts';

/** A key of a request that made the asset what it is (`Idempotency-Key`). */
export interface NoteKey {
  readonly id: string;
  readonly expiresAtMs: number;
}

/** What a file says. */
export interface Note {
  readonly asset: Row;
  /** In the order in which they came; none where the store keeps none. */
  readonly versions: readonly Row[];
  readonly keys: readonly NoteKey[];
}

const SUFFIX = '.json';

export const noteName = (id: string): string => `${id}${SUFFIX}`;

/** The id of the asset that a file is about; null for another file. */
export function idOfName(name: string): string | null {
  const id = name.slice(0, -SUFFIX.length);
  return name.endsWith(SUFFIX) && isId(id) ? id : null;
}

export function noteText(note: Note): string {
  const line = JSON.stringify(note);
  return `${line}\n${hash('sha256', line, 'hex')}\n`;
}

/** Null for a text that is not as it was written, or that is about another asset. */
export function parseNote(text: string, id: string): Note | null {
  const [line = '', sum, ...rest] = text.split('\n');
  if (rest.join('') !== '' || sum !== hash('sha256', line, 'hex')) return null;
  try {
    const note = JSON.parse(line) as Note;
    return note.asset['id'] === id && Array.isArray(note.versions) && Array.isArray(note.keys) ? note : null;
  } catch {
    return null;
  }
}
