/** The records in which a log names the segments that it pruned: a missing segment that they do not cover was removed by other means. */

/** Only the log itself writes under this source: a pruning in a record of another source does not count. */
const OWN_SOURCE = 'audit';
export const PRUNED = 'audit.pruned';

/** Records from `first` to `last`, both of them included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface Pruning {
  /** What the record says was pruned. */
  readonly spans: readonly Span[];
  /** Whether these are all up to this record; a record of an earlier version names its own segment only. */
  readonly isWhole: boolean;
}

/** What a parsed record says of prunings; null where it is no record of the log's own about one. */
export function readPruning(record: {
  readonly source?: unknown;
  readonly action?: unknown;
  readonly data?: unknown;
}): Pruning | null {
  if (record.source !== OWN_SOURCE || record.action !== PRUNED) return null;
  const { first, last, all } = (record.data ?? {}) as { first?: unknown; last?: unknown; all?: unknown };
  const isWhole = Array.isArray(all);
  const spans = isWhole ? (all as unknown[]) : [{ first, last }];
  return { spans: joinSpans(spans.filter(isSpan)), isWhole };
}

function isSpan(value: unknown): value is Span {
  const { first, last } = (value ?? {}) as Partial<Span>;
  return Number.isSafeInteger(first) && Number.isSafeInteger(last) && first! >= 0 && last! >= first!;
}

/** The same records as spans in order, of which no two touch. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before === undefined || span.first > before.last + 1) joined.push({ first: span.first, last: span.last });
    else joined[joined.length - 1] = { first: before.first, last: Math.max(before.last, span.last) };
  }
  return joined;
}

/** Whether spans that were joined hold all of `inner`. */
export function covers(joined: readonly Span[], inner: Span): boolean {
  return joined.some(({ first, last }) => first <= inner.first && inner.last <= last);
}
