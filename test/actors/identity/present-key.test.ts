import { describe, expect, test, vi } from 'vitest';
import { presentKey } from '#actors/identity/present-key.ts';
import { keyOrDecoy, putKey } from '#actors/identity/store.ts';
import { POSITION, World } from '#test/kit/identity-call.ts';

const UNKNOWN = `01ARZ3NDEKTSV4RRFFQ69G5FAV.${'A'.repeat(43)}`;

function setUp() {
  const world = new World();
  const capabilities = { roles: ['editor'], scope: ['acme:dev:atlas:main'], is_superadmin: true };
  const key = world.key(capabilities).slice('ApiKey '.length);
  const present = (shown = key) =>
    presentKey(world.store.begin(), POSITION, shown, world.clock.now(), '')?.principal ?? null;
  return { world, key, id: key.split('.')[0]!, present };
}

describe('presenting a key', () => {
  test('gives the stated principal', () => {
    const { world, id, present } = setUp();
    expect(present()).toEqual({
      type: 'key',
      subject: id,
      tenant: POSITION,
      roles: ['editor'],
      scope: ['acme:dev:atlas:main'],
      superadmin: true,
      sid: null,
      actor: null,
      readonly: false,
      expiresAtMs: world.clock.now() + 365 * 86_400_000,
    });
  });

  test('holds until the instant of its expiry', () => {
    const { world, present } = setUp();
    world.clock.advance(365 * 86_400_000 - 1);
    expect(present()).not.toBeNull();
    world.clock.advance(1);
    expect(present()).toBeNull();
  });

  test.each([undefined, null, '', 'never', 1e15, '2099', {}, 'Infinity'])(
    'expiresat %j reads as expired',
    (expiresat) => {
      const { world, id, present } = setUp();
      const turn = world.store.begin();
      putKey(turn, id, { ...keyOrDecoy(turn, id), expiresat });
      turn.commit();
      expect(present()).toBeNull();
    },
  );

  test('every character of id and secret counts', () => {
    const { key, present } = setUp();
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'Q' ? 'R' : 'Q';
      expect(present(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
    }
  });

  test('does the same work for every key: one point read', () => {
    const { world, key } = setUp();
    for (const shown of [key, `${key.slice(0, -1)}_`, UNKNOWN, '', '.', 'x', key.slice(1)]) {
      const turn = world.store.begin();
      const get = vi.spyOn(turn, 'get');
      presentKey(turn, POSITION, shown, world.clock.now(), '192.0.2.1');
      expect(get).toHaveBeenCalledTimes(1);
    }
  });
});

describe('bad keys cannot be told apart', () => {
  test('one status, one body, one set of headers, whatever is wrong', async () => {
    const { world, key, id } = setUp();
    const expired = world.key({}).slice('ApiKey '.length);
    const turn = world.store.begin();
    const expiredId = expired.split('.')[0]!;
    putKey(turn, expiredId, { ...keyOrDecoy(turn, expiredId), expiresat: '2020-01-01T00:00:00Z' });
    turn.commit();
    const shown = ['', '.', 'x', id, UNKNOWN, `${id}.${'A'.repeat(43)}`, `${key}x`, key.toLowerCase(), expired, 'é.é'];
    for (const name of ['issueKey', 'revokeKey', 'exchangeKey'] as const) {
      const answers = await Promise.all(shown.map((bad) => world.ask(name, { authorization: `ApiKey ${bad}`, id })));
      for (const { status, text, headers } of answers) {
        expect([status, text, headers]).toEqual([401, answers[0]!.text, answers[0]!.headers]);
        expect(JSON.parse(text)).toMatchObject({ code: 'invalid_api_key' });
      }
    }
  });

  test('a key of another tenant does not exist here', async () => {
    const here = new World();
    const there = new World({ position: 'acme:atlas:dev:other' });
    expect((await here.ask('issueKey', { authorization: there.key() })).code).toBe('invalid_api_key');
  });
});
