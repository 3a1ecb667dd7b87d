/** Tables of users' tokens and mail. */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** The refresh tokens that descend from one login. What its tokens carry stands here. */
export interface RefreshFamilyRecord {
  readonly id: string;
  readonly user: string;
  /** Number of its newest token: the only one that counts. */
  readonly latest: number;
  readonly sid: string | null;
  readonly actor: string | null;
  /** Null: the user's own, read anew at every refresh. */
  readonly roles: readonly string[] | null;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  /** When its newest token expires. */
  readonly expires_at: string;
  readonly ended_at: string | null;
  /** How its newest token is made again of the one before it, for a caller that shows that one a moment later. */
  readonly grace?: RefreshGrace;
}

export interface RefreshGrace {
  readonly nonce: Uint8Array;
  readonly until: string;
}

export interface RefreshTokenRecord {
  readonly no: number;
  readonly user: string;
  readonly secret_sha256: Uint8Array;
}

export type OneTimeKind = 'reset' | 'magic_link';

export interface OneTimeSecret {
  readonly sha256: Uint8Array;
  readonly expires_at: string;
}

/** What opens a link of one kind for one user; a use deletes the row, and with it every secret. */
export interface OneTimeTokenRecord {
  readonly secrets: readonly OneTimeSecret[];
  readonly wrong_codes: number;
}

/** Mail that has to leave. It holds no token: the secret of its link is drawn when the courier takes it. */
export interface MailEntry {
  readonly id: string;
  readonly kind: OneTimeKind;
  readonly user: string;
  readonly to: string;
  readonly expires_at: string;
}

const families = new Table<RefreshFamilyRecord>('refresh_family', TABLES.refresh_family);
const tokens = new Table<RefreshTokenRecord>('refresh_token', TABLES.refresh_token);
const oneTime = new Table<OneTimeTokenRecord>('one_time_token', TABLES.one_time_token);
/** Mail that has not been answered for. */
export const mailRows = { table: new Table<MailEntry>('mail_outbox', TABLES.mail_outbox), under: [true] } as const;

/** Digest and record that nothing matches. */
const NOTHING = Buffer.alloc(32, 0xff);
const decoyToken: RefreshTokenRecord = { no: 0, user: '', secret_sha256: NOTHING };
const decoyOneTime: OneTimeTokenRecord = {
  secrets: [{ sha256: NOTHING, expires_at: '1970-01-01T00:00:00.000Z' }],
  wrong_codes: 0,
};

/** The token, or a decoy that no secret fits. */
export function refreshTokenOrDecoy(reader: Reader, family: string, no: number): RefreshTokenRecord {
  return tokens.get(reader, family, no) ?? decoyToken;
}

export function findFamily(reader: Reader, user: string, id: string): RefreshFamilyRecord | undefined {
  return families.get(reader, user, id);
}

/** A user's families, oldest first. */
export function readFamilies(reader: Reader, user: string): RefreshFamilyRecord[] {
  return [...families.scan(reader, [user])];
}

export function putFamily(turn: Turn, family: RefreshFamilyRecord): void {
  families.put(turn, family, family.user, family.id);
}

/** The newest token of a family; the tombstone that falls out of its memory goes. */
export function putRefreshToken(turn: Turn, family: string, token: RefreshTokenRecord): void {
  tokens.put(turn, token, family, token.no);
  const forgotten = token.no - limits.identity.refreshTombstonesMax - 1;
  if (forgotten > 0) tokens.del(turn, family, forgotten);
}

/** Deletes a family with its tokens. */
export function deleteFamily(turn: Turn, { user, id }: RefreshFamilyRecord): void {
  const members = [...tokens.scan(turn, [id])];
  for (const { no } of members) tokens.del(turn, id, no);
  families.del(turn, user, id);
}

export function findOneTime(reader: Reader, kind: OneTimeKind, user: string): OneTimeTokenRecord | undefined {
  return oneTime.get(reader, kind, user);
}

/** The row, or a decoy that no secret fits. */
export function oneTimeOrDecoy(reader: Reader, kind: OneTimeKind, user: string): OneTimeTokenRecord {
  return findOneTime(reader, kind, user) ?? decoyOneTime;
}

export function putOneTime(turn: Turn, kind: OneTimeKind, user: string, record: OneTimeTokenRecord): void {
  oneTime.put(turn, record, kind, user);
}

export function deleteOneTime(turn: Turn, kind: OneTimeKind, user: string): void {
  oneTime.del(turn, kind, user);
}

/** A write as that of a mail, for an address that nobody has: one row for all of them, which never leaves. */
export function putDecoyMail(turn: Turn, entry: MailEntry): void {
  mailRows.table.put(turn, entry, false, 'decoy');
}
