/** The most common passwords, and no others. */
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PACKED_PASSWORDS } from '#actors/kit/common-password-list.ts';
import { isCommonPassword } from '#actors/kit/common-passwords.ts';
import { commonPasswords } from '#test/kit/pack-passwords.ts';

test.each([
  'password',
  'Password1',
  'P@SSW0RD',
  ' password ',
  'qwertyuiop',
  'iloveyou',
  'letmein123',
  '1q2w3e4r',
  '12345678',
  '1234567890',
  '87654321',
  '567890123456',
  'abcdefgh',
  'ZYXWVUTSRQ',
  'aaaaaaaaaaaa',
  '        ',
  '!!!!!!!!!',
])('%j is one', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

test.each([
  'correct horse',
  'a long password',
  'password of mine',
  '12345679 ducks',
  'abcdefgi',
  'aaaaaaab',
  'naïve-Ärger',
])('%j is none', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});

test('every password of the list that others keep is one, in any case; the packed list is made of it', () => {
  const words = commonPasswords();
  expect(words.length).toBeGreaterThan(10_000);
  const some = words.filter((_word, at) => at % 10 === 0);
  expect(some.filter((word) => !isCommonPassword(word) || !isCommonPassword(word.toUpperCase()))).toEqual([]);
  const packed = brotliDecompressSync(Buffer.from(PACKED_PASSWORDS, 'base64')).toString().split('\n');
  expect(packed.length).toBe(words.length);
  expect(packed.filter((word, at) => word !== words[at])).toEqual([]);
});

test('a part of one, two of them, and a line end between them are none', () => {
  const [first, second] = commonPasswords().slice(5000, 5002) as [string, string];
  for (const password of [`${first}\n${second}`, `${first} ${second}`, `x${first}x`])
    expect(isCommonPassword(password)).toBe(false);
});
