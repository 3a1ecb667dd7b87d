import { expect, it } from 'vitest';
import { Corruption, NewerRecord } from '#storage/fault.ts';
import { decodeRecord, encodeRecord, recordVersion, unseal } from '#storage/record.ts';

it('gives back what was encoded, with its version', () => {
  const value = { a: 1, b: ['x', null, true], c: { d: 1.5 } };
  const sealed = encodeRecord(3, value);
  expect([recordVersion(sealed), decodeRecord(sealed, 'test', 3)]).toEqual([3, value]);
});

it('refuses a record of a newer version and names both; one that is damaged is damaged', () => {
  const sealed = encodeRecord(3, { a: 1 });
  expect(() => decodeRecord(sealed, 'user', 2)).toThrow(
    'user: the record has version 3, this skep knows versions up to 2',
  );
  expect(() => decodeRecord(sealed, 'user', 2)).toThrow(NewerRecord);
  expect(decodeRecord(encodeRecord(1, { a: 1 }), 'user', 2)).toEqual({ a: 1 });
  sealed[sealed.length - 1]! ^= 1;
  expect(() => decodeRecord(sealed, 'user', 2)).toThrow('CRC does not fit');
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
