/** What a tenant may use within a day, in the registry: `skep tenant quota`. Spec: docs/contract/tenants.md §3. */
import type { Work } from '#actors/host/work.ts';
import { isPlane, parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { entryOf } from './registry.ts';
import { findTenant, putTenant } from './store.ts';
import type { TenantRecord } from './store.ts';

export interface QuotaWish {
  readonly key: string;
  /** Requests of a day; null: as many as come. */
  readonly requests: number | null;
}

/** Throws an error for the operator: no such tenant, a plane, a quota that is no whole number. */
export function setQuota(work: Work, { key, requests }: QuotaWish): TenantEntry {
  const present = findTenant(work.turn(), key);
  if (present === undefined) throw new Error(`no tenant ${key} in the registry`);
  const position = parsePosition(key);
  if (position === null || isPlane(position))
    throw new Error(`${key} is a plane of operators: only tenants have quotas`);
  if (requests !== null && !(Number.isSafeInteger(requests) && requests >= 0))
    throw new Error(`a quota is a whole number from 0 on, or none: ${requests}`);
  const { quota: _before, ...rest } = present;
  const record: TenantRecord = requests === null ? rest : { ...rest, quota: { requests } };
  putTenant(work.turn(), record);
  return entryOf(record);
}
