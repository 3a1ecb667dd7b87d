/** A search as a person would do it: all rows in memory, their words made anew, BM25 written down as it is in the book. */
import type { Analyser } from '#actors/engine/search/words.ts';

export interface Text {
  readonly id: string;
  readonly texts: readonly string[];
}

export interface Ranked {
  readonly id: string;
  readonly rank: number;
}

interface Asked {
  readonly words: readonly { readonly term: string; readonly isPrefix: boolean }[];
  readonly phrases: readonly (readonly string[])[];
}

const wordsIn = (analyser: Analyser, text: string): string[] =>
  [...analyser.words(text)].flatMap(({ term, isStop }) => (isStop ? [] : term));

/** Every row that matches, with its rank: by BM25, or where the caller may not see all rows by the row's own text alone. */
export function searched(
  analyser: Analyser,
  rows: readonly Text[],
  { words, phrases }: Asked,
  seesAll: boolean,
): Ranked[] {
  const documents = rows.flatMap(({ id, texts }) => {
    const fields = texts.map((text) => wordsIn(analyser, text));
    return fields.flat().length === 0 ? [] : [{ id, fields, terms: fields.flat() }];
  });
  const average = seesAll ? documents.reduce((sum, { terms }) => sum + terms.length, 0) / documents.length : 100;
  // The beginning of a word stands for words of the index; of each the documents are counted.
  const termsOf = ({ term, isPrefix }: Asked['words'][number]): string[] => {
    if (!isPrefix) return [term];
    return [...new Set(documents.flatMap(({ terms }) => terms))].filter((one) => one.startsWith(term));
  };
  const sought = words.map(termsOf);
  const having = sought.map((terms) =>
    terms.reduce((sum, term) => sum + documents.filter((one) => one.terms.includes(term)).length, 0),
  );
  return documents.flatMap(({ id, fields, terms }) => {
    const counts = sought.map((any) => terms.filter((term) => any.includes(term)).length);
    if (counts.length === 0 || counts.includes(0)) return [];
    if (!phrases.every((phrase) => fields.some((field) => ` ${field.join(' ')} `.includes(` ${phrase.join(' ')} `))))
      return [];
    let rank = 0;
    for (const [i, tf] of counts.entries()) {
      const n = Math.min(having[i]!, documents.length);
      const idf = seesAll ? Math.log(1 + (documents.length - n + 0.5) / (n + 0.5)) : 1;
      rank += (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * terms.length) / average));
    }
    return [{ id, rank }];
  });
}
