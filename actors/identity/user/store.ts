/** Tables of users' tokens and mail. */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { Table, type Nearest } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** The refresh tokens of one login, and the claims of its tokens. */
export interface RefreshFamilyRecord {
  readonly id: string;
  readonly user: string;
  /** Number of its newest token: the only valid one. */
  readonly latest: number;
  readonly sid: string | null;
  readonly actor: string | null;
  /** Null: the user's own roles, read again at every refresh. */
  readonly roles: readonly string[] | null;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  /** When its newest token expires. */
  readonly expires_at: string;
  readonly ended_at: string | null;
  /** For deriving the newest token again, when a caller repeats a refresh with the previous token. */
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

export type OneTimeKind = LinkKind | 'code';
/** Kinds whose mail has a link. */
export type LinkKind = 'reset' | 'magic_link' | 'sign_up' | 'invitation' | 'email_change';

/** Notices of what was changed in an account. */
export type NoticeKind =
  | 'password_changed'
  | 'email_changed'
  | 'provider_linked'
  | 'provider_unlinked'
  | 'passkey_added'
  | 'passkey_removed';

/** Mails with a link or a code, and notices. */
export type MailKind = OneTimeKind | NoticeKind;

export interface OneTimeSecret {
  readonly sha256: Uint8Array;
  readonly expires_at: string;
  /** Of a code: how often another one was tried while it was open. */
  readonly wrong?: number;
}

/** The secrets that open a user's links of one kind, or those of a request that waits (account/store.ts); a use deletes the row with all of them. */
export interface OneTimeTokenRecord {
  readonly secrets: readonly OneTimeSecret[];
  readonly wrong_codes: number;
}

/** A mail that must be sent. It has no token: the secret of its link is drawn when the courier takes it. */
export interface MailEntry {
  readonly id: string;
  readonly kind: MailKind;
  /** The user, or the request of a person who is none yet. */
  readonly user: string;
  readonly to: string;
  readonly expires_at: string;
  /** `traceparent` of the request that caused it, where it was traced. */
  readonly trace?: string;
  /** The sign-in provider that a notice is about. */
  readonly provider?: string;
  /** The language that the request asked for; absent in entries of older versions. */
  readonly language?: string;
}

const families = new Table<RefreshFamilyRecord>('refresh_family', TABLES.refresh_family);
const tokens = new Table<RefreshTokenRecord>('refresh_token', TABLES.refresh_token);
const oneTime = new Table<OneTimeTokenRecord>('one_time_token', TABLES.one_time_token);
/** Mails for which the courier has not answered. */
export const mailRows = { table: new Table<MailEntry>('mail_outbox', TABLES.mail_outbox), under: [true] } as const;

/** A digest that no secret matches. */
const NOTHING = Buffer.alloc(32, 0xff);
const decoyToken: RefreshTokenRecord = { no: 0, user: '', secret_sha256: NOTHING };
const decoyOneTime: OneTimeTokenRecord = {
  secrets: [{ sha256: NOTHING, expires_at: '2999-01-01T00:00:00.000Z' }],
  wrong_codes: 0,
};
/** In place of a user, behind all of them. */
const DECOY = 'Z'.repeat(26);

/** The token, or a decoy that no secret matches. */
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

/** Stores the newest token of a family, and deletes the oldest tombstone beyond the bound. */
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

/** The row or, where the user has none, the next one of its kind, which is not the user's: found and decoded either way, so that the time does not tell which. */
export function nearestOneTime(reader: Reader, kind: OneTimeKind, user: string): Nearest<OneTimeTokenRecord> {
  return oneTime.nearest(reader, [kind], user) ?? { record: decoyOneTime, isOwn: false };
}

/** The first row of a kind brings one behind all users with it: there is always a next one. */
export function putOneTime(turn: Turn, kind: OneTimeKind, user: string, record: OneTimeTokenRecord): void {
  if (findOneTime(turn, kind, DECOY) === undefined) oneTime.put(turn, decoyOneTime, kind, DECOY);
  oneTime.put(turn, record, kind, user);
}

export function deleteOneTime(turn: Turn, kind: OneTimeKind, user: string): void {
  oneTime.del(turn, kind, user);
}
