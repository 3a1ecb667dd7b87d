import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { after, beyond, Decimal, tuple } from '#storage/key.ts';

const sign = (n: number) => (n < 0 ? -1 : n > 0 ? 1 : 0);
const bytewise = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

describe('tuple keys order as their values do', () => {
  test('numbers', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        expect(bytewise(tuple(a), tuple(b))).toBe(sign(a === b ? 0 : a < b ? -1 : 1));
      }),
    );
  });

  test('strings order by their UTF-8 bytes, prefixes first', () => {
    const text = fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed());
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(bytewise(tuple(a), tuple(b))).toBe(sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });

  test('decimals order by value and equal values share a key', () => {
    const decimal = fc.tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat(12));
    const text = ([negative, digits, scale]: [boolean, bigint, number]) => {
      const padded = digits.toString().padStart(scale + 1, '0');
      const cut = padded.length - scale;
      return `${negative ? '-' : ''}${padded.slice(0, cut)}${scale > 0 ? `.${padded.slice(cut)}` : ''}`;
    };
    const scaled = ([negative, digits, scale]: [boolean, bigint, number]) =>
      (negative ? -digits : digits) * 10n ** BigInt(12 - scale);
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const expected = scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0;
        expect(bytewise(tuple(new Decimal(text(a))), tuple(new Decimal(text(b))))).toBe(expected);
      }),
    );
  });

  test('tuples order part by part', () => {
    expect(tuple('a', 2) < tuple('a', 10)).toBe(true);
    expect(tuple('a', 'z') < tuple('ab', 'a')).toBe(true);
    expect(tuple(null) < tuple(false)).toBe(true);
  });

  test('after() bounds every key with the prefix and none beyond', () => {
    expect(after('a')).toBe('b');
    expect(after('a\xff')).toBe('b');
    expect(() => after('\xff')).toThrow('no key');
  });

  test('beyond() bounds every key with the same first parts, and no text that goes on with NUL', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\u0000', '\u00ff', '\uffff'), maxLength: 3 });
    const parts = fc.array(fc.oneof({ weight: 3, arbitrary: text }, fc.constantFrom(null, true, -1, 2 ** 60)), {
      maxLength: 3,
    });
    let within = 0;
    fc.assert(
      fc.property(fc.array(parts, { minLength: 20, maxLength: 20 }), parts, (keys, first) => {
        const from = tuple(...first);
        for (const key of keys) {
          const held = tuple(...key) >= from && tuple(...key) < beyond(from);
          expect(held).toBe(first.every((part, i) => key.length > i && key[i] === part));
          within += Number(held && key.length > first.length);
        }
      }),
    );
    expect(within).toBeGreaterThan(20);
  });

  test('a long tuple is cut to a key that LMDB takes, distinct from its neighbours', () => {
    const long = 'x'.repeat(5000);
    expect(tuple(long).length).toBeLessThanOrEqual(1900);
    expect(tuple(`${long}a`)).not.toBe(tuple(`${long}b`));
  });
});
