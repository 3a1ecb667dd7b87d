import { describe, expect, test } from 'vitest';
import { SEARCH_LANGUAGES } from '#config/definitions/search.ts';
import { limits } from '#config/limits.ts';
import { stemOf } from '#actors/engine/search/stems.ts';
import { analyserOf, countWords } from '#actors/engine/search/words.ts';

const termsIn = (text: string, language = 'none', stops: readonly string[] = []): string[] =>
  [...analyserOf(language, stops).words(text)].flatMap(({ term, isStop }) => (isStop ? [] : term));

describe('words', () => {
  test('are what Unicode takes for words, in one spelling', () => {
    expect(termsIn('The QUICK (brown) fox can’t jump 32.3 feet!')).toEqual([
      'the',
      'quick',
      'brown',
      'fox',
      'can’t',
      'jump',
      '32.3',
      'feet',
    ]);
    expect(termsIn('STRASSE Straße ΟΔΌΣ οδός')).toEqual(['strasse', 'strasse', 'οδόσ', 'οδόσ']);
    expect(termsIn('ﬁne ｗｉｄｅ e\u0301te\u0301 été')).toEqual(['fine', 'wide', 'été', 'été']);
  });

  test('of a script without spaces are those of its dictionary', () => {
    expect(termsIn('東京都に住む')).toEqual(expect.arrayContaining(['住む']));
    expect(termsIn('ผมรักภาษาไทย').length).toBeGreaterThan(2);
  });

  test('stand where they were found in the text', () => {
    const text = 'Ein Üben, zwei…';
    const words = [...analyserOf('none', []).words(text)];
    expect(words.map(({ from, to }) => text.slice(from, to))).toEqual(['Ein', 'Üben', 'zwei']);
  });

  test('that stop are told apart before they lose their ending', () => {
    expect(termsIn('the THE running', 'english', ['The'])).toEqual(['run']);
  });

  test('of half a character do not come apart in a key', () => {
    expect(termsIn('x\ud800y').join('').isWellFormed()).toBe(true);
  });

  test('are cut to their stems by Snowball, for every language that can be declared', () => {
    // Samples of snowballstem.org.
    const samples = {
      english: ['generously', 'generous'],
      german: ['aufeinanderfolgenden', 'aufeinanderfolg'],
    } as const;
    for (const [language, [word, stem]] of Object.entries(samples)) expect(stemOf(language)(word)).toBe(stem);
    expect(stemOf('french')('continuellement')).toBe('continuel');
    for (const language of SEARCH_LANGUAGES) expect(stemOf(language)('word'), language).toMatch(/^w/);
  });

  test('are the same the second time, when their stems are remembered', () => {
    const stem = stemOf('english');
    for (const word of ['running', 'x'.repeat(limits.search.keptStemCharsMax + 1)]) expect(stem(word)).toBe(stem(word));
  });

  test('beyond the bounds of a row or of a word do not count', () => {
    const analyser = analyserOf('none', []);
    const { rowWordsMax, rowCharsMax, wordCharsMax } = limits.search;
    expect(countWords(analyser, ['a '.repeat(rowWordsMax), 'b']).words).toBe(rowWordsMax);
    expect(countWords(analyser, ['-'.repeat(rowCharsMax), 'b']).words).toBe(0);
    expect(termsIn('x'.repeat(wordCharsMax + 5))).toEqual(['x'.repeat(wordCharsMax)]);
  });
});
