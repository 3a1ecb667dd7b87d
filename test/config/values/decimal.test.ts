/** Exact numbers as texts: their order is that of their values, and zeros at their ends are nothing to look for again and again. */
import { expect, test } from 'vitest';
import { compareDecimals, decimalText, shortestDecimal } from '#config/values/decimal.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { fc } from '#test/kit/property.ts';

const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '9'), maxLength: 6 });
const decimals = fc
  .tuple(fc.constantFrom('', '-'), digits, digits)
  .map(([sign, whole, part]) => decimalText(`${sign}${whole}0${part === '' ? '' : `.${part}`}`, 100)!);

const scaled = (text: string): bigint => {
  const [whole, part = ''] = text.split('.') as [string, string | undefined];
  return BigInt(whole + part.padEnd(10, '0'));
};

test('decimals are ordered by their values, whatever their scale', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      const difference = scaled(a) - scaled(b);
      expect(Math.sign(compareDecimals(a, b))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
    }),
    { numRuns: 2000 },
  );
});

test('the shortest text of a decimal is the same for equal ones', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      expect(scaled(shortestDecimal(a))).toBe(scaled(a));
      expect(shortestDecimal(a) === shortestDecimal(b)).toBe(scaled(a) === scaled(b));
    }),
    { numRuns: 2000 },
  );
});

test('numbers with long runs of zeros are read', () => {
  const number = `1${'0'.repeat(990)}1`;
  const parsed = parseExactJson(`[${Array(4000).fill(number).join(',')}]`);
  expect(parsed).toMatchObject({ ok: true });
});
