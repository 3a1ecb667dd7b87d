/** The schema of a tenant, and the revision of its product that it serves: one record each, under 'current'. */
import { DYNAMIC_TABLE_FIRST, TABLES } from '#storage/catalogue.ts';
import type { Lookup, Reader, Turn } from '#storage/port.ts';
import { decodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import type { StoredSchema } from './stored.ts';

export { isFull } from '#storage/fault.ts';
export type { Store, Turn } from '#storage/port.ts';

const table = new Table<StoredSchema>('schema', TABLES.schema);
const CURRENT = 'current';

/** The schema of a tenant that was never provisioned. */
export const EMPTY_SCHEMA: StoredSchema = Object.freeze({ nextTable: DYNAMIC_TABLE_FIRST, entities: [] });

/** The schema that was decoded last: decoding hundreds of entities takes milliseconds, and a plan reads the schema in each of its steps. */
let last: { readonly record: Uint8Array; readonly schema: StoredSchema } | null = null;

/** The stored schema; the empty one before the first provisioning. */
export function loadSchema(reader: Reader): StoredSchema {
  const record = reader.get(table.key(CURRENT));
  if (record === undefined) return EMPTY_SCHEMA;
  if (last !== null && Buffer.compare(last.record, record) === 0) return last.schema;
  // A copy: the next read reuses the record's memory.
  last = { record: Buffer.from(record), schema: decodeRecord(record, 'schema') as StoredSchema };
  return last.schema;
}

/** A copy of the stored schema's bytes, by which work in steps sees whether the schema has changed. Undefined before the first provisioning. */
export function schemaBytes(reader: Lookup): Buffer | undefined {
  const record = reader.get(table.key(CURRENT));
  return record === undefined ? undefined : Buffer.from(record);
}

export function saveSchema(turn: Turn, schema: StoredSchema): void {
  table.put(turn, schema, CURRENT);
}

interface RevisionRecord {
  /** SHA-256 of its canonical archive, lower-case hex. */
  readonly sha256: string;
  /** The one that was served before, so that a deploy can be taken back; absent before the first change. */
  readonly former?: string;
}

const revisions = new Table<RevisionRecord>('revision', TABLES.revision);

/** The SHA-256 of the revision; undefined for a tenant that was provisioned before revisions were stored, or never. */
export function findRevision(reader: Lookup): string | undefined {
  return revisions.get(reader, CURRENT)?.sha256;
}

/** The revision before that one; undefined where there is none. */
export function findFormerRevision(reader: Lookup): string | undefined {
  return revisions.get(reader, CURRENT)?.former;
}

/** The tenant serves this revision from now on; the one of before is kept beside it. */
export function putRevision(turn: Turn, sha256: string): void {
  const now = revisions.get(turn, CURRENT);
  const former = now === undefined || now.sha256 === sha256 ? now?.former : now.sha256;
  revisions.put(turn, former === undefined ? { sha256 } : { sha256, former }, CURRENT);
}
