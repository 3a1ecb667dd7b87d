/**
 * How a tenant is restored, moved and deleted: states of the registry in which only the node itself uses its data.
 *
 *   (none), registered ─▶ restoring ─▶ the state it had when the backup was made
 *   any ─▶ moving (`to`: its copy) ─▶ the state it had, at the new place (`was`: the old one) ─▶ swept
 *   any ─▶ deleting ─▶ (none; its number is remembered)
 *
 * Each step writes one record: after a crash the next start finds the tenant before or after the step.
 */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import type { TenantEntry, TenantState } from '#actors/protocol/topics.ts';
import { dropGrantsOf } from './operator/store.ts';
import { entryOf, eventSource } from './registry.ts';
import { findTenant, putTenant, readTenants, retireTenant, takeTenantNo } from './store.ts';
import type { TenantPlace, TenantRecord } from './store.ts';

interface RestoreWish {
  readonly key: string;
  readonly localdir: string | null;
  readonly shards: number;
}

interface Key {
  readonly key: string;
}

/** Gives a place to a tenant from a backup. Throws an error for the operator when a tenant of this key has data. */
function beginRestore(work: Work, { key, localdir, shards }: RestoreWish): TenantEntry {
  const turn = work.turn();
  const present = findTenant(turn, key);
  if (present !== undefined && present.state !== 'registered' && present.state !== 'restoring') {
    const mend = `restore it under another name (--as), or first: skep tenant delete ${key} --confirm ${key}`;
    throw new Error(`${key} is there already (${present.state})\n    ${mend}`);
  }
  const no = present?.no ?? takeTenantNo(turn);
  const created_at = timestamp(work.activation.context.clock.now());
  const made = { key, no, shard: no % shards, created_at, ...present };
  const record: TenantRecord = { ...made, state: 'restoring', localdir, events: eventSource(no) };
  putTenant(turn, record);
  return entryOf(record);
}

/** Ends a restore: the tenant gets the state that it had at the backup. */
function endRestore(work: Work, { key, state }: Key & { readonly state: TenantState }): TenantEntry {
  const present = inState(work, key, 'restoring');
  if (heldState(state) !== null) throw new Error(`no tenant is restored to ${state}`);
  const record = { ...present, state };
  putTenant(work.turn(), record);
  return entryOf(record);
}

/** From here on no service uses the tenant's data. Idempotent. */
function beginDelete(work: Work, { key }: Key): TenantEntry {
  const present = found(work, key);
  if (present.was !== undefined) throw new Error(`what ${key} left at its last move is still being swept: try again`);
  if (present.state === 'moving') throw new Error(`${key} is being moved: delete it when that has ended`);
  work.turn().frees = true;
  const record: TenantRecord = { ...present, state: 'deleting' };
  putTenant(work.turn(), record);
  return entryOf(record);
}

/** The last step: removes the tenant from the registry, and the grants over it. */
function endDelete(work: Work, { key }: Key): null {
  const present = inState(work, key, 'deleting');
  work.turn().frees = true;
  retireTenant(work.turn(), present);
  dropGrantsOf(work.turn(), key);
  return null;
}

export interface Move {
  readonly entry: TenantEntry;
  readonly to: TenantPlace;
}

/** Gives an active tenant a second place, on another shard. Throws an error for the operator when it is on that shard already. */
function beginMove(work: Work, { key, shard }: Key & { readonly shard: number }): Move {
  const present = found(work, key);
  if (present.was !== undefined) throw new Error(`what ${key} left at its last move is still being swept: try again`);
  if (present.state !== 'active') throw new Error(`${key} is ${present.state}; only an active tenant is moved`);
  if (present.shard === shard) throw new Error(`${key} is on shard ${shard} already`);
  const to = { no: takeTenantNo(work.turn()), shard };
  const record: TenantRecord = { ...present, state: 'moving', to };
  putTenant(work.turn(), record);
  return { entry: entryOf(record), to };
}

/** The copy becomes the tenant. Its events get another source name, since their numbers begin again at the new place. */
function turnMove(work: Work, { key }: Key): TenantEntry {
  const { to, ...present } = inState(work, key, 'moving');
  const { no, shard } = to!;
  const was = { no: present.no, shard: present.shard };
  const record: TenantRecord = { ...present, no, shard, state: 'active', events: eventSource(no), was };
  putTenant(work.turn(), record);
  return entryOf(record);
}

/** Ends a move whose rest is swept: the old place after a move, the copy after one that failed. */
function endMove(work: Work, { key }: Key): TenantEntry {
  const { to: _to, was: _was, ...present } = found(work, key);
  const state = present.state === 'moving' ? 'active' : present.state;
  const record: TenantRecord = { ...present, state };
  putTenant(work.turn(), record);
  return entryOf(record);
}

export interface Unfinished {
  readonly entry: TenantEntry;
  readonly to: TenantPlace | null;
  readonly was: TenantPlace | null;
}

/** Tenants whose deletion or move has not ended. */
function unfinished(work: Work): Unfinished[] {
  return readTenants(work.turn())
    .filter(({ state, to, was }) => state === 'deleting' || to !== undefined || was !== undefined)
    .map((record) => ({ entry: entryOf(record), to: record.to ?? null, was: record.was ?? null }));
}

function found(work: Work, key: string): TenantRecord {
  const present = findTenant(work.turn(), key);
  if (present === undefined) throw new Error(`no tenant ${key} in the registry`);
  return present;
}

function inState(work: Work, key: string, state: TenantState): TenantRecord {
  const present = found(work, key);
  if (present.state !== state) throw new Error(`${key} is ${present.state}, not ${state}`);
  return present;
}

export const tenantLifeAsks = {
  'restore.begin': beginRestore,
  'restore.end': endRestore,
  'delete.begin': beginDelete,
  'delete.end': endDelete,
  'move.begin': beginMove,
  'move.turn': turnMove,
  'move.end': endMove,
  'life.unfinished': unfinished,
};
