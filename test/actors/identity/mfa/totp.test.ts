import { describe, expect, test } from 'vitest';
import { acceptedStep, otpauthUri, secretText } from '#actors/identity/mfa/totp.ts';

const SECRET = Buffer.from('12345678901234567890');

/** RFC 6238 Appendix B, SHA-1: seconds, T, and the last six of the eight digits. */
const VECTORS = [
  [59, 0x1, '287082'],
  [1111111109, 0x23523ec, '081804'],
  [1111111111, 0x23523ed, '050471'],
  [1234567890, 0x273ef07, '005924'],
  [2000000000, 0x3f940aa, '279037'],
  [20000000000, 0x27bc86aa, '353130'],
] as const;

describe('RFC 6238', () => {
  test.each(VECTORS)('at %i s', (seconds, step, code) => {
    expect(acceptedStep(SECRET, code, seconds * 1000, 0)).toBe(step);
  });

  test.each(VECTORS)('a code counts one step before and after its own, at %i s no further', (seconds, step, code) => {
    const start = step * 30_000;
    for (const [nowMs, expected] of [
      [start - 30_001, null],
      [start - 30_000, step],
      [start, step],
      [start + 59_999, step],
      [start + 60_000, null],
    ] as const)
      expect([nowMs - start, acceptedStep(SECRET, code, nowMs, 0)]).toEqual([nowMs - start, expected]);
    expect(Math.floor(seconds / 30)).toBe(step);
  });

  test('a code does not count after its step, or a later one, was accepted', () => {
    expect(acceptedStep(SECRET, '287082', 59_000, 0)).toBe(1);
    expect(acceptedStep(SECRET, '287082', 59_000, 1)).toBeNull();
    expect(acceptedStep(SECRET, '287082', 59_000, 2)).toBeNull();
  });

  test.each(['287083', '28708', '2870822', '94287082', '', ' 287082', '２８７０８２', '28708a', '-87082'])(
    '%j is no code',
    (code) => expect(acceptedStep(SECRET, code, 59_000, 0)).toBeNull(),
  );
});

test('secret and URI are what authenticator apps read', () => {
  expect(secretText(SECRET)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  const uri = new URL(otpauthUri(SECRET, 'ada@example.org', 'atlas'));
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/atlas:ada@example.org',
  ]);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'atlas',
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
