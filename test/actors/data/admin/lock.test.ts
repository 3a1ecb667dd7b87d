/** Locks: which operation wins, what fencing stops, what expires, what an operator breaks (docs/contract/data-admin.md §6, `/locks`). */
import { describe, expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { underLock } from '#actors/data/admin/lock/guard.ts';
import { beatLock, breakLock, checkLock, findLocks, isHeld } from '#actors/data/admin/lock/lock.ts';
import { LockLost, releaseLock, takeLock } from '#actors/data/admin/lock/lock.ts';
import type { LockRecord } from '#actors/data/admin/lock/lock.ts';
import { showLock } from '#actors/data/admin/lock/show.ts';
import { limits } from '#config/limits.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, productOf } from '#test/kit/data-call.ts';

const { ttlMs, beatMs } = limits.locks;
const wish = (resource: string, holder: string, opKind = 'retention') => ({
  id: `L-${holder}`,
  resource,
  holder,
  opKind,
  hostname: 'node-1',
  planId: 'p1',
});
const everybody = () => true;

function taken(lock: ReturnType<typeof takeLock>): LockRecord {
  if (isHeld(lock)) throw new Error('held');
  return lock;
}

describe('a lock', () => {
  test('is taken once, and a second operation learns which one has it', () => {
    const turn = new MemoryStore().begin();
    const first = taken(takeLock(turn, 1000, wish('retention:default', 'a'), everybody));
    expect(takeLock(turn, 1001, wish('retention:default', 'b'), everybody)).toEqual({ kind: 'held', by: first });
    expect(isHeld(takeLock(turn, 1001, wish('seeds:default', 'b'), everybody))).toBe(false);
  });

  test('is free again when it is released, when it has expired, and when its holder is dead', () => {
    const turn = new MemoryStore().begin();
    const first = taken(takeLock(turn, 0, wish('r', 'a'), everybody));
    expect(isHeld(takeLock(turn, ttlMs - 1, wish('r', 'b'), everybody))).toBe(true);
    const second = taken(takeLock(turn, ttlMs, wish('r', 'b'), everybody));
    releaseLock(turn, first); // the first holder has lost it
    expect(checkLock(turn, second)).toEqual(second);
    const third = taken(takeLock(turn, ttlMs, wish('r', 'c'), (holder) => holder !== 'b'));
    releaseLock(turn, third);
    expect(isHeld(takeLock(turn, ttlMs, wish('r', 'd'), everybody))).toBe(false);
  });

  test('gives tokens that only grow, also over resources and releases', () => {
    const turn = new MemoryStore().begin();
    const fences = ['a', 'b', 'a', 'b'].map((resource) => {
      const lock = taken(takeLock(turn, 0, wish(resource, resource), everybody));
      releaseLock(turn, lock);
      return lock.fence;
    });
    expect(fences).toEqual([1, 2, 3, 4]);
  });

  test('lives as long as it is beaten, and is lost when it expired, was broken or was taken over', () => {
    const turn = new MemoryStore().begin();
    const lock = taken(takeLock(turn, 0, wish('r', 'a'), everybody));
    for (let now = 0; now <= 5 * ttlMs; now += beatMs) beatLock(turn, now, lock);
    const end = 5 * ttlMs;
    // A lock that ran out is still its holder’s while no other operation has taken it.
    beatLock(turn, end + ttlMs + beatMs, lock);
    expect(breakLock(turn, 'r')?.id).toBe('L-a');
    expect(() => beatLock(turn, end, lock)).toThrow(LockLost);
    expect(breakLock(turn, 'r')).toBeUndefined();
    taken(takeLock(turn, end, wish('r', 'b'), everybody));
    expect(() => checkLock(turn, lock)).toThrow('the lock r was lost');
  });

  test('a beat writes only now and then', () => {
    const store = new MemoryStore();
    const taking = store.begin();
    const lock = taken(takeLock(taking, 0, wish('r', 'a'), everybody));
    taking.commit();
    const turn = store.begin();
    beatLock(turn, beatMs - 1, lock);
    expect(turn.dirty).toBe(false);
    beatLock(turn, beatMs, lock);
    expect(turn.dirty).toBe(true);
    expect(findLocks(turn, beatMs, { prefix: '', opKind: '', includeExpired: false })[0]?.expires_ms).toBe(
      beatMs + ttlMs,
    );
  });

  test('is listed by prefix and kind, expired ones only when they are asked for', () => {
    const turn = new MemoryStore().begin();
    takeLock(turn, 0, wish('seeds:default', 'a', 'seed'), everybody);
    takeLock(turn, ttlMs, wish('plans:default', 'b', 'apply'), everybody);
    const found = (filter: object) =>
      findLocks(turn, ttlMs, { prefix: '', opKind: '', includeExpired: true, ...filter }).map((lock) => lock.resource);
    expect(found({})).toEqual(['plans:default', 'seeds:default']);
    expect(found({ includeExpired: false })).toEqual(['plans:default']);
    expect(found({ prefix: 'seeds:' })).toEqual(['seeds:default']);
    expect(found({ opKind: 'apply' })).toEqual(['plans:default']);
    expect(found({ opKind: 'apply', prefix: 'seeds' })).toEqual([]);
  });

  test('is shown with the keys of the contract', () => {
    const turn = new MemoryStore().begin();
    const lock = taken(takeLock(turn, Date.UTC(2026, 0, 1), wish('r', 'a', 'apply'), everybody));
    const shown = (nowMs: number) => showLock(lock, Date.UTC(2026, 0, 1) + nowMs);
    expect(shown(1500)).toEqual({
      id: 'L-a',
      resource: 'r',
      holder_id: 'a',
      op_kind: 'apply',
      acquired_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-01T00:00:30.000Z',
      hostname: 'node-1',
      plan_id: 'p1',
      is_expired: false,
      seconds_to_expiry: 28,
    });
    expect(shown(ttlMs)).toMatchObject({ is_expired: true, seconds_to_expiry: 0 });
  });
});

describe('work under a lock', () => {
  const operation = { resource: 'retention:default', opKind: 'retention', planId: '' };
  const open = () => DataTenant.open(productOf([]));
  const rows = (tenant: DataTenant) =>
    findLocks(tenant.store.begin(), tenant.clock.now(), { prefix: '', opKind: '', includeExpired: true });

  test('has it alone, and gives it back however it ends', async () => {
    const tenant = await open();
    const first = underLock(new Work(tenant.activation), operation, async () => {
      expect(await underLock(new Work(tenant.activation), operation, () => Promise.resolve(1))).toMatchObject({
        kind: 'held',
      });
      expect(rows(tenant)).toHaveLength(1);
      return 'done';
    });
    expect(await first).toBe('done');
    expect(rows(tenant)).toEqual([]);
    const failing = underLock(new Work(tenant.activation), operation, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(rows(tenant)).toEqual([]);
  });

  test('fails in the turn after an operator released it, and stages nothing', async () => {
    const tenant = await open();
    const work = new Work(tenant.activation);
    const run = underLock(work, operation, async (guard) => {
      guard(work.turn());
      const breaking = tenant.store.begin();
      breakLock(breaking, operation.resource);
      breaking.commit();
      guard(work.nextTurn());
      return 'unreachable';
    });
    await expect(run).rejects.toThrow(LockLost);
  });

  test('meets the row of a holder that a crash ended, and takes it at once', async () => {
    const tenant = await open();
    const dead = tenant.store.begin();
    takeLock(dead, tenant.clock.now(), wish(operation.resource, 'dead'), everybody);
    dead.commit();
    expect(await underLock(new Work(tenant.activation), operation, () => Promise.resolve('mine'))).toBe('mine');
  });
});
