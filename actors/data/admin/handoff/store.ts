/** Handoffs of rows to an archive elsewhere: one record for each version of a row, found by its id, by the row and by status. */
import { TABLES } from '#storage/catalogue.ts';
import type { Reader, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';

export type { Reader, Turn } from '#storage/port.ts';

export const HANDOFF_STATUSES = ['pending', 'claimed', 'confirmed', 'failed'] as const;
export type HandoffStatus = (typeof HANDOFF_STATUSES)[number];

export interface HandoffRecord {
  readonly handoff_id: string;
  readonly entity: string;
  /** Key of the row, as its entity stores it. */
  readonly row_pk: string | number;
  readonly version: number;
  readonly target_name: string;
  readonly target_type: string;
  readonly status: HandoffStatus;
  /** Since when it has the status. */
  readonly since_ms: number;
  readonly claimer_id: string;
  readonly target_location: string;
  readonly checksum: string;
  readonly error: string;
}

export interface HandoffCount {
  readonly entity: string;
  readonly target_name: string;
  readonly status: HandoffStatus;
  readonly count: number;
}

const records = new Table<HandoffRecord>('handoff', TABLES.handoff);
const places = new Table<string>('handoff_place', TABLES.handoff_place);
const queue = new Table<string>('handoff_queue', TABLES.handoff_queue);
const counts = new Table<HandoffCount>('handoff_count', TABLES.handoff_count);

export function getHandoff(reader: Reader, id: string): HandoffRecord | undefined {
  return records.get(reader, id);
}

/** The handoff of a row in the version that it has. */
export function handoffOf(
  reader: Reader,
  entity: string,
  pk: string | number,
  version: number,
): HandoffRecord | undefined {
  const id = places.get(reader, entity, pk, version);
  return id === undefined ? undefined : records.get(reader, id);
}

/** Stages a new handoff, or the next state of one: queue and counters follow. */
export function putHandoff(turn: Turn, before: HandoffRecord | undefined, after: HandoffRecord): void {
  if (before === undefined) places.put(turn, after.handoff_id, after.entity, after.row_pk, after.version);
  else {
    queue.del(turn, before.entity, before.target_name, before.status, before.handoff_id);
    count(turn, before, -1);
  }
  records.put(turn, after, after.handoff_id);
  queue.put(turn, after.handoff_id, after.entity, after.target_name, after.status, after.handoff_id);
  count(turn, after, 1);
}

/** Ids of a bucket, the oldest first. */
export function queuedIn(
  reader: Reader,
  { entity, target_name, status }: Omit<HandoffCount, 'count'>,
): IterableIterator<string> {
  return queue.scan(reader, [entity, target_name, status]);
}

/** The id of the oldest in a bucket. */
export function oldestQueued(
  reader: Reader,
  { entity, target_name, status }: Omit<HandoffCount, 'count'>,
): string | undefined {
  return queue.first(reader, [entity, target_name, status]);
}

/** Buckets by entity, target and status; empty ones too. */
export function handoffCounts(reader: Reader): IterableIterator<HandoffCount> {
  return counts.scan(reader);
}

function count(turn: Turn, { entity, target_name, status }: HandoffRecord, by: number): void {
  const before = counts.get(turn, entity, target_name, status)?.count ?? 0;
  counts.put(turn, { entity, target_name, status, count: before + by }, entity, target_name, status);
}
