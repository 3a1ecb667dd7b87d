/** Sessions row by row: docs/contract/identity-users.md §4.1. */
import { beforeEach, describe, expect, test } from 'vitest';
import { closeSessions, presentSid, renewSession } from '#actors/identity/session/follow-session.ts';
import { openSession } from '#actors/identity/session/open-session.ts';
import { sessionGateOf } from '#actors/host/service-kit.ts';
import { limits } from '#config/limits.ts';
import type { FullStore } from '#test/kit/identity-call.ts';
import { counts, LIFETIME_MS, said, SessionWorld } from './kit.ts';

const MINUTE = 60_000;

let world: SessionWorld;
beforeEach(() => {
  world = new SessionWorld();
});

describe('who may', () => {
  let mine: string;
  let other: string;
  let admin: string;
  let root: string;
  beforeEach(() => {
    mine = world.open('U');
    other = world.open('V');
    admin = world.as('A', world.open('A'), ['tenant_admin']);
    root = world.as('R', world.open('R'), ['superadmin']);
  });

  test('a user: their own sessions, and nothing about those of others', async () => {
    const me = world.as('U', mine);
    expect((await world.list(me)).ids).toEqual([mine]);
    expect((await world.list(me, { principal: 'U' })).ids).toEqual([mine]);
    expect(said((await world.list(me, { principal: 'V' })).answer)).toEqual([403, 'session_denied']);
    for (const id of [other, '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nonsense']) {
      expect(said(await world.revoke(me, id))).toEqual([404, 'session_not_found']);
      expect(said(await world.rotate(me, id))).toEqual([404, 'session_not_found']);
    }
    expect(await counts(world, 'V', other)).toBe(true);
    expect((await world.revoke(me, mine)).body).toEqual({ ok: true });
    expect(said(await world.revoke(me, mine))).toEqual([401, 'invalid_token']);
  });

  test('tenant_admin and superadmin: those of every user', async () => {
    for (const who of [admin, root]) {
      expect((await world.list(who)).count).toBe(4);
      expect((await world.list(who, { principal: 'V' })).ids).toEqual([other]);
    }
    expect((await world.revoke(admin, mine, 'lost phone')).status).toBe(200);
    expect((await world.revoke(root, other)).status).toBe(200);
    const { answer } = await world.list(admin, { principal: 'U' });
    expect(answer.body['sessions']).toMatchObject([{ id: mine, reason: 'lost phone' }]);
    expect(said(await world.revoke(admin, mine))).toEqual([404, 'session_not_found']);
  });

  test('higher rungs without the two roles see their own only', async () => {
    const env = world.as('E', world.open('E'), ['env_admin', 'platform_admin']);
    expect(said((await world.list(env, { principal: 'U' })).answer)).toEqual([403, 'session_denied']);
  });

  test('an impersonation: seen and ended by the user and the admin, and itself kept to itself', async () => {
    const purpose = { reason: 'a call of theirs', mode: 'readonly' } as const;
    const sid = world.open('U', { kind: 'impersonation', actor: 'O', purpose, lifetimeMs: 900_000 });
    const operator = world.as('U', sid, ['tenant_admin'], { act: { sub: 'O', mode: 'full' } });
    const me = world.as('U', mine);
    expect((await world.list(me)).ids).toEqual([sid, mine]);
    expect((await world.list(me)).answer.body['sessions']).toMatchObject([
      { kind: 'impersonation', principal: 'U', actor: 'O', impersonation: purpose },
      { kind: 'user' },
    ]);
    expect((await world.list(admin, { principal: 'U' })).ids).toEqual([sid, mine]);
    expect(said(await world.revoke(operator, mine))).toEqual([404, 'session_not_found']);
    expect(said(await world.rotate(operator, other))).toEqual([404, 'session_not_found']);
    expect((await world.revoke(me, sid, 'who are you')).status).toBe(200);
    expect(said((await world.list(operator)).answer)).toEqual([401, 'invalid_token']);
  });

  test('keys and service tokens are no users; no position, no body, no credential', async () => {
    for (const name of ['listSessions', 'revokeSession', 'rotateSession'] as const) {
      const body = { id: mine };
      const me = world.as('U', mine);
      expect(said(await world.ask(name, { body }))).toEqual([401, 'auth_required']);
      const key = world.key({ is_superadmin: true });
      expect(said(await world.ask(name, { body, authorization: key }))).toEqual([401, 'auth_required']);
      const scope = ['*:*:*:*'];
      const service = world.bearer([], { type: 'service', scope });
      expect(said(await world.ask(name, { body, authorization: service }))).toEqual([403, 'session_denied']);
      expect(said(await world.ask(name, { body: '[]', authorization: me }))).toEqual([400, 'bad_request']);
      expect(said(await world.ask(name, { body, authorization: me, tenantNo: 0 }))).toEqual([400, 'no_tenant']);
      expect(said(await world.ask(name, { body: { id: 7, principal: 7 }, authorization: me }))).toEqual([
        400,
        'bad_request',
      ]);
    }
    expect((await world.ask('listSessions', { authorization: world.as('U', mine) })).status).toBe(200);
    expect(said(await world.revoke(world.as('U', mine), mine, 'x'.repeat(257)))).toEqual([400, 'bad_request']);
  });
});

