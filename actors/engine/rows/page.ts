/** Collects the rows of a page: as they come if they come in order, else the first `offset + limit` of the order in a heap. */
import type { Slots, StoredRow } from './codec.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { Query } from './query.ts';

type Compare = (a: Slots, b: Slots) => number;

/** Heaps up to this size are sorted at once: it takes less than a slice. */
const SORT_AT_ONCE_MAX = 2000;

export interface Page {
  readonly rows: readonly StoredRow[];
  /** The number of all matches; null when they were not counted. */
  readonly total: number | null;
  /** Whether a row follows; always false when the query did not ask. */
  readonly more: boolean;
  /** How many rows were looked at. */
  readonly looked: number;
}

export class Collector {
  readonly #query: Query;
  readonly #compare: Compare | null;
  /** Rows to keep: one past the page when the query asks whether more follow. */
  readonly #most: number;
  #kept: StoredRow[] = [];
  #skipped = 0;
  matches = 0;
  /** Candidates that were looked at, whether they matched or not. */
  looked = 0;

  /** `compare` is null when rows come in order. */
  constructor(query: Query, compare: Compare | null) {
    this.#query = query;
    this.#compare = compare;
    const page = query.limit + Number(query.peek);
    this.#most = query.limit === 0 ? 0 : compare === null ? page : query.offset + page;
  }

  /** Whether no further row can change the page. */
  get full(): boolean {
    if (this.#query.counted) return false;
    return this.#most === 0 || (this.#compare === null && this.#kept.length >= this.#most);
  }

  add(row: StoredRow): void {
    if (this.#compare !== null) this.#addToHeap(row, this.#compare);
    else if (this.#skipped < this.#query.offset) this.#skipped++;
    else if (this.#kept.length < this.#most) this.#kept.push(row);
  }

  /** The worst row lies at the root, so that a better one takes its place. */
  #addToHeap(row: StoredRow, compare: Compare): void {
    const heap = this.#kept;
    if (heap.length < this.#most) {
      heap.push(row);
      rise(heap, compare);
    } else if (this.#most > 0 && compare(row.slots, heap[0]!.slots) < 0) {
      heap[0] = row;
      sink(heap, heap.length, compare);
    }
  }

  *page(pace: Budget): Steps<Page> {
    const { limit, offset, counted } = this.#query;
    if (this.#compare !== null) {
      yield* this.#sort(this.#compare, pace);
      if (offset > 0) this.#kept = this.#kept.slice(offset);
    }
    const more = this.#kept.length > limit;
    if (more) this.#kept.length = limit;
    return { rows: this.#kept, total: counted ? this.matches : null, more, looked: this.looked };
  }

  *#sort(compare: Compare, pace: Budget): Steps<void> {
    const heap = this.#kept;
    if (heap.length <= SORT_AT_ONCE_MAX) {
      heap.sort((a, b) => compare(a.slots, b.slots));
      return;
    }
    for (let size = heap.length - 1; size > 0; size--) {
      const worst = heap[0]!;
      heap[0] = heap[size]!;
      heap[size] = worst;
      sink(heap, size, compare);
      if (size % 64 === 0 && pace.spend(64)) yield;
    }
  }
}

function rise(heap: StoredRow[], compare: Compare): void {
  let at = heap.length - 1;
  const row = heap[at]!;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (compare(row.slots, heap[parent]!.slots) <= 0) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = row;
}

function sink(heap: StoredRow[], size: number, compare: Compare): void {
  const row = heap[0]!;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && compare(heap[child + 1]!.slots, heap[child]!.slots) > 0) child++;
    if (compare(heap[child]!.slots, row.slots) <= 0) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = row;
}
