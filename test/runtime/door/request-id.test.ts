import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { RequestIds } from '#runtime/door/request-id.ts';

const max = limits.door.requestIdCharsMax;

test.each([
  'a',
  'abc-123',
  '01J8ZQ3K9V7M5N2P4R6T8W0XYZ',
  'Root=1-67891233-abcdef012345678912345678',
  'aGk+/w==',
  'x'.repeat(max),
])('keeps a well-formed one: %s', (id) => {
  expect(new RequestIds('p').of(id)).toBe(id);
});

test.each([
  '',
  ' ',
  'a b',
  'a\tb',
  'a\n',
  'ä',
  '\u007f',
  '!~',
  '${jndi:ldap://x}',
  '<b>',
  "a'b",
  '"',
  '-rf',
  'x'.repeat(max + 1),
])('replaces %j', (id) => {
  expect(new RequestIds('p').of(id)).toBe('p-0');
});

test('its own are unique, within a start and across starts', () => {
  const ids = new RequestIds();
  const seen = new Set(Array.from({ length: 1000 }, () => ids.of('')));
  expect(seen.size).toBe(1000);
  expect(new RequestIds().of('').split('-')[0]).not.toBe(ids.of('').split('-')[0]);
});
