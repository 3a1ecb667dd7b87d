/**
 * A file of rows in parts, which are sent one after the other: so that its reader sees how far it is, stops it, and goes on. CSV and JSON lines are cut between rows, at a bounded size, and are
 * never whole in memory; a JSON list is one part. Pure.
 */
import type { ColumnMap } from './column-map.ts';
import { betweenCommas, CsvRows, separatorOf } from './csv-rows.ts';
import type { Format } from './preview.ts';

/** A row as it is sent. */
export interface SentRow {
  readonly text: string;
  /** Of the file, from 1. */
  readonly line: number;
}

export interface Part {
  /** What is sent. */
  readonly body: Blob | string;
  /** Null where they are not told apart. */
  readonly rows: readonly SentRow[] | null;
  /** A line above the rows, as they are sent; empty where there is none. */
  readonly head: string;
  /** Of the file, up to about its end. */
  readonly bytes: number;
}

const PART_ROWS = 5_000;
const PART_CHARS = 1_048_576;

/** `map`: of the columns of a CSV. */
export async function* partsOf(
  file: Blob,
  format: Format,
  map: ColumnMap,
  most: { readonly rows: number; readonly chars: number } = { rows: PART_ROWS, chars: PART_CHARS },
): AsyncGenerator<Part, void, undefined> {
  if (format === 'json') {
    yield { body: file, rows: null, head: '', bytes: file.size };
    return;
  }
  const head = format === 'csv' ? `${map.filter((name) => name !== null).join()}\n` : '';
  let rows: SentRow[] = [];
  let chars = 0;
  let bytes = 0;
  const part = (): Part => {
    const made = { body: head + rows.map(({ text }) => text).join('\n'), rows, head, bytes };
    [rows, chars] = [[], 0];
    return made;
  };
  for await (const [found, read] of format === 'csv' ? csvRows(file, map) : lines(file)) {
    bytes = read;
    for (const row of found) {
      if (rows.length >= most.rows || (rows.length > 0 && chars + row.text.length > most.chars)) yield part();
      rows.push(row);
      chars += row.text.length;
    }
  }
  if (rows.length > 0) yield part();
}

/** What comes in, and how many bytes of the file were read. */
type Read = AsyncGenerator<readonly [readonly SentRow[], number], void, undefined>;

async function* texts(file: Blob): AsyncGenerator<readonly [string, number], void, undefined> {
  const decoder = new TextDecoder();
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      bytes += value?.length ?? 0;
      yield [decoder.decode(value, { stream: !done }), bytes];
      if (done) return;
    }
  } finally {
    // An import that was stopped for good reads no more of the file.
    void reader.cancel();
  }
}

async function* csvRows(file: Blob, map: ColumnMap): Read {
  let split: CsvRows | null = null;
  let isHead = true;
  const sent = function* (rows: Iterable<{ cells: readonly string[]; line: number }>): Generator<SentRow> {
    for (const { cells, line } of rows) {
      if (!isHead) yield { text: taken(cells, map), line };
      isHead = false;
    }
  };
  for await (const [text, bytes] of texts(file)) {
    if (split === null && text === '') continue;
    split ??= new CsvRows(separatorOf(text));
    yield [[...sent(split.read(text))], bytes];
  }
  if (split !== null) yield [[...sent(split.end())], file.size];
}

/** The cells that are taken. A row that has not as many as the file has columns is sent so that the node says it of it. */
function taken(cells: readonly string[], map: ColumnMap): string {
  const kept = map.filter((name) => name !== null).length;
  const whole = cells.length === map.length ? cells.filter((_, at) => map[at] !== null) : cells;
  const sent = cells.length !== map.length && cells.length === kept ? [...whole, ''] : whole;
  // One empty cell alone would be an empty line.
  return sent.length === 1 && sent[0] === '' ? '\\N' : sent.map(betweenCommas).join();
}

async function* lines(file: Blob): Read {
  let rest = '';
  let line = 0;
  const rows = (found: readonly string[]): SentRow[] =>
    found.map((text) => ({ text, line: ++line })).filter(({ text }) => text.trim() !== '');
  for await (const [text, bytes] of texts(file)) {
    const found = (rest + text).split('\n');
    rest = found.pop()!;
    yield [rows(found), bytes];
  }
  yield [rows([rest]), file.size];
}
