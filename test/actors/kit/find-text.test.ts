/** Search in linear time: what it finds is what the engine finds, and what it looks at it burns. */
import { describe, expect, test } from 'vitest';
import { includesText, indexOfText, lastIndexOfText, placesOf, splitText } from '#actors/kit/find-text.ts';
import { fuelled, fuelLeft, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { fc } from '#test/kit/property.ts';

const few = (max: number) => fc.array(fc.constantFrom('a', 'b'), { maxLength: max }).map((chars) => chars.join(''));
/** Short ones are left to the engine: long ones of few letters are what ours must get right. */
const long = fc.tuple(few(4), fc.integer({ min: 1, max: 400 })).map(([piece, times]) => piece.repeat(times));
const needles = fc.oneof(
  few(30),
  long,
  fc.tuple(long, few(3)).map(([a, b]) => a + b),
);
const textsWith = fc
  .tuple(needles, fc.array(fc.oneof(few(10), long), { maxLength: 6 }))
  .map(([needle, parts]) => ({ needle, text: parts.join(needle) }));

function placesIn(text: string, needle: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) places.push(at);
  return places;
}

describe('what is found', () => {
  test('is what the engine finds', () => {
    fc.assert(
      fc.property(textsWith, fc.nat(2000), ({ text, needle }, from) => {
        const at = Math.min(from, text.length);
        expect(indexOfText(text, needle, at)).toBe(text.indexOf(needle, at));
        expect(lastIndexOfText(text, needle, from)).toBe(text.lastIndexOf(needle, from));
        expect(lastIndexOfText(text, needle)).toBe(text.lastIndexOf(needle));
        expect(includesText(text, needle)).toBe(text.includes(needle));
        expect(splitText(text, needle)).toEqual(text.split(needle));
        if (needle !== '') expect([...placesOf(text, needle)]).toEqual(placesIn(text, needle));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is burned', () => {
  const text = 'a'.repeat(20_000);
  test.each([10, 300, 9000])('grows with text and needle, not with their product (%i)', (size) => {
    const needle = `${'a'.repeat(size / 2)}b${'a'.repeat(size / 2)}`;
    const places = (of: string, part: string): number[] => [...placesOf(of, part)];
    for (const run of [indexOfText, lastIndexOfText, splitText, places]) {
      const burned = fuelled(1e9, () => (run(text, needle), 1e9 - fuelLeft()));
      expect(burned).toBeGreaterThan(text.length / 32);
      expect(burned).toBeLessThan(4 * (text.length + needle.length));
      expect(() => fuelled(burned / 2, () => run(text, needle))).toThrow(OutOfFuel);
    }
  });
});
