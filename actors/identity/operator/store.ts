/** Tables of operators: grants of impersonation, and the keys of a tenant in order. */
import { TABLES } from '#storage/catalogue.ts';
import { after, beyond, u16 } from '#storage/key.ts';
import { decodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { untuple } from '#storage/untuple.ts';
import type { Reader, Turn } from '#storage/port.ts';
import type { ApiKeyRecord } from '../store.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** Allows an operator to impersonate in a tenant until a time (docs/contract/identity-users.md §7.3). */
export interface GrantRecord {
  /** Id of a user or a key of the tenant's operator plane. */
  readonly operator: string;
  readonly tenant: string;
  readonly granted_by: string;
  readonly expires_at: string;
}

const grants = new Table<GrantRecord>('impersonation_grant', TABLES.impersonation_grant);
const apiKeys = new Table<ApiKeyRecord>('api_key', TABLES.api_key);

export function putGrant(turn: Turn, grant: GrantRecord): void {
  grants.put(turn, grant, grant.operator, grant.tenant);
}

export function findGrant(reader: Reader, operator: string, tenant: string): GrantRecord | undefined {
  return grants.get(reader, operator, tenant);
}

export function deleteGrant(turn: Turn, operator: string, tenant: string): void {
  grants.del(turn, operator, tenant);
}

/** Every grant, by operator and tenant. */
export function scanGrants(reader: Reader): IterableIterator<GrantRecord> {
  return grants.scan(reader);
}

/** Deletes the grants over a deleted tenant: they must not apply to a later tenant of the same key. */
export function dropGrantsOf(turn: Turn, tenant: string): void {
  const over = Array.from(grants.scan(turn)).filter((grant) => grant.tenant === tenant);
  for (const { operator } of over) deleteGrant(turn, operator, tenant);
}

export function findKey(reader: Reader, id: string): ApiKeyRecord | undefined {
  return apiKeys.get(reader, id);
}

/** Keys with their ids, oldest first, that follow the id `behind`; all for null. */
export function* scanKeys(reader: Reader, behind: string | null): IterableIterator<readonly [string, ApiKeyRecord]> {
  const table = u16(TABLES.api_key.no);
  const from = behind === null ? table : beyond(apiKeys.key(behind));
  for (const { key, value } of reader.range(from, after(table))) {
    const id = untuple(key.slice(table.length))?.[0];
    if (typeof id === 'string') yield [id, decodeRecord(value, 'api_key', TABLES.api_key.version) as ApiKeyRecord];
  }
}
