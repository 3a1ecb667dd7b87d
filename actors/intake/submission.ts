/** An accepted submission and its line in the JSONL log, which holds all of it: the database can be rebuilt from the log. */
import { hash } from 'node:crypto';
import type { NoticeKind } from '#actors/protocol/notice.ts';

export type FieldValue = string | number | boolean | StoredFile;

/** A file of a submission with all of its bytes: the log alone must be able to restore it. */
export interface StoredFile {
  readonly name: string;
  readonly content_type: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  readonly base64: string;
}

/** Checked values in the order of the form; fields without a value are left out. */
export type Fields = Readonly<Record<string, FieldValue>>;

export interface Submission {
  readonly id: string;
  readonly form: string;
  /** RFC 3339 UTC with milliseconds. */
  readonly received_at: string;
  readonly fields: Fields;
  /** The caller's idempotency key, '' when there was none. */
  readonly idempotency_key: string;
}

/** A submission that is being stored, with what its commit puts into the outboxes: notices, and its delivery to a tenant. */
export interface Accepted extends Submission {
  readonly notices: readonly NoticeKind[];
  /** The tenant that gets it, by an entry in the same commit; absent where it stays here. */
  readonly tenant?: string;
  /** `traceparent` of its request, where that was traced: in memory only, for its notices. */
  readonly trace?: string;
}

/** The JSON object of a line in the log; `idempotency_key` only where there is one. */
export function lineOf(submission: Submission): string {
  const { id, form, received_at, fields, idempotency_key } = submission;
  return JSON.stringify(
    idempotency_key === '' ? { id, form, received_at, fields } : { id, form, received_at, fields, idempotency_key },
  );
}

/** The submission of a line as `lineOf` wrote it. */
export function parseLine(line: string): Submission {
  const { id, form, received_at, fields, idempotency_key = '' } = JSON.parse(line) as Partial<Submission>;
  return { id: id!, form: form!, received_at: received_at!, fields: fields!, idempotency_key };
}

/** Identifies the content of a submission under an idempotency key: SHA-256 of the checked fields, in hex. */
export function digestOf(fields: Fields): string {
  return hash('sha256', JSON.stringify(fields), 'hex');
}
