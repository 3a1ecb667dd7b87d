/** Makes a key: its secret exists here and in the answer only. Used by the route, by provisioning and by operators. */
import { limits } from '#config/limits.ts';
import { formatApiKey } from '#actors/kit/api-key.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { newSecret, secretSha256 } from '#actors/kit/secret.ts';
import type { Context } from '#actors/host/activation.ts';
import { putKey, type ApiKeyRecord, type Turn } from './store.ts';
import type { Capabilities } from './shapes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The fixed service tag of a key whose issuer gave none. Spec: docs/contract/identity.md §2.1. */
export const SERVICE_DEFAULT = 'platform-v2';

export interface KeyWish {
  readonly service?: string | null | undefined;
  readonly capabilities: Capabilities;
  /** Absent, 0 or negative gives the default. */
  readonly expiresInDays?: number | null | undefined;
  readonly createdBy: string;
}

export interface NewKey {
  readonly id: string;
  /** `<key-id>.<secret>` */
  readonly key: string;
  readonly expiresAt: string;
  readonly record: ApiKeyRecord;
}

type Source = Pick<Context, 'clock' | 'ids' | 'random'>;

/** A key that is not stored yet. Throws when the source of randomness fails. */
export function newKey(source: Source, wish: KeyWish): NewKey {
  const secret = newSecret((bytes) => source.random(bytes), limits.identity.secretBytes);
  const id = source.ids.next();
  const now = source.clock.now();
  const expiresAt = timestamp(now + lifetimeDays(wish.expiresInDays) * DAY_MS);
  const record: ApiKeyRecord = {
    secret_sha256: secretSha256(secret),
    service: wish.service ?? SERVICE_DEFAULT,
    capabilities: wish.capabilities,
    expiresat: expiresAt,
    created_at: timestamp(now),
    created_by: wish.createdBy,
    last_used_at: null,
  };
  return { id, key: formatApiKey(id, secret), expiresAt, record };
}

/** Issues a key without a check of authority, in a turn on the tenant's store: for provisioning and the command line. */
export function issueKeyInternally(turn: Turn, source: Source, wish: KeyWish): NewKey {
  const made = newKey(source, wish);
  putKey(turn, made.id, made.record);
  return made;
}

function lifetimeDays(days: number | null | undefined): number {
  return days !== null && days !== undefined && days > 0 ? days : limits.identity.keyLifetimeDays;
}
