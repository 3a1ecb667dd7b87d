import { expect, test } from 'vitest';
import { compileProfile, compileProfiles } from '#actors/rates/profile.ts';

test('the platform file changes a profile, switches one off and adds one', () => {
  const declared = { a: { burst: 1, perSecond: 1 }, b: { burst: 2, perSecond: 2 } };
  const profiles = compileProfiles(declared, {
    b: { burst: 9, per_second: 4 },
    a: 'off',
    data: { burst: 5, per_second: 50 },
  });
  expect(profiles.map(({ name, off, burst }) => [name, off, burst])).toEqual([
    ['a', true, 0],
    ['b', false, 9],
    ['data', false, 5],
  ]);
});

test('intake bounds its callers and their idle time by its own settings', () => {
  const [profile] = compileProfiles({}, { intake_ip: { burst: 20, per_second: 5, entriesMax: 7, idleMs: 1000 } });
  expect(profile).toMatchObject({ entriesMax: 7, idleTicks: 1000 * profile!.ticksPerMs });
});

test('rounding to ticks never grants more than the rate', () => {
  for (const perSecond of [0.001, 1 / 3, 7, 999, 12_345, 1_000_000]) {
    const profile = compileProfile('p', { burst: 10, perSecond });
    expect(profile.costTicks / profile.ticksPerMs).toBeGreaterThanOrEqual(1000 / perSecond);
    expect(profile.windowTicks + profile.idleTicks).toBeLessThan(2 ** 31);
  }
});

test('numbers that no bucket can have are refused', () => {
  for (const rate of [
    { burst: 0, perSecond: 1 },
    { burst: 1.5, perSecond: 1 },
    { burst: 1, perSecond: 0 },
    { burst: 1, perSecond: NaN },
    { burst: 1, perSecond: Infinity },
    { burst: 2 ** 40, perSecond: 1_000_000 },
  ])
    expect(() => compileProfile('p', rate), JSON.stringify(rate)).toThrow('rate p');
});
