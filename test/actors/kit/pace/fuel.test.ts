/** The tank: what is burned is counted, no more than granted, inside and outside, also after failures. */
import { expect, test } from 'vitest';
import { burn, burnChars, fuelled, fuelLeft, OutOfFuel } from '#actors/kit/pace/fuel.ts';

test('work may burn what it is granted, and not a unit more', () => {
  expect(fuelled(10, () => (burn(4), burn(6), fuelLeft()))).toBe(0);
  expect(() => fuelled(10, () => burn(11))).toThrow(OutOfFuel);
  expect(() => fuelled(1, () => burnChars(17))).toThrow(OutOfFuel);
});

test('a tank that ran dry stays empty for what goes on regardless', () => {
  const left = fuelled(10, () => {
    expect(() => burn(11)).toThrow(OutOfFuel);
    return fuelLeft();
  });
  expect(left).toBe(0);
});

test('an inner tank has at most what is left around it, and what it burns counts there', () => {
  fuelled(10, () => {
    fuelled(4, () => burn(3));
    expect(fuelLeft()).toBe(7);
    expect(() => fuelled(4, () => burn(5))).toThrow(OutOfFuel);
    expect(fuelLeft()).toBe(3);
    fuelled(1000, () => expect(fuelLeft()).toBe(3));
    expect(() => fuelled(1000, () => burn(4))).toThrow(OutOfFuel);
    expect(fuelLeft()).toBe(0);
  });
});

test('what is no amount empties the tank instead of filling it', () => {
  for (const units of [-1, Number.NaN, Infinity]) {
    expect(() => fuelled(10, () => burn(units))).toThrow(OutOfFuel);
    expect(() => burn(units)).toThrow(OutOfFuel);
  }
});

test('outside of a tank nothing is metered, also after one ran dry', () => {
  burn(1e9);
  expect(() => fuelled(1, () => burn(2))).toThrow(OutOfFuel);
  fuelled(Infinity, () => burn(1e9));
  expect(fuelLeft()).toBe(Infinity);
  burn(1e9);
});
