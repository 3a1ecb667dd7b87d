import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { TokenCache } from '#actors/kit/token/cache.ts';

test('never holds more than its bound, and never answers with another value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.array(fc.nat(30), { maxLength: 200 }), (max, keys) => {
      const cache = new TokenCache<string>(max);
      for (const key of keys) {
        const found = cache.get(String(key));
        expect(found === undefined || found === `v${key}`).toBe(true);
        cache.set(String(key), `v${key}`);
        expect(cache.get(String(key))).toBe(`v${key}`);
        expect(cache.size).toBeLessThanOrEqual(max);
      }
    }),
  );
});

test('what is asked for again and again stays, what is not goes', () => {
  const cache = new TokenCache<number>(10);
  cache.set('hot', 1);
  cache.set('cold', 2);
  for (let i = 0; i < 100; i++) {
    cache.set(`passing ${i}`, i);
    expect(cache.get('hot')).toBe(1);
  }
  expect(cache.get('cold')).toBeUndefined();
});
