/** Tables of webhook deliveries. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** What a delivery reports. Its receiver is read from the app when it leaves, so that the store holds no secret. */
export interface DeliveryEntry {
  readonly id: string;
  readonly app: string;
  readonly hook: string;
  readonly event: string;
  readonly entity: string;
  readonly space: string;
  readonly type: string;
  readonly documents: readonly string[];
  /** When the change was made. */
  readonly at: string;
  /** `traceparent` of the request that made the change, where it was traced. */
  readonly trace?: string;
}

export interface DeliveryRecord extends DeliveryEntry {
  readonly outcome: 'delivered' | 'refused' | 'failed' | 'dropped';
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly ended_at: string;
}

export interface DeliveryCount {
  readonly waiting: number;
  readonly logged: number;
  readonly dropped: number;
}

/** Deliveries that have not ended. */
export const deliveryRows = {
  table: new Table<DeliveryEntry>('webhook_outbox', TABLES.webhook_outbox),
  under: [],
} as const;
const log = new Table<DeliveryRecord>('webhook_log', TABLES.webhook_log);
const count = new Table<DeliveryCount>('webhook_count', TABLES.webhook_count);

export const countOf = (reader: Reader): DeliveryCount =>
  count.get(reader, 'count') ?? { waiting: 0, logged: 0, dropped: 0 };

export const putCount = (turn: Turn, value: DeliveryCount): void => count.put(turn, value, 'count');

export const putRecord = (turn: Turn, record: DeliveryRecord): void => log.put(turn, record, record.id);
export const findRecord = (reader: Reader, id: string): DeliveryRecord | undefined => log.get(reader, id);
export const deleteRecord = (turn: Turn, id: string): void => log.del(turn, id);
/** Newest first, from below this id on; '' for all. */
export const scanRecordsBefore = (reader: Reader, id: string): IterableIterator<DeliveryRecord> =>
  id === '' ? log.scan(reader, [], true) : log.scanBack(reader, [id]);
/** Oldest first; newest first when `reverse`. */
export const scanRecords = (reader: Reader, reverse: boolean): IterableIterator<DeliveryRecord> =>
  log.scan(reader, [], reverse);
