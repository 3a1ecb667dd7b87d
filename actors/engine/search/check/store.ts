/** Whether a text index and the rows know of one another. The words themselves are not compared: that would segment every text anew. */
import type { Bytes, Entry, Lookup } from '#storage/port.ts';
import type { Slots } from '../../rows/codec.ts';
import { documentOf, idOfDocument, rowOfDocument } from '../store.ts';
import { isFound, textsIn, type TextIndex } from '../text-index.ts';
import { countWords } from '../words.ts';

/** What is wrong with what the index says of a row; null where nothing is. */
export function rowFault(reader: Lookup, index: TextIndex, id: Bytes, slots: Slots): string | null {
  try {
    const document = documentOf(reader, index, id);
    if (document === undefined) {
      const isMissing = isFound(slots) && countWords(index.analyser, textsIn(index, slots)).words > 0;
      return isMissing ? 'does not know a row that has words' : null;
    }
    if (!isFound(slots)) return 'has the words of a row that is deleted';
    return rowOfDocument(reader, index, document.no) === id ? null : 'leads from a document to another row';
  } catch {
    return 'holds words of a row that cannot be read';
  }
}

/** Whether an entry of documents belongs to a row that is gone. */
export function isStray(index: TextIndex, entry: Entry, hasRow: (id: Bytes) => boolean): boolean {
  return !hasRow(idOfDocument(index, entry));
}
