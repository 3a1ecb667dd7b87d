import { describe, expect, test } from 'vitest';
import { createSigningKey } from '#actors/identity/create-signing-key.ts';
import { readSigningKeys } from '#actors/identity/store.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { World } from '#test/kit/identity-call.ts';

describe('a new signing key', () => {
  test.each([
    ['within the same millisecond', 0],
    ['after the clock stepped back', -3_600_000],
  ])('signs, also %s', (_name, ms) => {
    const world = new World();
    const turn = world.store.begin();
    for (let i = 0; i < 5; i++) {
      const { kid } = createSigningKey(turn, world.context);
      expect(ringOf(readSigningKeys(turn)).signing?.kid).toBe(kid);
      world.clock.advance(ms);
    }
    expect(ringOf(readSigningKeys(turn)).own.size).toBe(5);
  });
});
