import { expect, test } from 'vitest';
import { duration, number, quantity, span } from '#bench/kit/format.ts';

test.each([
  [27_812.4, '27,812'],
  [999.6, '1000'],
  [0.17321, '0.173'],
  [12.3456, '12.3'],
  [0, '0'],
  [Number.NaN, '–'],
  [Infinity, '–'],
])('number %d is %s', (value, text) => {
  expect(number(value)).toBe(text);
});

test.each([
  [0.000_05, '50 ns'],
  [0.0123, '12.3 µs'],
  [1.6, '1.6 ms'],
  [1450, '1.45 s'],
])('%d ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('a quantity names its unit, times theirs', () => {
  expect(quantity(135_000, 'req/s')).toBe('135,000 req/s');
  expect(quantity(383.2, 'MB')).toBe('383 MB');
  expect(quantity(0.5, 'ms')).toBe('500 µs');
});

test.each([
  [3.2, '4 s'],
  [60, '1 min'],
  [214, '3 min 34 s'],
  [3600, '1 h'],
  [3900, '1 h 5 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(span(seconds)).toBe(text);
});

test('what is below nothing keeps its unit', () => {
  expect(duration(-2.5)).toBe('-2.5 ms');
  expect(duration(0)).toBe('0 ns');
});
