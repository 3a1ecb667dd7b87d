/** Tables of the second factor. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

/** A TOTP enrolment at rest. */
export interface TotpRecord {
  readonly secret: Uint8Array;
  readonly enabled: boolean;
  /** The newest step whose code was accepted: codes of this step and of earlier ones are refused. */
  readonly last_step: number;
  readonly created_at: string;
  readonly enabled_at: string | null;
  /** A key enrolled its user: logins do not require the factor until the user has confirmed it by a code with the password. */
  readonly unconfirmed?: true;
}

export interface RecoveryCodeRecord {
  readonly no: number;
  readonly sha256: Uint8Array;
}

const enrolments = new Table<TotpRecord>('totp', TABLES.totp);
const recoveryCodes = new Table<RecoveryCodeRecord>('recovery_code', TABLES.recovery_code);

/** The enrolment of a subject: a user id, or the id of a key that stands for itself. */
export function findTotp(reader: Reader, subject: string): TotpRecord | undefined {
  return enrolments.get(reader, subject);
}

export function putTotp(turn: Turn, subject: string, record: TotpRecord): void {
  enrolments.put(turn, record, subject);
}

/** Deletes the enrolment and every recovery code. */
export function deleteTotp(turn: Turn, subject: string): void {
  enrolments.del(turn, subject);
  replaceRecoveryCodes(turn, subject, []);
}

/** The unused recovery codes of a subject. */
export function readRecoveryCodes(reader: Reader, subject: string): RecoveryCodeRecord[] {
  return [...recoveryCodes.scan(reader, [subject])];
}

export function deleteRecoveryCode(turn: Turn, subject: string, no: number): void {
  recoveryCodes.del(turn, subject, no);
}

/** Stores these digests and deletes all earlier ones. */
export function replaceRecoveryCodes(turn: Turn, subject: string, digests: readonly Uint8Array[]): void {
  for (const { no } of readRecoveryCodes(turn, subject)) recoveryCodes.del(turn, subject, no);
  digests.forEach((sha256, no) => recoveryCodes.put(turn, { no, sha256 }, subject, no));
}
