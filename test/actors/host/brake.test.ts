import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { brakeMs } from '#actors/host/brake.ts';

const { brakeFrom, brakeMsMax } = limits.host;

test('no write waits up to the share where the brake begins; at a full overlay the longest', () => {
  expect([0, brakeFrom / 2, brakeFrom].map(brakeMs)).toEqual([0, 0, 0]);
  expect([1, 1.5].map(brakeMs)).toEqual([brakeMsMax, brakeMsMax]);
});

test('the fuller, the longer', () => {
  const shares = Array.from({ length: 50 }, (_, i) => brakeFrom + ((1 - brakeFrom) * (i + 1)) / 50);
  const waits = shares.map(brakeMs);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits[0]).toBeGreaterThan(0);
});
