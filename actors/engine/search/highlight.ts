/**
 * Where the words of a search stand in a row (docs/contract/data.md §5.12). A highlight is a list of texts that join to a piece of the
 * field; every second one was found. No marker stands in the text, so nothing in it can be taken for one, and clients escape as they always do.
 */
import { burn } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import type { Slots } from '../rows/codec.ts';
import type { TextQuery } from '../rows/query.ts';
import { textsIn, type TextIndex } from './text-index.ts';
import type { Word } from './words.ts';

/** Plain, found, plain, found, …; the first may be empty. */
export type Highlight = readonly string[];

const CUT = '…';

/** Gives of a row the highlight of each field in which a word was found, among the fields that the caller is shown. */
export function highlighterOf(
  index: TextIndex,
  { words }: TextQuery,
  isShown: (field: string) => boolean,
): (slots: Slots) => Record<string, Highlight> {
  const terms = new Set(words.flatMap(({ term, isPrefix }) => (isPrefix ? [] : term)));
  const starts = words.flatMap(({ term, isPrefix }) => (isPrefix ? term : []));
  const isHit = ({ term, isStop }: Word): boolean =>
    !isStop && (terms.has(term) || starts.some((start) => term.startsWith(start)));
  return (slots) => {
    const found: Record<string, Highlight> = {};
    // What is beyond the bound of a row is not indexed.
    let chars: number = limits.search.rowCharsMax;
    for (const [i, text] of textsIn(index, slots).entries()) {
      const part = text.slice(0, chars);
      chars -= part.length;
      const highlight = part !== '' && isShown(index.names[i]!) ? highlightIn(part, index, isHit) : null;
      if (highlight !== null) found[index.names[i]!] = highlight;
    }
    return found;
  };
}

/** The piece around the first word that was found; null where none was. */
function highlightIn(text: string, { analyser }: TextIndex, isHit: (word: Word) => boolean): Highlight | null {
  burn(text.length);
  const { highlightBefore, highlightChars } = limits.search;
  let before: Word[] = [];
  let piece: Piece | null = null;
  for (const word of analyser.words(text)) {
    if (piece === null) {
      before = [...before.filter(({ from }) => from >= word.from - highlightBefore), word];
      if (isHit(word)) piece = new Piece(text, before[0]!.from, word);
      continue;
    }
    if (word.to > piece.start + highlightChars) return piece.ended(true);
    piece.add(word, isHit(word));
  }
  return piece === null ? null : piece.ended(false);
}

class Piece {
  readonly start: number;
  readonly #text: string;
  readonly #parts: string[] = [];
  /** Where the part that is being collected begins, and where the last word of the piece ends. */
  #from: number;
  #to: number;

  constructor(text: string, firstWord: number, hit: Word) {
    this.#text = text;
    this.start = firstWord;
    this.#from = this.start;
    this.#to = hit.to;
    this.add(hit, true);
  }

  add(word: Word, isHit: boolean): void {
    this.#to = word.to;
    if (!isHit) return;
    this.#parts.push(this.#text.slice(this.#from, word.from), this.#text.slice(word.from, word.to));
    this.#from = word.to;
  }

  ended(isCut: boolean): string[] {
    const parts = this.#parts;
    const rest = this.#text.slice(this.#from, isCut ? this.#to : undefined);
    // Punctuation without a word may be long, too.
    const last = rest.length > limits.search.highlightChars ? this.#text.slice(this.#from, this.#to) : rest;
    const isWhole = !isCut && last.length === rest.length;
    if (this.start > 0) parts[0] = CUT + parts[0]!;
    if (last !== '' || !isWhole) parts.push(isWhole ? last : last + CUT);
    return parts;
  }
}
