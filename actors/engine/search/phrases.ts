/** Phrases: words that must follow one another in one field of a row. The index does not know places, so the text of the row is looked at. */
import { burn } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import type { Slots } from '../rows/codec.ts';
import { textsIn, type TextIndex } from './text-index.ts';
import { wordsWithin } from './words.ts';

/** Whether a row has every phrase. Stop words do not count: the words around one follow one another. */
export function hasPhrases(index: TextIndex, phrases: readonly (readonly string[])[], slots: Slots): boolean {
  if (phrases.length === 0) return true;
  const texts = textsIn(index, slots);
  burn(
    Math.min(
      texts.reduce((chars, text) => chars + text.length, 0),
      limits.search.rowCharsMax,
    ),
  );
  const fields: string[][] = texts.map(() => []);
  for (const { term, at } of wordsWithin(index.analyser, texts)) fields[at]!.push(term);
  return phrases.every((phrase) => fields.some((terms) => follows(terms, phrase)));
}

function follows(terms: readonly string[], phrase: readonly string[]): boolean {
  const last = terms.length - phrase.length;
  for (let from = 0; from <= last; from++) if (phrase.every((term, i) => terms[from + i] === term)) return true;
  return false;
}
