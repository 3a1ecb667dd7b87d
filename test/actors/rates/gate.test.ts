import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { RateGate } from '#actors/rates/gate.ts';
import { RateKeeper } from '#actors/rates/keeper.ts';
import { compileProfile, compileProfiles, type CompiledProfile } from '#actors/rates/profile.ts';
import { createRateTable } from '#actors/rates/table.ts';
import { limits } from '#config/limits.ts';
import { PlainBuckets } from './oracle.ts';

function gateOf(profiles: readonly CompiledProfile[], clock = new SimulatedClock(), seed: [number, number] = [7, 9]) {
  const buffer = createRateTable({ profiles, seed });
  return { buffer, clock, gate: new RateGate(buffer, profiles, clock) };
}

const declared = compileProfiles(limits.rates);
/** With room for as many callers as the steps have, so that the keeper passes over them quickly. */
const small = Object.entries(limits.rates).map(([name, rate]) => compileProfile(name, rate, 64));
const costMs = (profile: CompiledProfile) => profile.costTicks / profile.ticksPerMs;

const step = fc.record({
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300_000 })),
  profile: fc.nat(declared.length - 1),
  tenant: fc.integer({ min: 1, max: 3 }),
  ip: fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8:0:0:0:0:0:1', ''),
  times: fc.integer({ min: 1, max: 30 }),
});

test('grants, waits and remaining tokens are those of plain token buckets', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(), (steps, seed) => {
      const { buffer, clock, gate } = gateOf(small, new SimulatedClock(), [seed, ~seed]);
      const keeper = new RateKeeper(buffer, small, clock);
      const oracle = new PlainBuckets();
      for (const { waitMs, profile: index, tenant, ip, times } of steps) {
        clock.advance(waitMs);
        // Times wrap; the keeper gives up what is idle long before.
        while (!keeper.sweep());
        const profile = small[index]!;
        const key = `${profile.name} ${tenant} ${ip}`;
        for (let i = 0; i < times; i++) {
          const expected = oracle.take(key, profile.burst, costMs(profile), clock.now());
          expect(gate.take(index, tenant, ip)).toBe(Math.ceil(expected));
        }
        const left = oracle.remaining(key, profile.burst, costMs(profile), clock.now());
        expect(gate.remaining(index, tenant, ip)).toBe(left);
      }
    }),
    { numRuns: 60 },
  );
});

test('the stated profiles cost what the contract says, to the tick', () => {
  for (const profile of declared) {
    const rate = limits.rates[profile.name as keyof typeof limits.rates];
    expect(costMs(profile)).toBe(1000 / rate.perSecond);
  }
});

test('tenants, addresses and profiles have buckets of their own', () => {
  const profiles = [compileProfile('a', { burst: 1, perSecond: 1 }), compileProfile('b', { burst: 1, perSecond: 1 })];
  const { gate } = gateOf(profiles);
  expect(gate.take(0, 1, '10.0.0.1')).toBe(0);
  expect(gate.take(0, 1, '10.0.0.1')).toBe(1000);
  expect(gate.take(0, 2, '10.0.0.1')).toBe(0);
  expect(gate.take(0, 1, '10.0.0.2')).toBe(0);
  expect(gate.take(1, 1, '10.0.0.1')).toBe(0);
});

test('past the bound on callers the others share one bucket that fails closed', () => {
  const { gate } = gateOf([compileProfile('small', { burst: 2, perSecond: 1 }, 3)]);
  for (let i = 0; i < 3; i++) expect(gate.take(0, 1, `10.0.0.${i}`)).toBe(0);
  expect([gate.take(0, 1, '10.9.0.1'), gate.take(0, 1, '10.9.0.2')]).toEqual([0, 0]);
  expect(gate.take(0, 1, '10.9.0.3')).toBe(1000);
  expect(gate.take(0, 1, '10.0.0.0')).toBe(0);
});

test('a caller whose bucket is full again gives its place to a new one and loses nothing', () => {
  const { clock, gate } = gateOf([compileProfile('one', { burst: 2, perSecond: 1 }, 1)]);
  gate.take(0, 1, 'x');
  clock.advance(1000);
  // The only place goes over, when both callers fall into the same set; there is only one set of 8 here.
  for (const ip of ['y', 'y']) expect(gate.take(0, 1, ip)).toBe(0);
  expect(gate.take(0, 1, 'y')).toBe(1000);
  expect([gate.take(0, 1, 'x'), gate.take(0, 1, 'x'), gate.take(0, 1, 'x')]).toEqual([0, 0, 1000]);
});

test('a clock that steps back makes a caller wait at most for one token, and grants nothing extra', () => {
  const { clock, gate } = gateOf([compileProfile('p', { burst: 5, perSecond: 1 })]);
  for (let i = 0; i < 5; i++) gate.take(0, 1, 'a');
  clock.advance(-3_600_000);
  expect(gate.take(0, 1, 'a')).toBe(1000);
  clock.advance(1000);
  expect([gate.take(0, 1, 'a'), gate.take(0, 1, 'a')]).toEqual([0, 1000]);
});

test('buckets survive the wrap of 32-bit ticks', () => {
  const profile = compileProfile('p', { burst: 3, perSecond: 1 });
  const { clock, gate } = gateOf([profile], new SimulatedClock(2 ** 31 / profile.ticksPerMs - 5000));
  const oracle = new PlainBuckets();
  for (let i = 0; i < 30; i++) {
    expect(gate.take(0, 1, 'a')).toBe(oracle.take('a', 3, 1000, clock.now()));
    clock.advance(400);
  }
});

test('a profile that is off never refuses', () => {
  const profiles = compileProfiles(limits.rates, { auth_reset: 'off' });
  const { gate } = gateOf(profiles);
  const index = profiles.findIndex((row) => row.name === 'auth_reset');
  for (let i = 0; i < 100; i++) expect(gate.take(index, 1, 'a')).toBe(0);
  expect(gate.remaining(index, 1, 'a')).toBe(Infinity);
});

test('a table made for other profiles is not opened', () => {
  const { buffer, clock } = gateOf(declared);
  expect(() => new RateGate(buffer, declared.slice(1), clock)).toThrow('other profiles');
});
