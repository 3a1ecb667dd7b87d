/** What the service asks of where submissions lie. */
import type { NoticeKind } from '#actors/protocol/notice.ts';
import type { Columns } from './columns.ts';
import type { FirstUse } from './idempotency.ts';
import type { LogEnd } from './log/store.ts';
import type { Expired, Retentions } from './retention.ts';
import type { Accepted, Submission } from './submission.ts';
import type { DatabasePort, LogPort } from './writer.ts';

/** Notices that a form gives, by its id. */
export type KindsOf = (form: string) => readonly NoticeKind[];

export interface PendingNotice {
  readonly submission: Submission;
  readonly kind: NoticeKind;
}

export interface IntakeStore {
  readonly log: LogPort<Submission, LogEnd> | null;
  readonly database: DatabasePort<Accepted, LogEnd>;
  /** The newest id that was stored before the start, '' when none was. */
  readonly lastId: string;
  /** Lines that the log was ahead of the database when it was opened. */
  readonly replayed: number;
  /** What the outbox held when it was opened. */
  readonly notices: readonly PendingNotice[];
  columns(form: string): Columns | undefined;
  /** Records columns of forms, in addition to those that they have. Resolves when durable. */
  recordColumns(columns: ReadonlyMap<string, Columns>): Promise<void>;
  firstUse(form: string, key: string): FirstUse | undefined;
  /** Deletes an entry of the outbox; nobody waits. */
  forgetNotice(id: string, kind: NoticeKind): void;
  /** Deletes expired idempotency keys; resolves when there are none. */
  sweepKeys(): Promise<void>;
  /** Deletes what is past its retention: rows, and the oldest files of the log as far as every line of them is. */
  expire(retentions: Retentions): Promise<Expired>;
  /** False while free space is below the watermark (limits.storage.freeBytesMin), or would be with so many bytes more; they count then. */
  readonly hasRoom: (bytes: number) => boolean;
  /** Starts a new log file; between two batches only. False when the disk is full. */
  rotate(): Promise<boolean>;
  close(): Promise<void>;
}
