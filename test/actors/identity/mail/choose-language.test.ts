/** The language of a mail, by `Accept-Language` (RFC 9110 §12.5.4, RFC 4647 §3.4). */
import { expect, test } from 'vitest';
import { chooseLanguage, languagesOf } from '#actors/identity/mail/choose-language.ts';
import { limits } from '#config/limits.ts';

const KNOWN = ['en', 'de', 'pt-BR', 'zh-Hant', 'de-CH'];

test.each([
  ['', 'en'],
  ['de', 'de'],
  ['DE-ch', 'de-CH'],
  ['de-AT-1996', 'de'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'en'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['fr, de;q=0.5, pt-BR;q=0.8', 'pt-BR'],
  ['fr;q=0.9,*;q=0.8,de;q=0.1', 'en'],
  ['de;q=0, pt', 'pt-BR'],
  ['de;q=2', 'en'],
  ['d e, x_y, ;;;, =', 'en'],
  ['__proto__, constructor', 'en'],
])('%j', (accept, language) => {
  expect(chooseLanguage(KNOWN, accept, 'en')).toBe(language);
});

test('only a bounded part of the header is looked at', () => {
  const ranges = Array.from({ length: limits.mail.acceptRangesMax }, () => 'xx');
  expect(chooseLanguage(KNOWN, [...ranges.slice(1), 'de'].join(','), 'en')).toBe('de');
  expect(chooseLanguage(KNOWN, [...ranges, 'de'].join(','), 'en')).toBe('en');
  expect(chooseLanguage(KNOWN, `${' '.repeat(limits.mail.acceptCharsMax)}de`, 'en')).toBe('en');
});

test('the built-in language counts only where the product has no words of its own', () => {
  const bare = { name: 'atlas', entities: {}, settings: {} };
  expect(languagesOf(bare, 'reset')).toEqual(['en']);
  const own = { kind: 'reset', language: 'de', subject: 's', text: '{{link}}', button: null, html: null } as const;
  expect(languagesOf({ ...bare, mails: [own] }, 'reset')).toEqual(['de']);
  expect(languagesOf({ ...bare, mails: [own] }, 'magic_link')).toEqual(['en']);
});
