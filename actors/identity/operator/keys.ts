/** `key list` and `key show`: keys without their secrets. Spec: docs/contract/identity.md §10.5. */
import type { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import type { keyView } from '../key/shapes.ts';
import { LAST_USE } from '../last-use.ts';
import type { ApiKeyRecord } from '../store.ts';
import { findKey, scanKeys } from './store.ts';

export type KeyView = z.output<typeof keyView>;

export interface KeyPage {
  readonly keys: readonly KeyView[];
  /** The `after` of the next page; null on the last page. */
  readonly next: string | null;
}

/** One page of the tenant's keys, oldest first, that follow the id `after`. */
export function listKeys(work: Work, { after }: { readonly after: string | null }): KeyPage {
  const keys: KeyView[] = [];
  for (const [id, record] of scanKeys(work.turn(), after)) {
    if (keys.length === limits.identity.keyPageRows) return { keys, next: keys.at(-1)!.id };
    keys.push(viewOf(work, id, record));
  }
  return { keys, next: null };
}

/** One key. Throws an error for the operator when there is none. */
export function showKey(work: Work, { id }: { readonly id: string }): KeyView {
  return viewOf(work, id, keyOf(work, id));
}

/** The record of a key. Throws an error for the operator when there is none. */
export function keyOf(work: Work, id: string): ApiKeyRecord {
  const record = findKey(work.turn(), id);
  if (record === undefined) throw new Error(`no key ${id} in ${work.activation.position.key}`);
  return record;
}

export function viewOf(work: Work, id: string, record: ApiKeyRecord): KeyView {
  const { roles = [], scope = [], is_superadmin = false } = record.capabilities;
  const expiresAtMs = instantMs(record.expiresat);
  const { name = null, metadata = {}, ips = null, per_second = null } = record;
  return {
    id,
    name,
    metadata,
    service: record.service,
    state: work.activation.context.clock.now() < expiresAtMs ? 'valid' : 'expired',
    roles: [...roles],
    scope: [...scope],
    is_superadmin,
    ips: ips === null ? null : [...ips],
    per_second,
    created_at: record.created_at,
    created_by: record.created_by,
    expires_at: Number.isNaN(expiresAtMs) ? null : timestamp(expiresAtMs),
    last_used_at: lastUseOf(work, id, record),
  };
}

/** Uses of the last minute are in memory only. */
function lastUseOf({ activation }: Work, id: string, record: ApiKeyRecord): string | null {
  const noted = LAST_USE.of(activation).noted(id);
  return noted === undefined ? record.last_used_at : timestamp(noted);
}
