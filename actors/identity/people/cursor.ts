/** The opaque cursor of a list of users: where the next page begins. A forged one begins elsewhere in the same list, no more. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';

export interface Cursor {
  /** The index entry after which a search goes on; null in the list of all. */
  readonly term: string | null;
  readonly id: string;
}

const shape = z.union([
  z.tuple([z.string().max(limits.people.idCharsMax)]),
  z.tuple([z.string().max(limits.people.idCharsMax), z.string().max(limits.people.termCharsMax)]),
]);

export function writeCursor({ term, id }: Cursor): string {
  return Buffer.from(JSON.stringify(term === null ? [id] : [id, term])).toString('base64url');
}

/** Undefined for a text that is no cursor of a search (`inSearch`) or of the list of all. */
export function readCursor(text: string, inSearch: boolean): Cursor | undefined {
  if (text.length > limits.people.cursorCharsMax) return undefined;
  const parts = shape.safeParse(jsonOf(Buffer.from(text, 'base64url').toString()));
  if (!parts.success || (parts.data.length === 2) !== inSearch) return undefined;
  const [id, term = null] = parts.data;
  return { id, term };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
