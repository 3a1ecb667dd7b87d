/** Patterns: a largest size, and fuel by text and size. */
import { describe, expect, test } from 'vitest';
import { RE2JS } from 're2js';
import { fuelled, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { compilePattern, stepsOf } from '#actors/kit/pattern.ts';
import { limits } from '#config/limits.ts';

describe('the steps of a pattern', () => {
  test.each([
    'abc',
    'a{3}',
    'a{0,100}',
    '(a{0,30}){0,30}',
    '((ab|c){2,5}x){3}',
    '[a-z]{5}[]x]{4}[^]]{4}',
    '(?:\\d{1,3}\\.){3}\\d{1,3}',
    '\\{3}a{2,}',
    '((a{0,10}){0,10}){0,10}',
    'a{0,1000}b{1000}',
  ])('%s: no less than half of what it is compiled to, and not ten times as many', (pattern) => {
    const compiled = RE2JS.compile(pattern).programSize();
    expect(stepsOf(pattern)).toBeGreaterThanOrEqual((compiled - 3) / 2);
    expect(stepsOf(pattern)).toBeLessThanOrEqual(10 * compiled);
  });

  test('have a bound, which is named', () => {
    expect(() => compilePattern('a{0,1000}'.repeat(20))).toThrow(`at most ${limits.patterns.stepsMax}`);
    expect(() => compilePattern('a('.repeat(20_000))).toThrow(/too large/);
  });
});

test('compiling and matching burn', () => {
  expect(() => fuelled(1000, () => compilePattern('a{500}'))).toThrow(OutOfFuel);
  const matches = compilePattern('(a|aa)+[bc]');
  expect(fuelled(100, () => matches('aab'))).toBe(true);
  expect(() => fuelled(100, () => matches('a'.repeat(1000)))).toThrow(OutOfFuel);
});
