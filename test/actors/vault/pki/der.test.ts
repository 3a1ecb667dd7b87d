import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import {
  DerFault,
  DerReader,
  readFlag,
  readOid,
  readOnly,
  readTime,
  readUnsigned,
} from '#actors/vault/pki/der-read.ts';
import { TAG, element, generalizedTime, head, oid, sequence, time, unsigned } from '#actors/vault/pki/der-write.ts';
import { damaged } from './authority.ts';

const reading = (hex: string, read: (reader: DerReader) => unknown): unknown => readOnly(Buffer.from(hex, 'hex'), read);

test('an element of any length reads back, and its head alone is the same', () => {
  fc.assert(
    fc.property(fc.nat(70_000), (length) => {
      const content = Buffer.alloc(length, 7);
      const whole = element(TAG.octetString, content);
      expect(whole.subarray(0, whole.length - length).equals(head(TAG.octetString, length))).toBe(true);
      expect(readOnly(whole, (reader) => reader.next(TAG.octetString).content.length)).toBe(length);
    }),
    { numRuns: 60 },
  );
  expect(head(TAG.sequence, 0x1000000).toString('hex')).toBe('308401000000');
});

test('numbers are written in their shortest form and read back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
      const value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
      const digits = readOnly(unsigned(bytes), readUnsigned);
      expect(BigInt(`0x0${digits.toString('hex')}`)).toBe(value);
    }),
  );
  expect(unsigned(Buffer.of(0, 0, 0x80)).toString('hex')).toBe('02020080');
  expect(unsigned(Buffer.of()).toString('hex')).toBe('020100');
});

test('identifiers read back', () => {
  const arc = fc.nat(0xffffffff);
  fc.assert(
    fc.property(fc.nat(2), fc.nat(39), fc.array(arc, { maxLength: 8 }), (first, second, rest) => {
      const dotted = [first, second, ...rest].join('.');
      expect(readOnly(oid(dotted), readOid)).toBe(dotted);
    }),
  );
  expect(oid('1.2.840.10045.4.3.2').toString('hex')).toBe('06082a8648ce3d040302');
});

test('times are whole seconds, UTCTime through 2049', () => {
  const at = Date.UTC(2049, 11, 31, 23, 59, 59, 999);
  expect(time(at).toString('latin1', 2)).toBe('491231235959Z');
  expect(time(at + 1).toString('latin1', 2)).toBe('20500101000000Z');
  for (const ms of [0, at, at + 1, Date.UTC(9999, 11, 31)])
    expect(readOnly(generalizedTime(ms), readTime)).toBe(Math.floor(ms / 1000) * 1000);
  expect(readOnly(time(Date.UTC(1970, 0, 2)), readTime)).toBe(Date.UTC(1970, 0, 2));
});

test.each([
  ['indefinite length', '3080020101', 'indefinite'],
  ['length of length cut off', '3082', 'cut off'],
  ['length not shortest', '30810102', 'shortest'],
  ['leading zero in a length', '3082000102', 'shortest'],
  ['length of five bytes', '30850000000001', 'too long'],
  ['past the end', '3005020101', 'past the end'],
  ['tag of several bytes', '3f8101', 'several bytes'],
  ['nothing', '', 'missing'],
])('refused: %s', (_name, hex, why) => {
  expect(() => reading(hex, (reader) => reader.next())).toThrow(why);
});

test.each([
  ['a negative number', '020180', readUnsigned, 'negative'],
  ['a number with a digit too many', '02020001', readUnsigned, 'too many digits'],
  ['a false written out', '010100', readFlag, 'neither true'],
  ['an identifier cut off', '06022a86', readOid, 'cut off'],
  ['an identifier with leading zeros', '06032a8001', readOid, 'too many digits'],
  ['an identifier beyond 32 bits', '06072a908080808000', readOid, 'too large'],
  ['a 31st of February', `170d${Buffer.from('260231000000Z').toString('hex')}`, readTime, 'not a valid date'],
  ['a fraction', `1811${Buffer.from('20260201000000.5Z').toString('hex')}`, readTime, 'RFC 5280'],
  ['something after the end', '0201010201', readUnsigned, 'after the last'],
])('refused: %s', (_name, hex, read, why) => {
  expect(() => reading(hex, read as (reader: DerReader) => unknown)).toThrow(new RegExp(why));
});

test('a fault names the byte in the outermost bytes', () => {
  const bytes = sequence(sequence(unsigned(Buffer.of(5)), Buffer.of(0x04, 0x81, 0x01, 0)));
  const inner = (): unknown =>
    readOnly(bytes, (reader) => {
      const list = reader.enter().enter();
      readUnsigned(list);
      return list.next();
    });
  expect(inner).toThrow('shortest form at byte 7');
});

test('any bytes end in a value or a fault of ours', () => {
  const walk = (reader: DerReader): void => {
    while (!reader.done) {
      const found = reader.next();
      if ((found.tag & 0x20) !== 0) walk(new DerReader(found.content, found.at));
    }
  };
  const survives = (bytes: Buffer): void => {
    try {
      walk(new DerReader(bytes));
    } catch (error) {
      expect(error).toBeInstanceOf(DerFault);
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => survives(Buffer.from(bytes))));
  for (const bytes of damaged(sequence(sequence(oid('1.2.3'), unsigned(Buffer.alloc(16, 9))), time(0))))
    survives(bytes);
});
