/** A block of cells as spreadsheets copy and paste it: lines of texts with tabs between them. Pure. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Both edges belong to it. */
export interface Block {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** More cells than these are neither copied nor pasted. */
export const CELLS_MAX = 1_000;

export const blockOf = (a: Cell, b: Cell): Block => ({
  top: Math.min(a.row, b.row),
  bottom: Math.max(a.row, b.row),
  left: Math.min(a.column, b.column),
  right: Math.max(a.column, b.column),
});

export const cellsIn = ({ top, bottom, left, right }: Block): number => (bottom - top + 1) * (right - left + 1);

const NEEDS_QUOTES = /[\t\r\n]|^"/;
const quoted = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const linesOf = (cells: readonly (readonly string[])[]): string =>
  cells.map((line) => line.map(quoted).join('\t')).join('\n');

/** A cell in quotes up to its end, or anything up to the next edge. */
const CELL = /"((?:[^"]|"")*)"(?=\t|\r?\n|$)|([^\t\r\n]*)/y;
const EDGE = /\t|\r?\n|\r/y;

export function cellsOf(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]];
  for (let at = 0; ;) {
    CELL.lastIndex = at;
    const [whole, inQuotes, plain] = CELL.exec(text)!;
    lines.at(-1)!.push(inQuotes === undefined ? plain! : inQuotes.replaceAll('""', '"'));
    EDGE.lastIndex = at + whole.length;
    const edge = EDGE.exec(text);
    // A break at the very end begins no line.
    if (edge === null || (edge[0] !== '\t' && EDGE.lastIndex === text.length)) return lines;
    if (edge[0] !== '\t') lines.push([]);
    at = EDGE.lastIndex;
  }
}
