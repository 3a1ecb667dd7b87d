/** Globs of policies, against every way in which wildcards may be filled. */
import { describe, expect, test } from 'vitest';
import { Glob } from '#actors/vault/caller/glob.ts';
import { fc } from '#test/kit/property.ts';
import { fitsByHand } from './fits-by-hand.ts';

describe('a glob', () => {
  test.each([
    ['secret/a/**', 'secret/a/b/c', true],
    ['secret/a/**', 'secret/a', false],
    ['secret/*', 'secret/a/b', false],
    ['**/*x', 'a/b/cx', true],
    ['a.c', 'abc', false],
    ['', '', true],
    ['*', '', true],
    ['***', 'a/b', true],
  ])('%s over %s: %s', (glob, text, expected) => {
    expect(new Glob(glob).fits(text)).toBe(expected);
    expect(fitsByHand(glob, text)).toBe(expected);
  });

  test('matches what its words say', () => {
    const chars = fc.constantFrom('a', 'b', '/', '*', '**');
    const globs = fc.array(chars, { maxLength: 9 }).map((all) => all.join(''));
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    const counts = { yes: 0, no: 0 };
    fc.assert(
      fc.property(globs, texts, (glob, text) => {
        const fits = fitsByHand(glob, text);
        counts[fits ? 'yes' : 'no']++;
        expect([glob, text, new Glob(glob).fits(text)]).toEqual([glob, text, fits]);
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(300);
  });

  test('with many wildcards ends: a regular expression takes centuries for this one', () => {
    expect(new Glob('**a'.repeat(100)).fits(`${'a'.repeat(500)}b`)).toBe(false);
    expect(new Glob('*a'.repeat(100)).fits(`${'a'.repeat(500)}b`)).toBe(false);
  });
});
