import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { highlighterOf } from '#actors/engine/search/highlight.ts';
import { parseWords } from '#actors/engine/search/parse-words.ts';
import type { TextIndex } from '#actors/engine/search/text-index.ts';
import { analyserOf } from '#actors/engine/search/words.ts';

const index: TextIndex = {
  no: 100,
  names: ['title', 'body'],
  places: [0, 1],
  analyser: analyserOf('english', ['the']),
  building: false,
};

function highlight(words: string, title: string | null, body: string | null = null) {
  const parsed = parseWords(index, words, true);
  if (isFailure(parsed)) throw new Error(parsed.message);
  return highlighterOf(index, parsed, () => true)([title, body]);
}

test('every second text was found, and together they are the field', () => {
  expect(highlight('fox runs', 'The fox <b>running</b> & more', 'nothing')).toEqual({
    title: ['The ', 'fox', ' <b>', 'running', '</b> & more'],
  });
  expect(highlight('qui*', 'Quick!', 'be quiet')).toEqual({ title: ['', 'Quick', '!'], body: ['be ', 'quiet'] });
});

test('stop words and empty fields are not found', () => {
  expect(highlight('the cat', 'the dog', null)).toEqual({});
});

test('a long field is cut to a piece around the first word that was found', () => {
  const filler = 'lorem ipsum '.repeat(100);
  const { title } = highlight('needle', `${filler}a needle ${filler}`);
  expect(title![1]).toBe('needle');
  expect(title![0]).toMatch(/^….*a $/);
  expect(title!.at(-1)).toMatch(/…$/);
  expect(title!.join('').length).toBeLessThanOrEqual(limits.search.highlightChars + 2);
  expect(title![0]!.length).toBeLessThanOrEqual(limits.search.highlightBefore + 1);
});

test('a piece without a word behind is not as long as the field', () => {
  const { title } = highlight('needle', `needle${'-'.repeat(5000)}`);
  expect(title).toEqual(['', 'needle', '…']);
});
