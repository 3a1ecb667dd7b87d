/**
 * The rows of a search, the best first, or as they are found where another order is wanted. The rank is BM25 over all rows for callers
 * who may see all of them. Of others the rank of a row depends on its own text alone: how rare a word is in rows that they may not see
 * would show in the order.
 */
import { burn } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import type { StoredRow } from '../rows/codec.ts';
import type { EntityModel } from '../rows/model.ts';
import { findRow, type Reader } from '../rows/store.ts';
import { Best, type Ranked } from './best.ts';
import { Matcher, weightOf, type Sought } from './matcher.ts';
import { hasPhrases } from './phrases.ts';
import { Lengths, rowOfDocument, statisticsOf } from './store.ts';
import { TermList } from './term-list.ts';
import type { TextPlan } from './text-plan.ts';

/** How long a text is taken to be, in words, where the average of all rows must not be known. */
const LENGTH_UNKNOWN = 100;

type Found = Generator<StoredRow | null, void>;

export class TextCandidates {
  readonly #rows: Found;

  /** `seesAll`: whether the caller may see every row of the entity. */
  constructor(reader: Reader, model: EntityModel, plan: TextPlan, seesAll: boolean) {
    this.#rows = new TextScan(reader, model, plan, seesAll).rows();
  }

  /** The next row; null after a stretch of work that gave none; undefined at the end. */
  next(): StoredRow | null | undefined {
    const step = this.#rows.next();
    return step.done === true ? undefined : step.value;
  }

  end(): void {
    this.#rows.return();
  }
}

class TextScan {
  readonly #reader: Reader;
  readonly #model: EntityModel;
  readonly #plan: TextPlan;
  readonly #seesAll: boolean;

  constructor(reader: Reader, model: EntityModel, plan: TextPlan, seesAll: boolean) {
    this.#reader = reader;
    this.#model = model;
    this.#plan = plan;
    this.#seesAll = seesAll;
  }

  *rows(): Found {
    const matcher = yield* this.#prepare();
    if (matcher === null) return;
    if (this.#plan.ordered) yield* this.#ranked(matcher);
    else yield* this.#asFound(matcher);
  }

  /** Reads where the words occur; null where one of them occurs nowhere. */
  *#prepare(): Generator<null, Matcher | null> {
    const { index, words } = this.#plan;
    const { documents, words: all } = statisticsOf(this.#reader, index);
    const sought: (Sought & { readonly documents: number })[] = [];
    for (const ranges of words) {
      const lists = ranges.map((range) => new TermList(this.#reader, range));
      for (const list of lists) for (const _ of list.gather()) yield null;
      const having = lists.reduce((sum, list) => sum + list.documents, 0);
      if (having === 0) return null;
      sought.push({ lists, documents: having, weight: this.#seesAll ? weightOf(documents, having) : 1 });
    }
    if (sought.length === 0) return null;
    sought.sort((a, b) => a.documents - b.documents);
    const average = this.#seesAll ? Math.max(all / Math.max(documents, 1), 1) : LENGTH_UNKNOWN;
    return new Matcher(sought, new Lengths(this.#reader, index), average);
  }

  *#asFound(matcher: Matcher): Found {
    for (const documents of blocksOf(matcher)) {
      yield null;
      if (documents !== null) for (const document of documents) yield this.#rowOf(document);
    }
  }

  /** In rounds: each keeps the best that no earlier round gave. Most searches need the first one only. */
  *#ranked(matcher: Matcher): Found {
    let last: Ranked | null = null;
    for (let room: number = limits.search.roundRows; ; room = Math.min(8 * room, limits.search.roundRowsMax)) {
      const best: Best = new Best(room, last);
      matcher.rewind();
      for (const documents of blocksOf(matcher)) {
        if (documents === null) yield null;
        else rankAll(matcher, documents, best);
      }
      for (const _ of best.sort()) yield null;
      for (let n = 0; n < best.size; n++) {
        last = best.at(n);
        yield this.#rowOf(last.document);
      }
      if (best.offered <= room) return;
    }
  }

  #rowOf(document: number): StoredRow | null {
    const id = rowOfDocument(this.#reader, this.#plan.index, document);
    const row = id === undefined ? undefined : findRow(this.#reader, this.#model, id);
    if (row === undefined) return null;
    return hasPhrases(this.#plan.index, this.#plan.text.phrases, row.slots) ? row : null;
  }
}

function rankAll(matcher: Matcher, documents: readonly number[], best: Best): void {
  burn(documents.length);
  for (const document of documents) best.offer(matcher.rank(document), document);
}

/** The matches block by block; null after some blocks, where other work may run. */
function* blocksOf(matcher: Matcher): Generator<readonly number[] | null, void> {
  let blocks = 0;
  for (let block = matcher.blockFrom(0); block !== Infinity; block = matcher.blockFrom(block + 1)) {
    if (++blocks % limits.search.strideBlocks === 0) yield null;
    yield matcher.documentsIn(block);
  }
}
