import { expect, it } from 'vitest';
import { Corruption } from '#storage/fault.ts';
import { decodeRecord, encodeRecord, recordVersion, unseal } from '#storage/record.ts';

it('gives back what was encoded, with its version', () => {
  const value = { a: 1, b: ['x', null, true], c: { d: 1.5 } };
  const sealed = encodeRecord(3, value);
  expect([recordVersion(sealed), decodeRecord(sealed, 'test')]).toEqual([3, value]);
});

it('gives byte fields of their own: the buffer of a read is used again', () => {
  const sealed = encodeRecord(1, { bytes: Buffer.from('abc') });
  const decoded = decodeRecord(sealed, 'test') as { bytes: Uint8Array };
  sealed.fill(0);
  expect(Buffer.from(decoded.bytes).toString()).toBe('abc');
});

it('refuses a value with any byte of payload or CRC changed, and one that is too short', () => {
  const sealed = encodeRecord(1, { name: 'Skep' });
  for (let at = 1; at < sealed.length; at++) {
    const spoilt = Buffer.from(sealed);
    spoilt[at]! ^= 1;
    expect(() => unseal(spoilt, 'here')).toThrow(Corruption);
  }
  expect(() => unseal(sealed.subarray(0, 4), 'here')).toThrow('here: CRC does not fit');
});