describe('a record', () => {
  test('has the stated fields', async () => {
    const sid = world.open('U', { userAgent: 'a'.repeat(1000) });
    const { answer } = await world.list(world.as('U', sid));
    expect(answer.body).toEqual({
      sessions: [
        {
          id: sid,
          principal: 'U',
          created_at: '2026-01-01T00:00:00.000Z',
          last_seen_at: '2026-01-01T00:00:00.000Z',
          expires_at: '2026-01-31T00:00:00.000Z',
          ip: '192.0.2.1',
          user_agent: 'a'.repeat(256),
          kind: 'user',
          revoked_at: null,
          reason: null,
        },
      ],
      count: 1,
    });
  });

  test('ended ones stay to be seen, a few of each user, until they would have expired', async () => {
    const admin = () => world.as('A', world.open('A'), ['tenant_admin']);
    const kept = limits.session.endedPerPrincipalMax;
    const ids = Array.from({ length: kept + 3 }, () => world.open('U'));
    for (const id of ids) await world.revoke(admin(), id);
    expect((await world.list(admin(), { principal: 'U' })).ids).toEqual(ids.slice(3).toReversed());
    const boss = admin();
    expect((await world.again().list(boss, { principal: 'U' })).count).toBe(kept);
    world.clock.advance(LIFETIME_MS);
    expect((await world.list(admin(), { principal: 'U' })).count).toBe(0);
    while (world.waiting.length > 0) world.settle();
    expect([...world.store.begin().range('\x00\x15', '\x00\x16')]).toHaveLength(1); // the admin who asked last
  });
});

describe('rotation', () => {
  test('the old id stops at once; age, limit and what refers to the session go on', async () => {
    const sid = world.open('U');
    world.clock.advance(1000);
    const { body } = await world.rotate(world.as('U', sid), sid);
    const next = body['id'] as string;
    expect(next).not.toBe(sid);
    expect([await counts(world, 'U', sid), await counts(world, 'U', next)]).toEqual([false, true]);
    expect(said(await world.rotate(world.as('U', sid), sid))).toEqual([401, 'invalid_token']);
    const third = (await world.rotate(world.as('U', next), next)).body['id'] as string;
    for (const place of [world, world.again()]) {
      const { ids, answer } = await place.list(place.as('U', third));
      expect(ids).toEqual([third]);
      expect(answer.body['sessions']).toMatchObject([{ created_at: '2026-01-01T00:00:00.000Z' }]);
      expect(presentSid(place.call('login'), sid)).toBe(third);
      expect(presentSid(place.call('login'), next)).toBeNull();
      expect(await counts(place, 'U', next)).toBe(false);
    }
  });

  test('a full store: the old id goes on', async () => {
    const sid = world.open('U');
    (world.store as FullStore).full = 'disk';
    expect(said(await world.rotate(world.as('U', sid), sid))).toEqual([500, 'persist_failed']);
    expect(said(await world.revoke(world.as('U', sid), sid))).toEqual([500, 'persist_failed']);
    (world.store as FullStore).full = null;
    expect(await counts(world, 'U', sid)).toBe(true);
  });
});

