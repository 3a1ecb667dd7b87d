/**
 * Rows of submissions that their tenants have not taken yet: the fields are in the submission's own row. And the tenants that have had some. Tables:
 * storage/catalogue.ts 67, 68.
 */
import { TABLES } from '#storage/catalogue.ts';
import type { Write } from '#storage/environment.ts';
import type { Lookup } from '#storage/port.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import type { PendingDelivery } from '../store-port.ts';

const outbox = new Table<PendingDelivery>('submission_outbox', TABLES.submission_outbox);
const keepers = new Table<string>('submission_keeper', TABLES.submission_keeper);

export function deliveryWrite({ tenant, form, id }: PendingDelivery): Write {
  return [outbox.key(form, id), encodeRecord(TABLES.submission_outbox.version, { tenant, form, id })];
}

/** The submission was taken, or is gone. */
export const noDelivery = (form: string, id: string): Write => [outbox.key(form, id), null];

/** Oldest first, over all forms. */
export function pendingDeliveries(reader: Lookup): PendingDelivery[] {
  return [...outbox.scan(reader)].sort((a, b) => (a.id < b.id ? -1 : 1));
}

export const keeperWrite = (tenant: string): Write => [
  keepers.key(tenant),
  encodeRecord(TABLES.submission_keeper.version, tenant),
];

export const knownKeepers = (reader: Lookup): readonly string[] => [...keepers.scan(reader)];
