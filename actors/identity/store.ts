/** Identity's tables. The only file of the room that knows the archive. */
import { TABLES } from '#storage/catalogue.ts';
import { decodeRecord, encodeRecord } from '#storage/record.ts';
import { unlessDamaged } from '#storage/fault.ts';
import { Table, type Nearest } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';
import type { KeyRecord } from '#actors/kit/token/ring.ts';
import type { Standing } from '#actors/protocol/standing.ts';
import type { TenantState } from '#actors/protocol/topics.ts';
import type { Quota } from '#actors/protocol/usage.ts';
import { countForm } from './import/store.ts';
import { keepIndex } from './people/store.ts';
import type { Capabilities } from './shapes.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** An API key at rest (docs/contract/identity.md §2.4). */
export interface ApiKeyRecord {
  readonly secret_sha256: Uint8Array;
  readonly service: string;
  readonly capabilities: Capabilities;
  /** RFC 3339; any other value counts as expired. */
  readonly expiresat: unknown;
  readonly created_at: string;
  readonly created_by: string;
  /** The key that replaced this one at a rotation; this one stays valid until its grace period ends. */
  readonly replaced_by?: string;
  readonly last_used_at: string | null;
  readonly name?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Addresses and CIDR ranges from which the key counts; absent: from anywhere. */
  readonly ips?: readonly string[];
  /** How often a second it may be presented; absent: as often as its callers like. */
  readonly per_second?: number;
}

/** A user or operator at rest. */
export interface UserRecord {
  readonly id: string;
  /** Empty for a guest. */
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly roles: readonly string[];
  /** PHC string of argon2id, or a foreign hash until the user logs in with it; empty for a user who has no password. */
  readonly password_hash: string;
  readonly allow_impersonation: boolean;
  readonly created_at: string;
  /** The language of mails to this user (BCP 47); absent: that of the request. */
  readonly locale?: string;
  /** Since when the user is kept out of every login; absent where it is not. */
  readonly disabled_at?: string;
  /** When its user has shown to hold the address: by a mailed link, or by a provider that vouched for it. */
  readonly verified_at?: string;
  /** The id in the system that the user was imported from. */
  readonly external_id?: string;
  /** A user without address and password, until it becomes an account (guest/). */
  readonly guest?: true;
}

/** A tenant of the node in the control plane's registry (docs/contract/identity-users.md §6). */
export interface TenantRecord {
  readonly key: string;
  /** First part of every key that the tenant stores; never given twice. */
  readonly no: number;
  readonly shard: number;
  readonly state: TenantState;
  readonly localdir: string | null;
  readonly created_at: string;
  /** How operators let it serve; absent where it serves without restriction. */
  readonly standing?: { readonly as: Standing; readonly since: string; readonly reason: string | null };
  /** What it may use, set by operators; absent where nothing bounds it. */
  readonly quota?: Quota;
  /** As in TenantEntry. */
  readonly events?: string;
  /** The place that a move is copying to; the place before the last move, until it is swept. */
  readonly to?: TenantPlace;
  readonly was?: TenantPlace;
}

/** The place of a tenant's data. */
export interface TenantPlace {
  readonly no: number;
  readonly shard: number;
}

/** A tenant that was deleted. */
export interface RetiredTenant {
  readonly key: string;
  readonly no: number;
}

const registry = new Table<TenantRecord>('registry', TABLES.registry);
const numbers = new Table<{ readonly last: number }>('tenant_number', TABLES.tenant_number);
const retired = new Table<RetiredTenant>('retired_tenant', TABLES.retired_tenant);
const apiKeys = new Table<ApiKeyRecord>('api_key', TABLES.api_key);
const users = new Table<UserRecord>('user', TABLES.user);
interface LoginRecord {
  readonly id: string;
}
const logins = new Table<LoginRecord>('user_login', TABLES.user_login);
const bootstrap = new Table<{ readonly used_at: string; readonly by: string }>('bootstrap', TABLES.bootstrap);
const keyring = new Table<KeyRecord>('keyring', TABLES.keyring);

/** A record that no key matches: no known text hashes to all ones, and it expired long ago. */
const decoy = encodeRecord(TABLES.api_key.version, {
  secret_sha256: Buffer.alloc(32, 0xff),
  service: 'platform-v2',
  capabilities: {},
  expiresat: '1970-01-01T00:00:00.000Z',
  created_at: '1970-01-01T00:00:00.000Z',
  created_by: '',
  last_used_at: null,
} satisfies ApiKeyRecord);

/** The record of a key id, or an expired decoy, so that an unknown id costs one point read and one decoding, too. */
export function keyOrDecoy(reader: Reader, id: string): ApiKeyRecord {
  return decodeRecord(reader.get(apiKeys.key(id)) ?? decoy, 'api_key', TABLES.api_key.version) as ApiKeyRecord;
}

export function putKey(turn: Turn, id: string, record: ApiKeyRecord): void {
  apiKeys.put(turn, record, id);
}

/** Deletes the row; gives whether there was one, which no caller may learn. */
export function deleteKey(turn: Turn, id: string): boolean {
  const known = turn.get(apiKeys.key(id)) !== undefined;
  if (known) apiKeys.del(turn, id);
  return known;
}

/** Notes when a key was last used; a key revoked meanwhile stays revoked. */
export function putLastUse(turn: Turn, id: string, at: string): void {
  const record = apiKeys.get(turn, id);
  if (record !== undefined) apiKeys.put(turn, { ...record, last_used_at: at }, id);
}