describe('a token at the gate', () => {
  test('counts while its session lives and is its subject’s', async () => {
    const sid = world.open('U');
    expect(await counts(world, 'U', sid)).toBe(true);
    expect(await counts(world, 'V', sid)).toBe(false);
    expect(await counts(world, 'U', 'other')).toBe(false);
    world.clock.advance(LIFETIME_MS - 1);
    expect(await counts(world, 'U', sid)).toBe(true);
    world.clock.advance(1);
    expect(await counts(world, 'U', sid)).toBe(false);
  });

  test('without sid: refused where sessions are managed, taken where they are not', async () => {
    const authorization = world.bearer();
    expect((await world.ask('revokeKey', { authorization, id: 'x' })).code).toBe('invalid_token');
    const stateless = new SessionWorld({});
    expect((await stateless.ask('revokeKey', { authorization: stateless.bearer(), id: 'x' })).status).toBe(200);
    expect(await counts(stateless, 'U', 'S')).toBe(false);
    const looked = stateless.open('U', { kind: 'impersonation', actor: 'O' });
    expect(await counts(stateless, 'U', looked)).toBe(true);
    const act = { sub: 'O' };
    expect((await stateless.ask('revokeKey', { authorization: stateless.bearer([], { act }), id: 'x' })).status).toBe(
      401,
    );
  });

  test('a key and a service token need no session', async () => {
    expect((await world.ask('revokeKey', { authorization: world.key(), id: 'x' })).status).toBe(200);
    const authorization = world.bearer([], { type: 'service', scope: ['*:*:*:*'] });
    expect((await world.ask('revokeKey', { authorization, id: 'x' })).status).toBe(200);
    const odd = world.bearer([], { type: 'service', scope: ['*:*:*:*'], sid: world.open('U') });
    expect((await world.ask('revokeKey', { authorization: odd, id: 'x' })).status).toBe(401);
  });

  test('the refusal of an ended session waits for the end to be durable', async () => {
    const sid = world.open('U');
    await world.revoke(world.as('U', sid), sid);
    expect(sessionGateOf(world.activation).newest).toBeGreaterThan(0);
    const call = world.call('revokeKey', { authorization: world.as('U', sid), id: 'x' });
    world.service.authenticate(call);
    expect(call.abort()).toBe(sessionGateOf(world.activation).newest);
  });
});

