/** How many sessions a user may have at once: docs/contract/identity-users.md §4.1. */
import { describe, expect, test } from 'vitest';
import { openSession } from '#actors/identity/session/open-session.ts';
import type { FullStore } from '#test/kit/identity-call.ts';
import { counts, LIFETIME_MS, SessionWorld } from './kit.ts';

describe('the concurrency limit', () => {
  test('reject: 409, and the sessions that live stay', async () => {
    const world = new SessionWorld({ mode: 'managed', max: 2, on_limit: 'reject' });
    const [first, second] = [world.open('U'), world.open('U')];
    expect(world.open('U')).toBe('session_limit');
    expect((await world.list(world.as('U', first))).ids).toEqual([second, first]);
    expect(world.open('V')).toMatch(/^[0-9A-Z]{26}$/);
  });

  test('evict_oldest: the oldest is revoked with reason concurrent_evict', async () => {
    const world = new SessionWorld({ mode: 'managed', max: 2, on_limit: 'evict_oldest' });
    const ids = [world.open('U'), world.open('U'), world.open('U')];
    expect(await counts(world, 'U', ids[0]!)).toBe(false);
    expect(await counts(world, 'U', ids[1]!)).toBe(true);
    const { answer } = await world.list(world.as('U', ids[2]!));
    const evicted = (answer.body['sessions'] as Record<string, unknown>[]).at(-1);
    expect(evicted).toMatchObject({ id: ids[0], reason: 'concurrent_evict', revoked_at: '2026-01-01T00:00:00.000Z' });
  });

  test('an ended or expired session makes room; a limit that was lowered takes as many as it must', async () => {
    const world = new SessionWorld({ mode: 'managed', max: 1, on_limit: 'reject' });
    const first = world.open('U');
    await world.revoke(world.as('U', first), first);
    const second = world.open('U');
    expect(world.open('U')).toBe('session_limit');
    world.clock.advance(LIFETIME_MS);
    expect(await counts(world, 'U', second)).toBe(false);
    expect(world.open('U')).not.toBe('session_limit');

    const wide = new SessionWorld({ mode: 'managed', max: 5 });
    const five = Array.from({ length: 5 }, () => wide.open('U'));
    const narrow = wide.again({ mode: 'managed', max: 2 });
    const newest = narrow.open('U');
    expect((await narrow.list(narrow.as('U', newest))).count).toBe(6);
    expect(await Promise.all(five.map((sid) => counts(narrow, 'U', sid)))).toEqual([false, false, false, false, true]);
  });

  test('the oldest is the first that was opened, whatever clock and rotation say', async () => {
    const world = new SessionWorld({ mode: 'managed', max: 2 });
    const first = world.open('U');
    world.clock.advance(-3_600_000);
    const second = world.open('U');
    const rotated = (await world.rotate(world.as('U', first), first)).body['id'] as string;
    world.open('U');
    expect([await counts(world, 'U', rotated), await counts(world, 'U', second)]).toEqual([false, true]);
  });

  test('impersonations neither count nor are evicted', async () => {
    const world = new SessionWorld({ mode: 'managed', max: 1 });
    const looked = world.open('U', { kind: 'impersonation', actor: 'O' });
    const own = world.open('U');
    world.open('U', { kind: 'impersonation', actor: 'O' });
    expect([await counts(world, 'U', looked), await counts(world, 'U', own)]).toEqual([true, true]);
  });

  test('a login that fails gives its place back, and the session that it took it from', async () => {
    const world = new SessionWorld({ mode: 'managed', max: 1, on_limit: 'evict_oldest' });
    const old = world.open('U');
    const one = world.call('login');
    const wish = { principal: 'U', kind: 'user', ip: null, userAgent: null, lifetimeMs: LIFETIME_MS } as const;
    const a = openSession(world.identity, one, wish) as { sid: string };
    expect(await counts(world, 'U', old)).toBe(false);
    one.abort();
    expect([await counts(world, 'U', old), await counts(world, 'U', a.sid)]).toEqual([true, false]);
  });

  test('a full store: the login fails, nothing was evicted', async () => {
    const world = new SessionWorld({ mode: 'managed', max: 1 });
    const old = world.open('U');
    (world.store as FullStore).full = 'overlay';
    const call = world.call('login');
    openSession(world.identity, call, { principal: 'U', kind: 'user', ip: null, userAgent: null, lifetimeMs: 1000 });
    expect(() => call.commit()).toThrow();
    call.abort();
    (world.store as FullStore).full = null;
    expect(await counts(world, 'U', old)).toBe(true);
    expect((await world.list(world.as('U', old))).count).toBe(1);
  });
});
