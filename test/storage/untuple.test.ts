import { fc } from '#test/kit/property.ts';
import { expect, it } from 'vitest';
import { Decimal, tuple, type KeyPart } from '#storage/key.ts';
import { untuple } from '#storage/untuple.ts';

const part: fc.Arbitrary<KeyPart> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double({ noNaN: true }).map((n) => (n === 0 ? 0 : n)),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

it('gives back the parts of a tuple', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      expect(untuple(tuple(...parts))).toEqual(parts);
    }),
  );
});

it.each(['0', '-1', '12.5', '-0.00125', '1200', '98765432109876543210.5'])('gives back the decimal %s', (text) => {
  expect(untuple(tuple(new Decimal(text), 'x'))).toEqual([new Decimal(text), 'x']);
});

it.each(['\x01', '0no end', '\x20short', '\x28', '\x28\x04', '\x28\x02', '\x28\x03\x80\x01'])('refuses %j', (bytes) => {
  expect(untuple(bytes)).toBeNull();
});