export function findUser(reader: Reader, id: string): UserRecord | undefined {
  return users.get(reader, id);
}

/** All users, in the order of their ids. */
export const allUsers = (reader: Reader): IterableIterator<UserRecord> => users.scan(reader);

/** A user by id, or by login. */
export function findUserNamed(reader: Reader, name: string): UserRecord | undefined {
  const user = findUser(reader, name);
  if (user !== undefined) return user;
  const id = findLogin(reader, name);
  return id === undefined ? undefined : findUser(reader, id);
}

/** The user id of a login, whose case does not count. */
export function findLogin(reader: Reader, login: string): string | undefined {
  return logins.get(reader, login.toLowerCase())?.id;
}

/**
 * The user of a login, for callers who may not learn whether there is one: the row at the login or, where it has none, a row next to it is read with its
 * user either way, from places that are as far from memory, so that the time does not tell which.
 */
export function findAccount(reader: Reader, login: string): UserRecord | undefined {
  const wanted = login.toLowerCase();
  const nearest = logins.nearest(reader, [], wanted) ?? first(reader);
  if (nearest === undefined) return undefined;
  const find = () => users.get(reader, nearest.record.id);
  const user = nearest.isOwn ? find() : unlessDamaged(find);
  return user?.email.toLowerCase() === wanted ? user : undefined;
}

function first(reader: Reader): Nearest<LoginRecord> | undefined {
  const record = unlessDamaged(() => logins.first(reader));
  return record === undefined ? undefined : { record, isOwn: false };
}

/** Stages the user, with the login and the index in the same commit; a login that the user had before is free again. `before`: the record that is replaced, where the caller has read it in this turn. */
export function putUser(turn: Turn, user: UserRecord, before = users.get(turn, user.id)): void {
  users.put(turn, user, user.id);
  const login = user.email.toLowerCase();
  const former = before?.email.toLowerCase() ?? '';
  if (former !== login) {
    if (former !== '') logins.del(turn, former);
    if (login !== '') logins.put(turn, { id: user.id }, login);
  }
  keepIndex(turn, before, user);
  countForm(turn, before?.password_hash, user.password_hash);
}

/** Stages the end of the user's own rows; what else belongs to the user: account/erase-user.ts. */
export function deleteUser(turn: Turn, user: UserRecord): void {
  users.del(turn, user.id);
  if (user.email !== '') logins.del(turn, user.email.toLowerCase());
  keepIndex(turn, user, undefined);
  countForm(turn, user.password_hash, undefined);
}

/** Users from an id on, present or not, in the order of their ids. Leave it by for-of. */
export const usersFrom = (reader: Reader, id: string): IterableIterator<UserRecord> => users.scanFrom(reader, [id]);

export function bootstrapUsed(reader: Reader): boolean {
  return bootstrap.get(reader, 'used') !== undefined;
}

export function closeBootstrap(turn: Turn, usedAt: string, by: string): void {
  bootstrap.put(turn, { used_at: usedAt, by }, 'used');
}

/** Every token signing key of the control plane, in no particular order. */
export function readSigningKeys(reader: Reader): KeyRecord[] {
  return [...keyring.scan(reader)];
}

export function putSigningKey(turn: Turn, record: KeyRecord): void {
  keyring.put(turn, record, record.kid);
}

export function deleteSigningKey(turn: Turn, kid: string): void {
  keyring.del(turn, kid);
}

export function findTenant(reader: Reader, key: string): TenantRecord | undefined {
  return registry.get(reader, key);
}

/** Every registered tenant, by key. */
export function readTenants(reader: Reader): TenantRecord[] {
  return [...registry.scan(reader)];
}

/** Registered tenants from a key on, present or not, by key. Leave it by for-of. */
export const tenantsFrom = (reader: Reader, key: string): IterableIterator<TenantRecord> =>
  registry.scanFrom(reader, [key]);

export function putTenant(turn: Turn, record: TenantRecord): void {
  registry.put(turn, record, record.key);
}

/** The key of a tenant's row, to find it in the control plane's journal. */
export const registryKey = (key: string): string => registry.key(key);

/** The row, out of bytes that are no store's. Throws Corruption. */
export const registryRow = (value: Uint8Array): TenantRecord =>
  decodeRecord(value, 'registry', TABLES.registry.version) as TenantRecord;

/** Takes a tenant out of the registry; its number is remembered. */
export function retireTenant(turn: Turn, { key, no }: TenantRecord): void {
  registry.del(turn, key);
  retired.put(turn, { key, no: Math.max(no, retired.get(turn, key)?.no ?? 0) } satisfies RetiredTenant, key);
}

export function findRetired(reader: Reader, key: string): RetiredTenant | undefined {
  return retired.get(reader, key);
}

/** A new tenant number; once the turn has committed it is never given again. */
export function takeTenantNo(turn: Turn): number {
  const no = (numbers.get(turn, 'last')?.last ?? lastGiven(turn)) + 1;
  numbers.put(turn, { last: no }, 'last');
  return no;
}

/** The largest known number, for a registry from before the last number was stored. */
function lastGiven(reader: Reader): number {
  let last = 1; // the control plane's own
  for (const { no, to, was } of registry.scan(reader)) last = Math.max(last, no, to?.no ?? 0, was?.no ?? 0);
  for (const { no } of retired.scan(reader)) last = Math.max(last, no);
  return last;
}
