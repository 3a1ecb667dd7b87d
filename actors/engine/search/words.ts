/** From a text to the words by which it is found: segmented by ICU, in one spelling, without stop words, cut to their stems. */
import { limits } from '#config/limits.ts';
import { stemOf, type Stem } from './stems.ts';

/** The rules are those of Unicode (UAX #29), with ICU's dictionaries for scripts without spaces: they are the same in every locale. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** A word where it stands in a text: UTF-16 units. */
export interface Word {
  readonly term: string;
  readonly from: number;
  readonly to: number;
  /** A stop word, which is neither indexed nor searched. */
  readonly isStop: boolean;
}

/** How words are made comparable. */
export interface Analyser {
  /** The words of a text in their order. */
  words(text: string): Generator<Word, void>;
  /** A word in the spelling of the index, not cut to its stem: what a longer word may begin with. */
  spelling(word: string): string;
}

export function analyserOf(language: string, stopWords: readonly string[]): Analyser {
  const stem = stemOf(language);
  const stops = new Set(stopWords.map(folded));
  return { words: (text) => wordsOf(text, stem, stops), spelling: folded };
}

function* wordsOf(text: string, stem: Stem, stops: ReadonlySet<string>): Generator<Word, void> {
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike !== true) continue;
    const word = folded(segment);
    const isStop = stops.has(word);
    const term = isStop ? word : stem(word);
    // A stemmer may leave nothing of a short word.
    yield { term: term === '' ? word : term, from: index, to: index + segment.length, isStop };
  }
}

const PLAIN = /^[a-z0-9]+$/;

/** One spelling for all that differ in case, width or composition (NFKC, case folding); cut where it is too long to be a word. */
function folded(segment: string): string {
  const cut = segment.length > limits.search.wordCharsMax ? segment.slice(0, limits.search.wordCharsMax) : segment;
  if (PLAIN.test(cut)) return cut;
  const lower = cut.toWellFormed().normalize('NFKC').toLowerCase();
  // What lower case leaves apart and case folding does not. Compositions may have come apart: ICU's own folding composes again, too.
  return lower.replaceAll('ß', 'ss').replaceAll('ς', 'σ').normalize('NFKC');
}

/** How often each word occurs, and how many words there are. */
export interface Counted {
  readonly words: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** The words of a row's texts, up to the bounds of a row; what is beyond them is not found. */
export function countWords(analyser: Analyser, texts: readonly string[]): Counted {
  const terms = new Map<string, number>();
  let words = 0;
  for (const { term } of wordsWithin(analyser, texts)) {
    terms.set(term, (terms.get(term) ?? 0) + 1);
    words++;
  }
  return { words, terms };
}

/** The indexed words of a row's texts; `at` says in which text. */
export function* wordsWithin(
  analyser: Analyser,
  texts: readonly string[],
): Generator<Word & { readonly at: number }, void> {
  let chars: number = limits.search.rowCharsMax;
  let words: number = limits.search.rowWordsMax;
  for (const [at, text] of texts.entries()) {
    const part = text.length > chars ? text.slice(0, chars) : text;
    chars -= part.length;
    for (const word of analyser.words(part)) {
      if (word.isStop) continue;
      if (words-- <= 0) return;
      yield { ...word, at };
    }
  }
}
