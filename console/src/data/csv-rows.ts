/** Rows of a CSV as they are written, cell by cell, as its text comes in (RFC 4180). Cells keep their quotes: what one means, the node says. Pure. */
export interface RawRow {
  readonly cells: readonly string[];
  /** On which it begins, from 1. */
  readonly line: number;
}

/** `quote`: behind one that ends the cell, or is the first of two. */
type State = 'begin' | 'plain' | 'quoted' | 'quote';

export class CsvRows {
  readonly #separator: string;
  #cells: string[] = [];
  #cell = '';
  #state: State = 'begin';
  #line = 1;
  #began = 1;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** The rows that end in this text. Lines without anything are none. */
  *read(text: string): Generator<RawRow, void, undefined> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at]!;
      if (char === '\n') this.#line++;
      if (this.#state === 'quoted') {
        if (char === '"') this.#state = 'quote';
      } else if (char === '"') {
        if (this.#state !== 'plain') this.#state = 'quoted';
      } else if (char === this.#separator || char === '\n') {
        this.#cells.push(this.#cell + text.slice(from, at));
        this.#cell = '';
        this.#state = 'begin';
        from = at + 1;
        if (char === '\n') yield* this.#row();
      } else if (char !== '\r') this.#state = 'plain';
    }
    this.#cell += text.slice(from);
  }

  /** The row that no end of a line follows. */
  *end(): Generator<RawRow, void, undefined> {
    this.#cells.push(this.#cell);
    yield* this.#row();
  }

  *#row(): Generator<RawRow, void, undefined> {
    const cells = this.#cells;
    cells.push(cells.pop()!.replace(/\r$/, ''));
    if (cells.length > 1 || cells[0] !== '') yield { cells, line: this.#began };
    this.#cells = [];
    this.#began = this.#line;
  }
}

/** What stands between the cells, by the line of names: a comma, unless only another one is there. */
export const separatorOf = (head: string): string =>
  [',', ';', '\t'].find((one) => head.split('\n', 1)[0]!.includes(one)) ?? ',';

/** The text of a cell. */
export const cellText = (cell: string): string =>
  /^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;

/** A cell as it stands between commas. */
export const betweenCommas = (cell: string): string =>
  cell.startsWith('"') || !cell.includes(',') ? cell : `"${cell.replaceAll('"', '""')}"`;
