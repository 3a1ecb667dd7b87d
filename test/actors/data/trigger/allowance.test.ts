/** How much of their tenant's time scripts of triggers may take. */
import { expect, test } from 'vitest';
import { Allowance } from '#actors/data/trigger/allowance.ts';
import { fc } from '#test/kit/property.ts';

const RULES = { atOnceMs: 1000, perSecondMs: 100 };

test('a script may run while something is left, and pays afterwards', () => {
  const allowance = new Allowance(0, RULES);
  expect(allowance.waitMs(0)).toBe(0);
  allowance.spend(0, 999);
  expect(allowance.waitMs(0)).toBe(0);
  allowance.spend(0, 501);
  const waitMs = allowance.waitMs(0);
  expect(waitMs).toBe(5010);
  expect([allowance.waitMs(waitMs - 20) > 0, allowance.waitMs(waitMs)]).toEqual([true, 0]);
});

test('it fills to its bound and no further; a clock that was set back gives nothing', () => {
  const allowance = new Allowance(0, RULES);
  allowance.spend(3_600_000, 1500);
  expect(allowance.waitMs(3_600_000)).toBeGreaterThan(0);
  expect(allowance.waitMs(0)).toBe(allowance.waitMs(0));
  expect(allowance.waitMs(0)).toBeGreaterThan(0);
});

test('over any time scripts take at most what it gives, and one script more', () => {
  let waited = 0;
  const step = fc.record({ passMs: fc.nat(5000), scriptMs: fc.integer({ min: 1, max: 400 }) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 100 }), (steps) => {
      const allowance = new Allowance(0, RULES);
      let [nowMs, spentMs, longest] = [0, 0, 0];
      for (const { passMs, scriptMs } of steps) {
        nowMs += passMs;
        if (allowance.waitMs(nowMs) > 0) {
          waited++;
          continue;
        }
        allowance.spend(nowMs, scriptMs);
        spentMs += scriptMs;
        longest = Math.max(longest, scriptMs);
      }
      expect(spentMs).toBeLessThanOrEqual(RULES.atOnceMs + (nowMs / 1000) * RULES.perSecondMs + longest);
    }),
  );
  expect(waited).toBeGreaterThan(0);
});
