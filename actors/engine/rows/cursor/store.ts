/** The key that signs a tenant's cursors: made with the first cursor and stored, so that cursors outlive restarts. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Session } from '../session.ts';

const table = new Table<Uint8Array>('cursor_key', TABLES.cursor_key);
const CURRENT = 'current';
const KEY_BYTES = 32;

/** The tenant's key; undefined before the first cursor. */
export function cursorKey(session: Session): Uint8Array | undefined {
  return table.get(session.turn(), CURRENT);
}

/** The tenant's key, staged in this turn when there is none yet. */
export function ensureCursorKey(session: Session): Uint8Array {
  const known = cursorKey(session);
  if (known !== undefined) return known;
  const fresh = session.random(KEY_BYTES);
  table.put(session.turn(), fresh, CURRENT);
  return fresh;
}
