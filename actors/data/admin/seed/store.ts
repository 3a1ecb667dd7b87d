/** The ledger of seeds: what was applied with which content, or why it was not. */
import { TABLES } from '#storage/catalogue.ts';
import type { Reader, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';

export interface SeedRecord {
  readonly name: string;
  readonly status: 'applied' | 'failed';
  /** Checksum of the content that was last applied; '' when none ever was. */
  readonly applied_checksum: string;
  readonly applied_ms: number;
  /** Rows that it wrote. */
  readonly rows: number;
  /** '' unless the last try failed. */
  readonly error: string;
  /** The run that wrote this record. */
  readonly plan_id: string;
}

const table = new Table<SeedRecord>('seed_ledger', TABLES.seed_ledger);

export function seedRecord(reader: Reader, name: string): SeedRecord | undefined {
  return table.get(reader, name);
}

export function putSeedRecord(turn: Turn, record: SeedRecord): void {
  table.put(turn, record, record.name);
}
