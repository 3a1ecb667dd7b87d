/** Tables of passkeys. What a login writes lies apart from what a user changes: a read-only tenant takes logins, and no new passkeys. */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** A credential of WebAuthn at rest. */
export interface PasskeyRecord {
  readonly id: string;
  readonly user: string;
  /** As the authenticator chose it, base64url. */
  readonly credential_id: string;
  /** COSE_Key (RFC 9052 §7). */
  readonly public_key: Uint8Array;
  readonly transports: readonly string[];
  readonly device_type: 'singleDevice' | 'multiDevice';
  /** The model of the authenticator. */
  readonly aaguid: string;
  readonly name: string;
  /** A login by password, link or provider needs a second factor, and this passkey is one. */
  readonly second_factor: boolean;
  readonly created_at: string;
}

export interface PasskeyUse {
  /** The signature counter of the last login; authenticators without one stay at 0. */
  readonly counter: number;
  readonly backed_up: boolean;
  readonly last_used_at: string | null;
  readonly cloned_at: string | null;
}

interface Spent {
  readonly expires_at_ms: number;
  readonly sha256: string;
}

const passkeys = new Table<PasskeyRecord>('passkey', TABLES.passkey);
const uses = new Table<PasskeyUse>('passkey_use', TABLES.passkey_use);
const ids = new Table<{ readonly user: string; readonly id: string }>('passkey_id', TABLES.passkey_id);
const secret = new Table<{ readonly key: Uint8Array }>('passkey_secret', TABLES.passkey_secret);
const spent = new Table<Spent>('passkey_spent', TABLES.passkey_spent);

const sha256 = (text: string): string => hash('sha256', text);
const UNUSED: PasskeyUse = { counter: 0, backed_up: false, last_used_at: null, cloned_at: null };

export function findPasskey(reader: Reader, user: string, id: string): PasskeyRecord | undefined {
  return passkeys.get(reader, user, id);
}

/** The passkey of a credential id. */
export function findCredential(reader: Reader, credentialId: string): PasskeyRecord | undefined {
  const place = ids.get(reader, sha256(credentialId));
  return place === undefined ? undefined : findPasskey(reader, place.user, place.id);
}

/** A user's passkeys, oldest first. */
export function readPasskeys(reader: Reader, user: string): PasskeyRecord[] {
  return [...passkeys.scan(reader, [user])];
}

export function putPasskey(turn: Turn, record: PasskeyRecord): void {
  passkeys.put(turn, record, record.user, record.id);
  ids.put(turn, { user: record.user, id: record.id }, sha256(record.credential_id));
}

export function deletePasskey(turn: Turn, { user, id, credential_id }: PasskeyRecord): void {
  passkeys.del(turn, user, id);
  uses.del(turn, id);
  ids.del(turn, sha256(credential_id));
}

/** Deletes all passkeys of a user. */
export function forgetPasskeys(turn: Turn, user: string): void {
  for (const record of readPasskeys(turn, user)) deletePasskey(turn, record);
}

/** From now on no passkey of the user counts as a second factor; they stay ways to log in. */
export function resetSecondFactors(turn: Turn, user: string): void {
  for (const record of readPasskeys(turn, user))
    if (record.second_factor) putPasskey(turn, { ...record, second_factor: false });
}

export function readUse(reader: Reader, id: string): PasskeyUse {
  return uses.get(reader, id) ?? UNUSED;
}

export function putUse(turn: Turn, id: string, use: PasskeyUse): void {
  uses.put(turn, use, id);
}

export function findSecret(reader: Reader): Uint8Array | undefined {
  return secret.get(reader, 'key')?.key;
}

export function putSecret(turn: Turn, key: Uint8Array): void {
  secret.put(turn, { key }, 'key');
}

export function isSpent(reader: Reader, challenge: string, expiresAtMs: number): boolean {
  return spent.get(reader, expiresAtMs, sha256(challenge)) !== undefined;
}

/** Notes a challenge that has counted, and deletes some whose life is over. */
export function putSpent(turn: Turn, challenge: string, expiresAtMs: number, nowMs: number): void {
  const over: Spent[] = [];
  for (const record of spent.scan(turn)) {
    if (record.expires_at_ms > nowMs || over.length === limits.passkeys.spentSweepMax) break;
    over.push(record);
  }
  for (const { expires_at_ms, sha256: digest } of over) spent.del(turn, expires_at_ms, digest);
  const digest = sha256(challenge);
  spent.put(turn, { expires_at_ms: expiresAtMs, sha256: digest }, expiresAtMs, digest);
}
