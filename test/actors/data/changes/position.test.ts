/** Numbers of changes: they grow, they say little, and a position that was told stays behind all later numbers. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { idlePosition, isKnown, numberAfter, parsePosition, positionAt } from '#actors/data/changes/position.ts';
import { fc } from '#test/kit/property.ts';

const NOW = Date.UTC(2026, 0, 1);

test('numbers grow also while the clock stands still or goes back', () => {
  let last = 0;
  for (const now of [NOW, NOW, NOW - 5000, NOW + 1]) {
    const next = numberAfter(last, now, 0);
    expect(next).toBeGreaterThan(last);
    last = next;
  }
  expect(Number.isSafeInteger(numberAfter(last, Date.UTC(2200, 0, 1), 255))).toBe(true);
});

test('an idle position lies behind every later number, unless the clock goes back by more than the lag', () => {
  let judged = 0;
  fc.assert(
    fc.property(
      fc.nat(1e9),
      fc.integer({ min: -limits.changes.idleLagMs, max: 1e9 }),
      fc.nat(255),
      (age, later, noise) => {
        const told = numberAfter(0, NOW - age, 0);
        const idle = idlePosition(told, NOW);
        expect(numberAfter(told, NOW + later, noise)).toBeGreaterThan(idle);
        expect(idle).toBeGreaterThanOrEqual(told);
        if (idle > told) judged++;
      },
    ),
  );
  expect(judged).toBeGreaterThan(20);
});

test('a position is known between the floor and the last number, or now', () => {
  const head = { floor: 100, seq: 200 };
  expect([99, 100, 200, 201].map((position) => isKnown(position, head, 0))).toEqual([false, true, true, false]);
  expect(isKnown(positionAt(NOW), head, NOW)).toBe(true);
  expect(isKnown(positionAt(NOW) + 1, head, NOW)).toBe(false);
});

test('a position is digits alone', () => {
  expect(['12', '0', '', '-1', '1.5', '1e3', ' 1', '99999999999999999'].map(parsePosition)).toEqual([
    12,
    0,
    ...Array<null>(6).fill(null),
  ]);
});