describe('memory and store', () => {
  test('the next waker knows what lives and what has ended', async () => {
    const [a, b, c] = [world.open('U'), world.open('U'), world.open('V')];
    await world.revoke(world.as('U', a), b);
    const next = world.again();
    const alive = [counts(next, 'U', a), counts(next, 'U', b), counts(next, 'V', c)];
    expect(await Promise.all(alive)).toEqual([true, false, true]);
  });

  test('more sessions than a turn reads are read in slices, and no request is served before', async () => {
    const many = limits.session.sliceRows * 2 + 1;
    const ids = Array.from({ length: many }, (_, i) => world.open(`U${i}`));
    const next = world.again();
    expect(next.woken).toBeInstanceOf(Promise);
    expect(await counts(next, 'U0', ids[0]!)).toBe(true);
    while (next.waiting.length > 0) {
      next.settle();
      await new Promise((resolve) => setImmediate(resolve)); // the next slice is asked for in a microtask
    }
    await next.woken;
    expect(await counts(next, `U${many - 1}`, ids.at(-1)!)).toBe(true);
    const { answer, count } = await next.list(next.as('A', next.open('A'), ['tenant_admin']));
    expect(count).toBe(many + 1);
    expect(answer.body['sessions']).toHaveLength(limits.session.listMax);
  });

  test('an activation that was forgotten and its successor share what they know', async () => {
    const before = { ...world.activation };
    void world.identity.activate(before);
    void world.identity.activate(world.activation);
    const call = world.call('login');
    call.tenant = before;
    const wish = { principal: 'U', kind: 'user', ip: null, userAgent: null, lifetimeMs: 1000 } as const;
    const { sid } = openSession(world.identity, call, wish) as { sid: string };
    call.commit();
    expect(await counts(world, 'U', sid)).toBe(true);
  });

  test('last_seen_at: shown at once, written at most once a minute, also when the clock steps back', async () => {
    const sid = world.open('U');
    const stored = async () => {
      const again = world.again();
      const admin = again.as('A', again.open('A', { kind: 'impersonation' }), ['tenant_admin']);
      const { answer } = await again.list(admin, { principal: 'U' });
      return (answer.body['sessions'] as { last_seen_at: string }[])[0]!.last_seen_at;
    };
    await counts(world, 'U', sid);
    world.settle();
    world.clock.advance(MINUTE / 2);
    await counts(world, 'U', sid);
    expect(world.waiting).toEqual([]);
    const { answer } = await world.list(world.as('U', sid));
    expect(answer.body['sessions']).toMatchObject([{ last_seen_at: '2026-01-01T00:00:30.000Z' }]);
    expect(await stored()).toBe('2026-01-01T00:00:00.000Z');
    world.clock.advance(MINUTE / 2);
    await counts(world, 'U', sid);
    world.settle();
    expect(await stored()).toBe('2026-01-01T00:01:00.000Z');
    world.clock.advance(-10 * MINUTE);
    await counts(world, 'U', sid);
    expect(world.waiting).toHaveLength(1);
  });

  test('a store that refuses costs the sight, not the request; an ended session keeps its end', async () => {
    const sid = world.open('U');
    (world.store as FullStore).full = 'overlay';
    expect(await counts(world, 'U', sid)).toBe(true);
    world.settle();
    (world.store as FullStore).full = null;
    expect(world.logged).toEqual([
      'last_seen_at of sessions could not be written and is lost; the sessions themselves go on',
    ]);
    world.clock.advance(MINUTE);
    await world.revoke(world.as('U', sid), sid, 'mine');
    world.settle();
    const admin = world.as('A', world.open('A'), ['tenant_admin']);
    expect((await world.list(admin, { principal: 'U' })).answer.body['sessions']).toMatchObject([{ reason: 'mine' }]);
  });
});

describe('what a login asks of its session', () => {
  test('a refresh renews it and tells its present id; an impersonation is not renewed', async () => {
    const sid = world.open('U');
    const looked = world.open('U', { kind: 'impersonation', lifetimeMs: 1000 });
    world.clock.advance(500);
    const call = world.call('refresh');
    const until = world.clock.now() + LIFETIME_MS;
    expect([renewSession(call, sid, until), renewSession(call, looked, until)]).toEqual([sid, looked]);
    call.commit();
    world.clock.advance(LIFETIME_MS - 1);
    for (const place of [world, world.again()])
      expect([await counts(place, 'U', sid), await counts(place, 'U', looked)]).toEqual([true, false]);
    world.clock.advance(1);
    expect(renewSession(world.call('refresh'), sid, Infinity)).toBeNull();
  });

  test('a changed password ends the user’s own sessions', async () => {
    const [a, b, looked] = [world.open('U'), world.open('U'), world.open('U', { kind: 'impersonation' })];
    const other = world.open('V');
    const call = world.call('confirmReset');
    expect(closeSessions(world.identity, call, 'U', 'password_reset')).toBe(2);
    call.commit();
    const alive = [counts(world, 'U', a), counts(world, 'U', b), counts(world, 'U', looked), counts(world, 'V', other)];
    expect(await Promise.all(alive)).toEqual([false, false, true, true]);
  });
});

test('events tell of openings, ends and rotations, without a token', async () => {
  world = new SessionWorld({ mode: 'managed', max: 1 });
  const a = world.open('U');
  const b = world.open('U');
  const { body } = await world.rotate(world.as('U', b), b);
  await world.revoke(world.as('U', body['id'] as string), body['id'] as string);
  expect(world.events.map(({ action, target }) => [action, target]).filter(([, target]) => target !== '')).toEqual([
    ['auth.session.opened', a],
    ['auth.session.ended', a],
    ['auth.session.opened', b],
    ['auth.session.rotated', b],
    ['auth.session.ended', body['id']],
  ]);
});
