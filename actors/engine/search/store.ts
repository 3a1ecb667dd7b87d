/**
 * What a text index stores, all below its table number:
 *
 *   statistics                        next document number, documents, words of all
 *   documents   row id                document number, its words with their occurrences
 *   rows        document number       row id
 *   lengths     document number / 256 words of each document, two bytes each
 *   postings    word, document number / 2,048   which documents have it (postings.ts)
 *
 * All but the ids of rows lie sealed, as records do, so that damage is found.
 * A row with words has a document number as long as it is found; numbers are given in order and never twice.
 */
import { burn } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { after, tuple, u16, u32 } from '#storage/key.ts';
import type { Bytes, Entry, Lookup, Turn } from '#storage/port.ts';
import { decodeRecord, encodeRecord, payloadOf, seal, unseal } from '#storage/record.ts';
import type { KeyRange } from '../rows/keys/store.ts';
import type { Slots } from '../rows/codec.ts';
import { BLOCK_BITS, BLOCK_DOCS, withoutPosting, withPosting } from './postings.ts';
import { isFound, textsIn, type TextIndex } from './text-index.ts';
import { countWords, type Counted } from './words.ts';

const VERSION = 1;
const WHERE = 'text index';
const [STATISTICS, DOCUMENTS, ROWS, LENGTHS, POSTINGS] = ['\x01', '\x02', '\x03', '\x04', '\x05'] as const;
const NUMBER_BYTES = 4;
const LENGTH_BITS = 8;
const LENGTH_DOCS = 1 << LENGTH_BITS;
const LENGTH_MAX = 0xffff;

export interface Statistics {
  /** The document number that the next row takes. */
  readonly next: number;
  readonly documents: number;
  /** The words of all documents. */
  readonly words: number;
}

const EMPTY: Statistics = { next: 0, documents: 0, words: 0 };

/** What is stored of a row. */
interface Document extends Counted {
  readonly no: number;
}

type Numbered = Pick<TextIndex, 'no'>;

const keyOf = ({ no }: Numbered, kind: string, name: Bytes): Bytes => u16(no) + kind + name;

export function statisticsOf(reader: Lookup, index: Numbered): Statistics {
  const value = reader.get(keyOf(index, STATISTICS, ''));
  if (value === undefined) return EMPTY;
  const [next, documents, words] = decodeRecord(value, WHERE) as [number, number, number];
  return { next, documents, words };
}

/** The row of a document; undefined where there is none. */
export function rowOfDocument(reader: Lookup, index: Numbered, no: number): Bytes | undefined {
  const value = reader.get(keyOf(index, ROWS, u32(no)));
  return value === undefined ? undefined : Buffer.from(value).toString('latin1');
}

/** What the index says of a row; undefined where it has no words. Throws Corruption where that cannot be read. */
export function documentOf(reader: Lookup, index: Numbered, id: Bytes): Document | undefined {
  const value = reader.get(keyOf(index, DOCUMENTS, id));
  if (value === undefined) return undefined;
  const [no, words, ...pairs] = decodeRecord(value, WHERE) as [number, number, ...(string | number)[]];
  const terms = new Map<string, number>();
  for (let i = 0; i < pairs.length; i += 2) terms.set(pairs[i] as string, pairs[i + 1] as number);
  return { no, words, terms };
}

/** All entries of documents. */
export function documentsRange(index: Numbered): KeyRange {
  const from = keyOf(index, DOCUMENTS, '');
  return { from, to: after(from) };
}

/** The row to which an entry of documents belongs. */
export function idOfDocument(index: Numbered, { key }: Entry): Bytes {
  return key.slice(keyOf(index, DOCUMENTS, '').length);
}

/** The postings of a word, and of every word that begins as it does. */
export function postingsRange(index: Numbered, term: string, prefix = false): KeyRange {
  const whole = keyOf(index, POSTINGS, tuple(term));
  const from = prefix ? whole.slice(0, -1) : whole;
  return { from, to: after(from) };
}

/** The block number of a key of postings. */
export function blockIn({ key }: Entry): number {
  const at = key.length - NUMBER_BYTES;
  const low = (key.charCodeAt(at + 1) << 16) | (key.charCodeAt(at + 2) << 8) | key.charCodeAt(at + 3);
  return key.charCodeAt(at) * 0x1000000 + low;
}

export function postingsIn(reader: Lookup, range: KeyRange, block: number): Uint8Array | undefined {
  const value = reader.get(range.from + u32(block));
  return value === undefined ? undefined : payloadOf(value);
}

/** The postings of an entry of their range. */
export const postingsOf = ({ value }: Entry): Uint8Array => payloadOf(value);

/** Words of the index that begin with a text, in their order, at most `most`; each costs one seek. */
export function termsFrom(reader: Lookup, index: Numbered, start: string, most: number): KeyRange[] {
  const { from, to } = postingsRange(index, start, true);
  const found: KeyRange[] = [];
  for (let at = from; found.length < most;) {
    const key = firstKey(reader, at, to);
    if (key === undefined) break;
    const term = key.slice(0, -NUMBER_BYTES);
    at = after(term);
    found.push({ from: term, to: at });
  }
  return found;
}

function firstKey(reader: Lookup, from: Bytes, to: Bytes): Bytes | undefined {
  for (const { key } of reader.range(from, to)) return key;
  return undefined;
}

/** The lengths of documents, a block of them at a time: a search asks for them in order. */
export class Lengths {
  readonly #reader: Lookup;
  readonly #index: Numbered;
  readonly #block = new Uint8Array(2 * LENGTH_DOCS);
  #no = -1;

