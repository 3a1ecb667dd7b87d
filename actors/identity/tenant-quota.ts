/** What a tenant may use, in the registry: `skep tenant quota`. Spec: docs/contract/tenants.md §3. */
import type { Work } from '#actors/host/work.ts';
import { isPlane, parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { QUOTAS, type Quota, type QuotaName } from '#actors/protocol/usage.ts';
import { entryOf } from './registry.ts';
import { findTenant, putTenant, type TenantRecord } from './store.ts';

export interface QuotaWish {
  readonly key: string;
  /** Quotas to change; null: as much as comes. Others stay as they are. */
  readonly set: { readonly [N in QuotaName]?: number | null };
}

/** Throws an error for the operator: no such tenant, a plane, an unknown quota, one that is no whole number. */
export function setQuota(work: Work, { key, set }: QuotaWish): TenantEntry {
  const present = findTenant(work.turn(), key);
  if (present === undefined) throw new Error(`no tenant ${key} in the registry`);
  const position = parsePosition(key);
  if (position === null || isPlane(position))
    throw new Error(`${key} is a plane of operators: only tenants have quotas`);
  const { quota: before, ...rest } = present;
  const quota = merged(before ?? {}, set);
  const record: TenantRecord = Object.keys(quota).length === 0 ? rest : { ...rest, quota };
  putTenant(work.turn(), record);
  return entryOf(record);
}

function merged(before: Quota, set: QuotaWish['set']): Quota {
  const after: Partial<Record<QuotaName, number>> = { ...before };
  for (const [name, value] of Object.entries(set)) {
    if (!isQuota(name)) throw new Error(`there is no quota ${name}: ${Object.keys(QUOTAS).join(', ')}`);
    if (value !== null && !(Number.isSafeInteger(value) && value >= 0))
      throw new Error(`a quota is a whole number from 0 on, or none: ${name}=${value}`);
    if (value === null) delete after[name];
    else after[name] = value;
  }
  return after;
}

const isQuota = (name: string): name is QuotaName => Object.hasOwn(QUOTAS, name);
