/** The schema record of a tenant: one, under 'current'. */
import { DYNAMIC_TABLE_FIRST, TABLES } from '#storage/catalogue.ts';
import { StorageFull } from '#storage/fault.ts';
import type { Reader, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import type { StoredSchema } from './stored.ts';

export type { Store, Turn } from '#storage/port.ts';

const table = new Table<StoredSchema>('schema', TABLES.schema);
const CURRENT = 'current';

/** The schema of a tenant that was never provisioned. */
export const EMPTY_SCHEMA: StoredSchema = Object.freeze({ nextTable: DYNAMIC_TABLE_FIRST, entities: [] });

/** The stored schema; the empty one before the first provisioning. */
export function loadSchema(reader: Reader): StoredSchema {
  return table.get(reader, CURRENT) ?? EMPTY_SCHEMA;
}

/** Whether the overlay is full and will drain; a full disk does not mend itself by waiting. */
export function isFull(error: unknown): boolean {
  return error instanceof StorageFull && error.why === 'overlay';
}

export function saveSchema(turn: Turn, schema: StoredSchema): void {
  table.put(turn, schema, CURRENT);
}
