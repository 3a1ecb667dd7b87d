/** What a caller searches, as words of the index (docs/contract/data.md §5.12). */
import { limits } from '#config/limits.ts';
import { failure, type Failure } from '../rows/failure.ts';
import type { SearchWord, TextQuery } from '../rows/query.ts';
import type { TextIndex } from './text-index.ts';
import type { Analyser } from './words.ts';

const PHRASE = /"([^"]*)"/g;

/**
 * The words of a text, all of which a row must have: a word before `*` stands for all that begin so, words in double quotes must follow one
 * another. 422 for too long a text, and for too many words.
 */
export function parseWords(index: TextIndex, text: string, highlight: boolean): TextQuery | Failure {
  const { queryCharsMax, queryWordsMax } = limits.search;
  if (text.length > queryCharsMax)
    return failure(422, `query may have at most ${queryCharsMax} characters`, { most: queryCharsMax });
  const phrases = [...text.matchAll(PHRASE)].map(([, phrase]) => termsIn(index.analyser, phrase!));
  const loose = looseWords(index.analyser, text.replaceAll(PHRASE, ' '));
  const words = [...loose, ...phrases.flat().map((term) => ({ term, isPrefix: false }))];
  const distinct = [...new Map(words.map((word) => [`${word.isPrefix} ${word.term}`, word])).values()];
  if (distinct.length > queryWordsMax)
    return failure(422, `query may have at most ${queryWordsMax} words`, {
      words: distinct.length,
      most: queryWordsMax,
    });
  const followed = phrases.filter((terms) => terms.length > 1);
  return { kind: 'text', text, fields: index.names, words: distinct, phrases: followed, highlight };
}

function termsIn(analyser: Analyser, text: string): string[] {
  return [...analyser.words(text)].flatMap(({ term, isStop }) => (isStop ? [] : term));
}

function looseWords(analyser: Analyser, text: string): SearchWord[] {
  return [...analyser.words(text)].flatMap(({ term, from, to, isStop }) => {
    if (text[to] === '*') return { term: analyser.spelling(text.slice(from, to)), isPrefix: true };
    return isStop ? [] : { term, isPrefix: false };
  });
}
