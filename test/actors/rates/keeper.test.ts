import { expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { RateGate } from '#actors/rates/gate.ts';
import { RateKeeper, type RateCounts } from '#actors/rates/keeper.ts';
import { compileProfile } from '#actors/rates/profile.ts';
import { blockOf, createRateTable, LOCKS_AT, SETS } from '#actors/rates/table.ts';
import { limits } from '#config/limits.ts';
import { fc } from '#test/kit/property.ts';

function nodeOf(entriesMax: number, burst = 2) {
  const profiles = [compileProfile('p', { burst, perSecond: 1 }, entriesMax)];
  const buffer = createRateTable({ profiles, seed: [3, 4] });
  const clock = new SimulatedClock();
  const gate = new RateGate(buffer, profiles, clock);
  return { buffer, clock, gate, keeper: new RateKeeper(buffer, profiles, clock) };
}

function sweepAll(keeper: RateKeeper): number {
  let slices = 1;
  while (!keeper.sweep()) slices++;
  return slices;
}

test('an entry goes when its bucket has been full for the idle time, not before', () => {
  const { clock, gate, keeper } = nodeOf(100);
  gate.take(0, 1, 'a');
  clock.advance(limits.intake.ipIdleMs + 999);
  sweepAll(keeper);
  expect(keeper.counts()[0]!.entries).toBe(1);
  clock.advance(1);
  sweepAll(keeper);
  expect(keeper.counts()[0]!.entries).toBe(0);
  expect([gate.take(0, 1, 'a'), gate.take(0, 1, 'a'), gate.take(0, 1, 'a')]).toEqual([0, 0, 1000]);
});

test('the table holds as many callers as it may, and again after they went', () => {
  const { clock, gate, keeper } = nodeOf(5000, 1);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 5200; i++) gate.take(0, 1, `${round}-${i}`);
    const [counts] = keeper.counts();
    expect(counts!.entries).toBeLessThanOrEqual(5000);
    expect(counts!.entries).toBeGreaterThan(4990);
    clock.advance(limits.intake.ipIdleMs + 60_000);
    expect(sweepAll(keeper)).toBeGreaterThan(0);
    expect(keeper.counts()[0]!.entries).toBe(0);
  }
});

test('refusals and decisions of the overflow bucket are counted', () => {
  const { gate, keeper } = nodeOf(1, 1);
  for (const ip of ['a', 'a', 'b', 'c']) gate.take(0, 1, ip);
  const counts = { entries: 1, entriesMax: 1, refused: 2, overflowed: 2 };
  // No pass has looked at the buckets yet.
  expect(keeper.counts()).toEqual([{ profile: 'p', ...counts, taken: 0, spent: 0 }]);
});

test('a pass tells how empty the emptiest bucket is, and how many callers have no token; the next one tells it anew', () => {
  const { clock, gate, keeper } = nodeOf(100, 4);
  const levels = (): unknown => {
    sweepAll(keeper);
    const [{ taken, spent }] = keeper.counts() as [RateCounts];
    return { taken, spent };
  };
  expect(levels()).toEqual({ taken: 0, spent: 0 });
  gate.take(0, 1, 'a');
  gate.take(0, 1, 'b');
  gate.take(0, 1, 'b');
  expect(levels()).toEqual({ taken: 0.5, spent: 0 });
  for (let i = 0; i < 9; i++) for (const ip of ['b', 'c']) gate.take(0, 1, ip);
  expect(levels()).toEqual({ taken: 1, spent: 2 });
  clock.advance(1000);
  expect(levels()).toEqual({ taken: 0.75, spent: 0 });
  clock.advance(3000);
  expect(levels()).toEqual({ taken: 0, spent: 0 });
});

test('a large region is swept in slices', () => {
  const { gate, keeper } = nodeOf(100_000);
  gate.take(0, 1, 'a');
  expect(sweepAll(keeper)).toBeGreaterThan(4);
});

test('a lock that a dead thread left is freed; until then new callers share the overflow bucket', () => {
  const { buffer, clock, gate, keeper } = nodeOf(1, 1);
  const words = new Int32Array(buffer);
  expect(words[blockOf(0) + SETS]).toBe(1);
  words[words[blockOf(0) + LOCKS_AT]!] = Math.floor(clock.now() / 1000);
  expect(gate.take(0, 1, 'a')).toBe(0);
  expect(gate.take(0, 1, 'b')).toBe(1000);
  expect(keeper.counts()[0]).toMatchObject({ entries: 0, overflowed: 2 });
  // Too young to be that of a dead thread, and no caller comes meanwhile: a later pass looks again, although the region has no entry.
  sweepAll(keeper);
  clock.advance(limits.rateTable.sweepMs + 1000);
  sweepAll(keeper);
  expect(gate.take(0, 1, 'c')).toBe(0);
  expect(keeper.counts()[0]).toMatchObject({ entries: 1, overflowed: 2 });
});

test('after any silence a caller has a full bucket again, whatever burst, rate and idle time the platform file says', () => {
  const settings = fc.record({
    burst: fc.integer({ min: 1, max: 50 }),
    perSecond: fc.double({ min: 0.5, max: 100_000, noNaN: true }),
    idleMs: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: limits.intake.ipIdleMsMax })),
    silenceMs: fc.integer({ min: 0, max: 600_000 }),
    beganMs: fc.integer({ min: 0, max: 2 ** 41 }),
  });
  let swept = 0;
  fc.assert(
    fc.property(settings, ({ burst, perSecond, idleMs, silenceMs, beganMs }) => {
      const profiles = [compileProfile('p', { burst, perSecond }, 4, idleMs)];
      const buffer = createRateTable({ profiles, seed: [3, 4] });
      const clock = new SimulatedClock(beganMs);
      const gate = new RateGate(buffer, profiles, clock);
      const keeper = new RateKeeper(buffer, profiles, clock);
      // Six callers: four have entries of their own, two share the bucket of those without.
      const callers = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const ip of callers) gate.take(0, 1, ip);
      const wholeMs = silenceMs + Math.ceil((burst * 1000) / perSecond);
      for (let ms = 0; ms < wholeMs; ms += limits.rateTable.sweepMs) {
        clock.advance(Math.min(limits.rateTable.sweepMs, wholeMs - ms));
        sweepAll(keeper);
      }
      swept += keeper.counts()[0]!.entries === 0 ? 1 : 0;
      for (const ip of ['a', 'new']) expect(gate.take(0, 1, ip), ip).toBe(0);
    }),
    { numRuns: 2000 },
  );
  expect(swept).toBeGreaterThan(200);
});
