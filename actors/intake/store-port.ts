/** The store of submissions, as the service uses it. */
import type { NoticeKind } from '#actors/protocol/notice.ts';
import type { Person } from './erasure/person.ts';
import type { Columns } from './columns.ts';
import type { FirstUse } from './idempotency.ts';
import type { LogEnd } from './log/store.ts';
import type { Expired, Retentions } from './retention.ts';
import type { Accepted, Submission } from './submission.ts';
import type { DatabasePort, LogPort } from './writer.ts';

/** The kinds of notice of a form, by its id. */
export type KindsOf = (form: string) => readonly NoticeKind[];

/** The tenant that gets submissions of a form, by its id; undefined where they stay here. */
export type TenantOf = (form: string) => string | undefined;

/** A submission that its tenant has not taken yet. */
export interface PendingDelivery {
  readonly tenant: string;
  readonly form: string;
  readonly id: string;
}

export interface PendingNotice {
  readonly submission: Submission;
  readonly kind: NoticeKind;
}

/** What an erasure needs of the service around the store. */
export interface ErasureTurns {
  /** Runs a task between two batches; a rejection is fatal. */
  between(task: () => Promise<void>): Promise<void>;
  /** Whether the service stops: the erasure ends where it is. */
  stopping(): boolean;
  /** Takes ids of submissions that are about to be erased: no notice of them leaves any more. */
  found(ids: readonly string[]): void;
}

export interface IntakeStore {
  readonly log: LogPort<Submission, LogEnd> | null;
  readonly database: DatabasePort<Accepted, LogEnd>;
  /** The newest id at the start, '' for none. */
  readonly lastId: string;
  /** How many lines of the log the database had not taken in when it was opened. */
  readonly replayed: number;
  /** Entries of the outbox when it was opened. */
  readonly notices: readonly PendingNotice[];
  /** Submissions that their tenants had not taken when it was opened, oldest first. */
  readonly deliveries: readonly PendingDelivery[];
  /** Tenants that submissions had been handed to when it was opened. */
  readonly keepers: readonly string[];
  /** Records one more of them, in some later commit. */
  recordKeeper(tenant: string): void;
  /** Stored submissions of a form each; undefined where there is none, and with `backend: jsonl`, which delivers none. */
  submissions(of: readonly Pick<Submission, 'form' | 'id'>[]): Promise<readonly (Submission | undefined)[]>;
  /** Deletes the entry of a delivery, in some later commit. */
  forgetDelivery(form: string, id: string): void;
  columns(form: string): Columns | undefined;
  /** Adds columns of forms to the recorded ones. Resolves when they are durable. */
  recordColumns(columns: ReadonlyMap<string, Columns>): Promise<void>;
  firstUse(form: string, key: string): FirstUse | undefined;
  /** Deletes an entry of the outbox, in some later commit. */
  forgetNotice(id: string, kind: NoticeKind): void;
  /** Deletes expired idempotency keys; resolves when none is left. */
  sweepKeys(): Promise<void>;
  /** Deletes rows past their retention, and the oldest files of the log whose lines are all past it. */
  expire(retentions: Retentions): Promise<Expired>;
  /** Erases a person's submissions that were received before, in slices; gives the form of each by its id. */
  erase(person: Person, turns: ErasureTurns): Promise<ReadonlyMap<string, string>>;
  /** False while free space is below limits.storage.freeBytesMin, or would be after `bytes` more; a true answer counts them as used. */
  readonly hasRoom: (bytes: number) => boolean;
  /** Copies the database as it is committed now into an empty directory; false where there is none. */
  copyTo(directory: string): Promise<boolean>;
  /** Starts a new log file; call it between two batches only. False when the disk is full. */
  rotate(): Promise<boolean>;
  /** Makes what waits durable, and writes nothing more: what is settled behind it is settled again by the next owner. Absent where no other node can own the store. */
  readonly seal?: () => Promise<void>;
  close(): Promise<void>;
}
