/** How a search finds its candidates: for each of its words the ranges of postings that it stands for. */
import { limits } from '#config/limits.ts';
import { failure, type Failure } from '../rows/failure.ts';
import type { KeyRange } from '../rows/keys/store.ts';
import type { Query, TextQuery } from '../rows/query.ts';
import type { Reader } from '../rows/store.ts';
import { postingsRange, termsFrom } from './store.ts';
import type { TextIndex } from './text-index.ts';

export interface TextPlan {
  readonly kind: 'text';
  readonly index: TextIndex;
  readonly text: TextQuery;
  /** Of each word the words of the index that it stands for; filled in by `resolveWords`. */
  readonly words: readonly (readonly KeyRange[])[];
  /** Whether rows are wanted by rank; otherwise they come as they are found. */
  readonly ordered: boolean;
  readonly reverse: false;
}

export function textPlan(index: TextIndex, text: TextQuery, { order, group }: Query): TextPlan {
  return { kind: 'text', index, text, words: [], ordered: order.length === 0 && group === null, reverse: false };
}

/** The plan over one view. 422 where the beginning of a word stands for too many words. */
export function resolveWords(reader: Reader, plan: TextPlan): TextPlan | Failure {
  const most = limits.search.prefixWordsMax;
  const words: (readonly KeyRange[])[] = [];
  for (const { term, isPrefix } of plan.text.words) {
    const ranges = isPrefix ? termsFrom(reader, plan.index, term, most + 1) : [postingsRange(plan.index, term)];
    if (ranges.length > most)
      return failure(422, `${term}* stands for more than ${most} words: write more of it`, { prefix: term, most });
    words.push(ranges);
  }
  return { ...plan, words };
}
