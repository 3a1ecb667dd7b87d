/** One asset as a file: a line of JSON, and a line with its SHA-256, so that a torn or altered file is recognised. */
import { hash } from 'node:crypto';
import { isId } from '../page.ts';
import type { Row } from '../rows.ts';

/** The `Idempotency-Key` of a request that made or changed the asset. */
export interface NoteKey {
  readonly id: string;
  readonly expiresAtMs: number;
}

/** The content of a file. */
export interface Note {
  readonly asset: Row;
  /** Oldest first; empty when the store keeps no versions. */
  readonly versions: readonly Row[];
  readonly keys: readonly NoteKey[];
}

const SUFFIX = '.json';

export const noteName = (id: string): string => `${id}${SUFFIX}`;

/** The id of a file's asset, by the file's name; null for another file. */
export function idOfName(name: string): string | null {
  const id = name.slice(0, -SUFFIX.length);
  return name.endsWith(SUFFIX) && isId(id) ? id : null;
}

export function noteText(note: Note): string {
  const line = JSON.stringify(note);
  return `${line}\n${hash('sha256', line, 'hex')}\n`;
}

/** Null for a damaged text, or one of another asset. */
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
