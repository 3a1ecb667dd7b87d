/**
 * Filters of a query over records: members by a glob, and a range of time. Unknown parameters are refused: ignoring one would give every record.
 */
import { takenMs } from './record.ts';

/** Members of a record that a query may filter by. */
const FILTERED = ['actor', 'action', 'target', 'outcome', 'source'] as const;
const TIMES = ['since', 'until'] as const;
/** Every filter that a query of records may have. */
export const QUERY_PARAMETERS: readonly string[] = ['from', 'limit', ...FILTERED, ...TIMES];

type RecordMembers = Readonly<Record<string, unknown>>;

export interface Filters {
  /** Whether there is a filter at all. */
  readonly any: boolean;
  readonly fits: (record: RecordMembers) => boolean;
}

/** The filters of a query, or what is wrong with them. */
export function filtersOf(query: URLSearchParams): Filters | string {
  const range = TIMES.map((name) => [name, query.get(name)] as const);
  for (const [name, value] of range)
    if (value !== null && Number.isNaN(Date.parse(value))) return `${name} must be an RFC 3339 time`;
  const [since, until] = range.map(([, value]) => (value === null ? null : Date.parse(value)));
  const members = FILTERED.flatMap((name) => {
    const glob = query.get(name);
    return glob === null ? [] : [{ name, matches: matcherOf(glob) }];
  });
  const timed = since !== null || until !== null;
  const within = (ms: number): boolean => ms >= (since ?? -Infinity) && ms < (until ?? Infinity);
  return {
    any: timed || members.length > 0,
    fits: (record) =>
      members.every(({ name, matches }) => matches(String(record[name]))) && (!timed || timesOf(record).some(within)),
  };
}

/**
 * Both the record's `ts` (older records: the caller's time) and the log's own time count, so that a false time cannot hide a record from a range.
 */
function timesOf(record: RecordMembers): number[] {
  return [Date.parse(String(record['ts'])), takenMs({ id: String(record['id']) })];
}

/** Whether a text matches a glob, in which `*` is any run of characters. Each part is searched for once, behind the one before it. */
export function matcherOf(glob: string): (text: string) => boolean {
  const [head = '', ...rest] = glob.split('*');
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === glob;
  return (text) => {
    if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - tail.length;
  };
}
