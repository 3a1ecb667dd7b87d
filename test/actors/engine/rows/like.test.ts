/** LIKE without an expression: it means what RE2 would make of it, and burns by what it looks at. */
import { describe, expect, test } from 'vitest';
import { RE2JS } from 're2js';
import { likeOf } from '#actors/engine/rows/like.ts';
import { fuelled, fuelLeft } from '#actors/kit/pace/fuel.ts';
import { fc } from '#test/kit/property.ts';

/** The pattern as an expression, `\` taking the meaning from what follows it. */
function oracle(pattern: string, fold: boolean): (text: string) => boolean {
  const body = pattern.replace(/\\(.)|\\$|([%_])|([^\\%_]+)/gsu, (whole, escaped?: string, wild?: string) => {
    if (wild !== undefined) return wild === '%' ? '.*' : '.';
    return (escaped ?? whole).replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  });
  const compiled = RE2JS.compile(`(?s${fold ? 'i' : ''})^${body}$`);
  return (text) => compiled.matcher(text).find();
}

const char = fc.constantFrom(
  'a',
  'b',
  'A',
  'ß',
  'ẞ',
  's',
  'ſ',
  'K',
  'k',
  'K',
  'İ',
  'ı',
  'i',
  'I',
  'é',
  'É',
  '😀',
  '.',
  '\\',
  '\n',
);
const textOf = (most: number) => fc.array(char, { maxLength: most }).map((chars) => chars.join(''));
const pattern = fc
  .array(
    fc.oneof(
      fc.constantFrom('%', '_', '\\%', '\\_', '\\\\'),
      char.filter((one) => one !== '\\'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

/** A text that is like the pattern, as long as it ends in no backslash. */
const fitting = (like: string, chars: string): string =>
  like.replace(/\\(.)|%|_/gsu, (whole, escaped?: string) => escaped ?? (whole === '%' ? chars : 'b'));

describe('like', () => {
  test('means what RE2 makes of it, with case and without', () => {
    let liked = 0;
    fc.assert(
      fc.property(pattern, textOf(12), fc.boolean(), fc.boolean(), (like, chars, fold, fits) => {
        const text = fits ? fitting(like, chars) : chars;
        const expected = oracle(like, fold)(text);
        if (expected) liked++;
        expect(likeOf(like, fold)(text)).toBe(expected);
      }),
      { numRuns: 4000 },
    );
    expect(liked).toBeGreaterThan(1000);
  });

  test('many parts, none of which is there, burn by the text', () => {
    const text = 'x'.repeat(10_000);
    const burned = (like: string): number => fuelled(1e9, () => (likeOf(like, false)(text), 1e9 - fuelLeft()));
    expect(burned('%x%'.repeat(2000))).toBeLessThan(2 * text.length);
    expect(burned(`%${'x%'.repeat(2000)}y`)).toBeLessThan(2 * text.length);
    // The one form that is not linear burns what it does.
    expect(burned(`%_${'x'.repeat(1000)}y%`)).toBeGreaterThan((1000 * text.length) / 8);
  });
});
