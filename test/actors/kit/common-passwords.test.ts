/** The most common passwords, and no others. */
import { expect, test } from 'vitest';
import { isCommonPassword } from '#actors/kit/common-passwords.ts';

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
