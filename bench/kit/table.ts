/** Plain text tables: columns as wide as their widest cell, numbers to the right. */

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** The table as lines, each ending in a newline. A row with fewer cells than columns is filled up with empty ones. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, i) => Math.max(...[titles, ...rows].map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string =>
    columns
      .map(({ align }, i) => pad(row[i] ?? '', widths[i]!, align))
      .join('  ')
      .trimEnd();
  const rule = widths.map((count) => '─'.repeat(count)).join('  ');
  return [line(titles), rule, ...rows.map(line)].map((text) => `${text}\n`).join('');
}

function pad(text: string, to: number, align: Column['align']): string {
  const space = ' '.repeat(to - text.length);
  return align === 'right' ? space + text : text + space;
}
