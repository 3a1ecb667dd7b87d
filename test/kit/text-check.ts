/** What a text index holds, read back entry by entry, against the rows that are there. */
import { expect } from 'vitest';
import type { Slots } from '#actors/engine/rows/codec.ts';
import type { Bytes } from '#actors/engine/rows/keys/store.ts';
import type { Reader } from '#actors/engine/rows/store.ts';
import { BLOCK_DOCS, Postings } from '#actors/engine/search/postings.ts';
import {
  blockIn,
  documentOf,
  documentsRange,
  idOfDocument,
  Lengths,
  postingsOf,
  postingsRange,
  rowOfDocument,
  statisticsOf,
} from '#actors/engine/search/store.ts';
import { isFound, textsIn, type TextIndex } from '#actors/engine/search/text-index.ts';
import { countWords } from '#actors/engine/search/words.ts';

/** The documents are those of the rows with words, each with its words, its length and its postings, and there is nothing else. */
export function expectText(
  reader: Reader,
  index: TextIndex,
  rows: readonly { readonly id: Bytes; readonly slots: Slots }[],
): void {
  const expected = new Map<Bytes, Record<string, number>>();
  for (const { id, slots } of rows) {
    const { terms, words } = countWords(index.analyser, isFound(slots) ? textsIn(index, slots) : []);
    if (words > 0) expected.set(id, Object.fromEntries(terms));
  }
  const { from, to } = documentsRange(index);
  const ids = [...reader.range(from, to)].map((entry) => idOfDocument(index, entry));
  expect(ids).toEqual([...expected.keys()].toSorted());
  const lengths = new Lengths(reader, index);
  const postings = postingsByDocument(reader, index);
  let all = 0;
  for (const id of ids) {
    const { no, words, terms } = documentOf(reader, index, id)!;
    expect(Object.fromEntries(terms)).toEqual(expected.get(id));
    expect(Object.fromEntries(postings.get(no) ?? [])).toEqual(expected.get(id));
    expect(lengths.of(no)).toBe(words);
    expect(rowOfDocument(reader, index, no)).toBe(id);
    all += words;
  }
  expect(postings.size).toBe(ids.length);
  expect(statisticsOf(reader, index)).toMatchObject({ documents: ids.length, words: all });
}

function postingsByDocument(reader: Reader, index: TextIndex): Map<number, Map<string, number>> {
  const found = new Map<number, Map<string, number>>();
  const { from, to } = postingsRange(index, '', true);
  const read = new Postings();
  for (const entry of reader.range(from, to)) {
    // The number of the table, the kind and the mark of a text lie before the word; its end mark and the block behind it.
    const term = Buffer.from(entry.key.slice(from.length, -5), 'latin1').toString();
    const { length, places, occurrences } = read.read(postingsOf(entry));
    for (let i = 0; i < length; i++) {
      const no = blockIn(entry) * BLOCK_DOCS + places[i]!;
      found.set(no, (found.get(no) ?? new Map<string, number>()).set(term, occurrences[i]!));
    }
  }
  return found;
}
