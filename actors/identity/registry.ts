/** The tenant registry of the control plane: the number, the shard and the provisioning state of each tenant. */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import type { KeyRecord } from '#actors/kit/token/ring.ts';
import type { TenantView } from '#actors/protocol/node-verbs.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import type { TenantEntry, TenantState } from '#actors/protocol/topics.ts';
import { createSigningKey, type VaultKey } from './create-signing-key.ts';
import { livingKeys } from './operator/living-keys.ts';
import { findRetired, findTenant, putTenant, readSigningKeys, readTenants, takeTenantNo } from './store.ts';
import type { TenantRecord } from './store.ts';

const ORDER: readonly TenantState[] = ['registered', 'bootstrapped', 'seeded', 'active'];

export interface RegisterWish {
  readonly key: string;
  /** Null for planes. */
  readonly localdir: string | null;
  /** How many shards the node has; a tenant's shard is fixed here, for good. */
  readonly shards: number;
}

export interface ControlRead {
  readonly tenants: readonly TenantEntry[];
  readonly ring: readonly KeyRecord[];
}

/** What door and hosts need of the control plane: the ring, and the existing tenants of these keys, or all tenants (null). */
export function readControl(work: Work, keys: readonly string[] | null = null): ControlRead {
  const now = work.activation.context.clock.now();
  const turn = work.turn();
  const records = keys === null ? readTenants(turn) : keys.flatMap((key) => findTenant(turn, key) ?? []);
  return { tenants: records.map(entryOf), ring: livingKeys(readSigningKeys(turn), now) };
}

/** A tenant's record as operators see it. Throws when there is none. */
export function viewTenant(work: Work, { key }: { readonly key: string }): TenantView {
  const record = findTenant(work.turn(), key);
  if (record === undefined) throw new Error(`no tenant ${key} in the registry`);
  const { position, state, localdir } = entryOf(record);
  return { ...position, state, product_source: localdir, created_at: record.created_at };
}

/** The place of the ring's keys in the vault, and a key that the vault has made there; a null wish means keys in the store. */
export interface RingWish {
  readonly place: string;
  readonly made: VaultKey | null;
}

/**
 * Creates the first signing key when the ring is empty. A ring that moves to the vault gets a first key there even when it has keys in the store,
 * which verify until their last token has expired. False when the caller must have the vault make a key first.
 */
export function ensureRing(work: Work, wish: RingWish | null = null): boolean {
  const keys = readSigningKeys(work.turn());
  const isThere = wish === null ? keys.length > 0 : keys.some(({ vault }) => vault?.startsWith(`${wish.place}/`));
  if (isThere) return true;
  if (wish !== null && wish.made === null) return false;
  createSigningKey(work.turn(), work.activation.context, wish?.made);
  return true;
}

/** The tenant's record, made when there is none; a changed product directory is stored. */
export function register(work: Work, wish: RegisterWish): TenantEntry {
  const turn = work.turn();
  const present = findTenant(turn, wish.key);
  if (present !== undefined) {
    if (present.localdir === wish.localdir || heldState(present.state) !== null) return entryOf(present);
    const moved = { ...present, localdir: wish.localdir };
    putTenant(turn, moved);
    return entryOf(moved);
  }
  const no = takeTenantNo(turn);
  const created: TenantRecord = {
    key: wish.key,
    no,
    shard: no % wish.shards,
    state: 'registered',
    localdir: wish.localdir,
    created_at: timestamp(work.activation.context.clock.now()),
    ...(findRetired(turn, wish.key) === undefined ? {} : { events: eventSource(no) }),
  };
  putTenant(turn, created);
  return entryOf(created);
}

/** Moves a tenant's provisioning on. Throws for an unknown or held tenant and for a step back. */
export function advance(work: Work, wish: { readonly key: string; readonly state: TenantState }): TenantEntry {
  const present = findTenant(work.turn(), wish.key);
  if (present === undefined) throw new Error(`no tenant ${wish.key} in the registry`);
  const held = heldState(present.state);
  if (held !== null) throw new Error(`${wish.key} ${held}`);
  if (ORDER.indexOf(wish.state) < ORDER.indexOf(present.state)) {
    throw new Error(`${wish.key} is ${present.state}; it cannot go back to ${wish.state}`);
  }
  const moved = { ...present, state: wish.state };
  putTenant(work.turn(), moved);
  return entryOf(moved);
}

/** Names the source of a tenant's events where another tenant may have had its key: the audit log takes each number of a source once. */
export function eventSource(no: number): string {
  return `host-${no}`;
}

export function entryOf(record: TenantRecord): TenantEntry {
  const position = parsePosition(record.key);
  if (position === null) throw new Error(`the registry holds a malformed key: ${record.key}`);
  const { no, shard, state, localdir, events } = record;
  const since = instantMs(record.created_at);
  return {
    no,
    position,
    shard,
    state,
    localdir,
    since,
    ...(events === undefined ? {} : { events }),
    ...standingOf(record),
    ...(record.quota === undefined ? {} : { quota: record.quota }),
  };
}

function standingOf({ standing }: TenantRecord): Pick<TenantEntry, 'standing' | 'reason' | 'standing_since'> {
  if (standing === undefined) return {};
  const { as, since, reason } = standing;
  return { standing: as, standing_since: since, ...(reason === null ? {} : { reason }) };
}
