import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { keyOrDecoy } from '#actors/identity/store.ts';
import { FullStore, World } from '#test/kit/identity-call.ts';

const MINUTE = limits.identity.lastUseEveryMs;
const SCOPE = ['acme:dev:atlas:main'];

function setUp(store = new FullStore()) {
  const world = new World({ store });
  const authorization = world.key({ scope: SCOPE });
  const id = authorization.slice('ApiKey '.length).split('.')[0]!;
  const use = async () => world.ask('exchangeKey', { authorization });
  const stored = () => keyOrDecoy(store.begin(), id).last_used_at;
  const now = () => new Date(world.clock.now()).toISOString();
  return { world, authorization, id, use, stored, now, store };
}

describe('when a key was last used', () => {
  test('is not written on the path of a verification', async () => {
    const { world, use, stored, now } = setUp();
    await use();
    expect(stored()).toBeNull();
    world.settle();
    expect(stored()).toBe(now());
  });

  test('is written at most once a minute, with the newest use', async () => {
    const { world, use, stored, now } = setUp();
    await use();
    world.settle();
    const first = now();
    for (let i = 0; i < 10; i++) {
      world.clock.advance(MINUTE / 20);
      await use();
    }
    expect(world.waiting).toEqual([]);
    expect(stored()).toBe(first);
    world.clock.advance(MINUTE / 2);
    await use();
    await use();
    expect(world.waiting).toHaveLength(1);
    world.settle();
    expect(stored()).toBe(now());
  });

  test('does not bring a revoked key back', async () => {
    const { world, id, use, authorization, store } = setUp();
    await use();
    await world.ask('revokeKey', { authorization: world.bearer(), id });
    world.settle();
    expect([...store.begin().range('\x00', '\xff')]).toEqual([]);
    expect((await world.ask('exchangeKey', { authorization })).code).toBe('invalid_api_key');
  });

  test('a bad key leaves no trace', async () => {
    const { world, authorization, stored } = setUp();
    await world.ask('exchangeKey', {
      authorization: `${authorization.slice(0, -1)}${authorization.endsWith('A') ? 'B' : 'A'}`,
    });
    world.settle();
    expect(stored()).toBeNull();
  });

  test('a store that refuses costs the note, not the request', async () => {
    const { world, use, stored, store } = setUp();
    expect((await use()).status).toBe(200);
    store.full = 'overlay';
    world.settle();
    store.full = null;
    expect(stored()).toBeNull();
    expect(world.logged).toEqual([
      'last_used_at of keys could not be written: uses of the last minute are lost, the keys stay valid',
    ]);
  });
});
