/** The table of erasures: what is still to be done, and a record of what was. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';
import type { ErasedRows } from '#actors/protocol/person.ts';

export type { Reader, Store, Turn } from '#storage/port.ts';

export interface ErasureRecord {
  readonly id: string;
  /** The id that the user had. */
  readonly user: string;
  /** The address that the user had: needed to find what is to go; empty once it has gone. */
  readonly email: string;
  /** The subject that asked for it. */
  readonly by: string;
  readonly state: 'open' | 'done';
  readonly began_at: string;
  readonly ended_at: string | null;
  /** What became of rows of data, by entity. */
  readonly rows: ErasedRows;
  /** Personal lines beside the audit log that were erased; null until then, and where nothing is recorded. */
  readonly audit_lines: number | null;
}

const erasures = new Table<ErasureRecord>('erasure', TABLES.erasure);

export const readErasures = (reader: Reader): ErasureRecord[] => [...erasures.scan(reader)];

export const findErasure = (reader: Reader, id: string): ErasureRecord | undefined => erasures.get(reader, id);

export function putErasure(turn: Turn, record: ErasureRecord): void {
  erasures.put(turn, record, record.id);
}

export function deleteErasure(turn: Turn, id: string): void {
  erasures.del(turn, id);
}
