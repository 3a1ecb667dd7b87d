/** Which coding `Accept-Encoding` gets: RFC 9110 §12.5.3. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { codingOf } from '#runtime/door/compress/coding.ts';

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['zstd', 'zstd'],
  ['X-GZIP', 'gzip'],
  ['*', 'br'],
  ['*;q=0.1, br;q=0', 'gzip'],
  ['br;q=0.5, gzip;q=0.9', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['gzip ; q=0.001', 'gzip'],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['deflate, gzip;q=1.000', 'gzip'],
  [' , gzip,, ', 'gzip'],
])('%s: %s', (accepted, coding) => {
  expect(codingOf(accepted)).toBe(coding);
});

test.each([
  '',
  'identity',
  'deflate, compress',
  'gzip;q=0',
  'gzip;q=0, *;q=0',
  'identity, gzip;q=0.9',
  'gzip;q=2',
  'gzip;q=1.0001',
  'gzip;q=',
  'gzip;level=9',
  `gzip,${' '.repeat(limits.door.acceptedCodingsCharsMax)}`,
])('%j: none of ours', (accepted) => {
  expect(codingOf(accepted)).toBeNull();
});