  constructor(reader: Lookup, index: Numbered) {
    this.#reader = reader;
    this.#index = index;
  }

  of(no: number): number {
    const block = no >>> LENGTH_BITS;
    if (block !== this.#no) this.#load(block);
    const at = 2 * (no & (LENGTH_DOCS - 1));
    return this.#block[at]! | (this.#block[at + 1]! << 8);
  }

  #load(block: number): void {
    const value = this.#reader.get(keyOf(this.#index, LENGTHS, u32(block)));
    this.#block.fill(0);
    if (value !== undefined) this.#block.set(payloadOf(value).subarray(0, this.#block.length));
    this.#no = block;
  }
}

/** Stages what a change of a row changes in its index. Nothing where neither its words nor whether it is found can change. */
export function moveText(turn: Turn, index: TextIndex, id: Bytes, before: Slots | null, after: Slots | null): void {
  const was = isFound(before);
  const is = isFound(after);
  if (!was && !is) return;
  const texts = is ? textsIn(index, after) : null;
  if (was && texts !== null && !index.building && isSame(texts, textsIn(index, before))) return;
  enterText(turn, index, id, texts, was ? documentOf(turn, index, id) : undefined);
}

/** Stages the words of a row as they are now, whatever the index said of it. */
export function enterRow(turn: Turn, index: TextIndex, id: Bytes, slots: Slots): void {
  enterText(turn, index, id, isFound(slots) ? textsIn(index, slots) : null, documentOf(turn, index, id));
}

/** Stages the end of a row of which only the id is known. */
export function leaveText(turn: Turn, index: TextIndex, id: Bytes): void {
  enterText(turn, index, id, null, documentOf(turn, index, id));
}

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.every((text, i) => text === other[i]);

const NO_WORDS: Counted = { words: 0, terms: new Map() };

function enterText(
  turn: Turn,
  index: TextIndex,
  id: Bytes,
  texts: readonly string[] | null,
  old: Document | undefined,
): void {
  const now = texts === null ? NO_WORDS : counted(index, texts);
  if (old === undefined && now.words === 0) return;
  const before = statisticsOf(turn, index);
  const no = old?.no ?? before.next;
  if (no > limits.search.documentsMax)
    throw new Error(
      'a text index has given all its document numbers: change its definition, so that a plan builds it anew',
    );
  movePostings(turn, index, no, old?.terms ?? NO_WORDS.terms, now.terms);
  if (now.words !== old?.words) putLength(turn, index, no, now.words);
  putDocument(turn, index, id, old, now.words === 0 ? null : { no, ...now });
  putStatistics(turn, index, {
    next: Math.max(before.next, no + 1),
    documents: before.documents + Number(now.words > 0) - Number(old !== undefined),
    words: before.words + now.words - (old?.words ?? 0),
  });
}

/** Burns for the words before they are made, and for their postings before they are moved. */
function counted({ analyser }: TextIndex, texts: readonly string[]): Counted {
  burn(
    Math.min(
      texts.reduce((chars, text) => chars + text.length, 0),
      limits.search.rowCharsMax,
    ),
  );
  const found = countWords(analyser, texts);
  burn(found.terms.size * limits.search.wordUnits);
  return found;
}

function movePostings(
  turn: Turn,
  index: Numbered,
  no: number,
  old: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): void {
  const blockNo = u32(no >>> BLOCK_BITS);
  const place = no & (BLOCK_DOCS - 1);
  for (const term of old.keys()) {
    if (now.has(term)) continue;
    const key = keyOf(index, POSTINGS, tuple(term)) + blockNo;
    const block = sealedUnder(turn, key);
    const left = block === undefined ? null : withoutPosting(block, place);
    if (left === null) turn.del(key);
    else turn.put(key, seal(VERSION, left));
  }
  for (const [term, times] of now) {
    if (old.get(term) === times) continue;
    const key = keyOf(index, POSTINGS, tuple(term)) + blockNo;
    turn.put(key, seal(VERSION, withPosting(sealedUnder(turn, key), place, times)));
  }
}

function putLength(turn: Turn, index: Numbered, no: number, words: number): void {
  const key = keyOf(index, LENGTHS, u32(no >>> LENGTH_BITS));
  const at = 2 * (no & (LENGTH_DOCS - 1));
  const value = sealedUnder(turn, key);
  const block = new Uint8Array(Math.max(value?.length ?? 0, at + 2));
  if (value !== undefined) block.set(value);
  const length = Math.min(words, LENGTH_MAX);
  block[at] = length & 0xff;
  block[at + 1] = length >> 8;
  if (words === 0 && block.every((byte) => byte === 0)) turn.del(key);
  else turn.put(key, seal(VERSION, block));
}

/** The payload under a key, checked; undefined where there is none. */
function sealedUnder(reader: Lookup, key: Bytes): Uint8Array | undefined {
  const value = reader.get(key);
  return value === undefined ? undefined : unseal(value, WHERE);
}

function putDocument(turn: Turn, index: Numbered, id: Bytes, old: Document | undefined, now: Document | null): void {
  const key = keyOf(index, DOCUMENTS, id);
  if (now === null) {
    turn.del(key);
    turn.del(keyOf(index, ROWS, u32(old!.no)));
    return;
  }
  turn.put(key, encodeRecord(VERSION, [now.no, now.words, ...[...now.terms].flat()]));
  if (old === undefined) turn.put(keyOf(index, ROWS, u32(now.no)), Buffer.from(id, 'latin1'));
}

function putStatistics(turn: Turn, index: Numbered, { next, documents, words }: Statistics): void {
  turn.put(keyOf(index, STATISTICS, ''), encodeRecord(VERSION, [next, documents, words]));
}
