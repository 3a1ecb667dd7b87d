import { expect, test } from 'vitest';
import { CONTROL_PLANE, isSegment, parsePosition, positionOf } from '#actors/protocol/position.ts';

test.each(['a', '0', 'a-b_c', `a${'b'.repeat(62)}`])('%s is a segment', (text) => expect(isSegment(text)).toBe(true));

test.each(['', 'A', '-a', '_a', 'a:b', 'a b', 'ä', 'a\n', `a${'b'.repeat(63)}`, '../x'])('%j is none', (text) => {
  expect(isSegment(text)).toBe(false);
  expect(parsePosition(`a:b:c:${text}`)).toBeNull();
});

test('four segments in their order, and no more', () => {
  const position = parsePosition('acme:atlas:dev:main')!;
  expect(position).toEqual({
    customer: 'acme',
    product: 'atlas',
    env: 'dev',
    tenant: 'main',
    key: 'acme:atlas:dev:main',
  });
  expect(positionOf('acme', 'atlas', 'dev', 'main')).toEqual(position);
  for (const key of ['', 'a', 'a:b:c', 'a:b:c:d:e', 'a:b:c:', ':b:c:d']) expect(parsePosition(key), key).toBeNull();
  expect(parsePosition(CONTROL_PLANE)?.key).toBe(CONTROL_PLANE);
});
