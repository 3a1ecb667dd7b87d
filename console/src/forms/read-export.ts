/** Pages of an export of submissions (docs/contract/triggers.md §7.4). Pure. */
export interface ExportPart {
  /** Lines of JSON, oldest first. */
  readonly text: string;
  readonly count: number;
  /** Where the next part goes on; null where this one is the last. */
  readonly next: string | null;
}

const END = /^\{"end":/;

/** A page without its last line, which says that it is whole. Throws where it does not. */
export function readExport(page: string): ExportPart {
  const at = page.lastIndexOf('\n', page.length - 2) + 1;
  const last = page.slice(at);
  if (!END.test(last) || !page.endsWith('\n')) throw new Error('The answer broke off before its end.');
  const { end } = JSON.parse(last) as { readonly end: Pick<ExportPart, 'count' | 'next'> };
  return { text: page.slice(0, at), count: end.count, next: end.next };
}
