/** The stem of a word: Snowball's algorithms (snowballstem.org), one for each language. */
import { createRequire } from 'node:module';
import { limits } from '#config/limits.ts';

export type Stem = (word: string) => string;

interface Snowball {
  newStemmer(algorithm: string): { stem(word: string): string };
}

const asItIs: Stem = (word) => word;
const known = new Map<string, Stem>();

/**
 * The stemmer of a language of config/definitions/search.ts; `none` leaves words as they are. The first one that a thread asks for reads the
 * library, some 50 ms: entities without a text index never do.
 */
export function stemOf(language: string): Stem {
  if (language === 'none') return asItIs;
  let stem = known.get(language);
  if (stem === undefined) known.set(language, (stem = remembered(stemmerOf(language))));
  return stem;
}

function stemmerOf(language: string): Stem {
  const require = createRequire(import.meta.url);
  const snowball = require('snowball-stemmers') as Snowball;
  const stemmer = snowball.newStemmer(language);
  return (word) => stemmer.stem(word);
}

/**
 * The same, from memory for short words: a stem takes some 10 µs to make. A longer word would hold the whole text that it was cut from
 * (V8 shares the characters of cuts from 13 on), and such words are rare.
 */
function remembered(make: Stem): Stem {
  const stems = new Map<string, string>();
  return (word) => {
    if (word.length > limits.search.keptStemCharsMax) return make(word);
    const present = stems.get(word);
    if (present !== undefined) return present;
    if (stems.size >= limits.search.stemsMax) stems.clear();
    const stem = make(word);
    stems.set(word, stem);
    return stem;
  };
}
