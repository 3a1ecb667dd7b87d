/** Tasks of materialized fields: at most one for each field of a row, however often its sources change before it is done. */
import { hash } from 'node:crypto';
import { ULID_ALPHABET } from '#config/values/id.ts';
import { TABLES } from '#storage/catalogue.ts';
import { after } from '#storage/key.ts';
import type { Reader, Turn } from '#storage/port.ts';
import { decodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';

export type { Reader, Store, Turn } from '#storage/port.ts';

export interface TaskRecord {
  readonly id: string;
  readonly target_entity: string;
  readonly target_field: string;
  /** The key as its entity stores it. */
  readonly target_row_id: string | number;
  readonly source_entity: string;
  readonly source_op: 'create' | 'update' | 'delete' | 'fill';
  readonly enqueued_ms: number;
  readonly attempts: number;
  readonly state: 'pending' | 'failed';
  /** Names the computation that is running over a snapshot; '' when none is. A write of a source clears it: the snapshot is too old then. */
  readonly token: string;
  readonly error: string;
  /** How many triggers led to the change of the source; absent for none. */
  readonly depth?: number;
}

/** How far the filling of a field has come, and the definition that it was filled by. */
export interface KnownRecord {
  readonly text: string;
  /** The key behind which filling continues; null when the field is filled. */
  readonly from: string | null;
}

interface Counts {
  readonly all: number;
  readonly failed: number;
}

const tasks = new Table<TaskRecord>('materialize_task', TABLES.materialize_task);
const counts = new Table<Counts>('materialize_count', TABLES.materialize_count);
const known = new Table<KnownRecord>('materialize_known', TABLES.materialize_known);
const CURRENT = 'current';
const NONE: Counts = { all: 0, failed: 0 };

/** The id of a task: 125 bits of a hash of its field and row, in the letters of a ULID. */
export function taskIdOf(table: number, at: number, rowId: string | number): string {
  const digest = hash('sha256', `${table}\0${at}\0${typeof rowId}\0${rowId}`, 'buffer');
  let text = '0';
  for (let i = 0; i < 25; i++) text += ULID_ALPHABET[digest[i]! & 31];
  return text;
}

export function getTask(reader: Reader, id: string): TaskRecord | undefined {
  return tasks.get(reader, id);
}

/** Stages a task and the new counts. */
export function putTask(turn: Turn, before: TaskRecord | undefined, task: TaskRecord): void {
  count(turn, before === undefined ? 1 : 0, failedOf(task) - (before === undefined ? 0 : failedOf(before)));
  tasks.put(turn, task, task.id);
}

export function dropTask(turn: Turn, task: TaskRecord): void {
  count(turn, -1, -failedOf(task));
  tasks.del(turn, task.id);
}

const failedOf = ({ state }: TaskRecord): number => Number(state === 'failed');

function count(turn: Turn, all: number, failed: number): void {
  if (all === 0 && failed === 0) return;
  const before = taskCounts(turn);
  counts.put(turn, { all: before.all + all, failed: before.failed + failed }, CURRENT);
}

export function taskCounts(reader: Reader): Counts {
  return counts.get(reader, CURRENT) ?? NONE;
}

/** Tasks behind an id ('' for the first), at most `limit`. */
export function taskPage(reader: Reader, behind: string, limit: number): TaskRecord[] {
  const all = tasks.key();
  const page: TaskRecord[] = [];
  const from = behind === '' ? all : `${tasks.key(behind)}\0`;
  for (const { value } of reader.range(from, after(all))) {
    page.push(decodeRecord(value, 'materialize_task') as TaskRecord);
    if (page.length === limit) break;
  }
  return page;
}

export function knownOf(reader: Reader, table: number, at: number): KnownRecord | undefined {
  return known.get(reader, table, at);
}

export function putKnown(turn: Turn, record: KnownRecord, table: number, at: number): void {
  known.put(turn, record, table, at);
}
