/** Copies the block of cells that is marked, and reads what is pasted over it, while the keyboard is in the grid. */
import { useEffect, useRef, useState, type RefObject } from 'react';
import { cellsIn, CELLS_MAX, cellsOf, linesOf, type Block } from './block.ts';
import { guarded } from './formula.ts';
import type { RowPages } from './row-pages.ts';
import type { Field, Row } from './shapes.ts';
import { textOf } from './value.ts';

export type Said = { readonly kind: 'copied'; readonly cells: number } | { readonly kind: 'tooMany' | 'awaited' };

interface BlockPorts {
  readonly grid: RefObject<HTMLElement | null>;
  readonly marked: Block;
  readonly shown: readonly Field[];
  readonly pages: RowPages;
  /** Null where nothing may be pasted. */
  readonly onPaste: ((cells: readonly (readonly string[])[], at: Block) => void) | null;
}

/** What came of the last copy or paste; null where there is nothing to say. */
export function useBlock(ports: BlockPorts): Said | null {
  const [said, say] = useState<Said | null>(null);
  const now = useRef(ports);
  now.current = ports;
  useEffect(() => {
    const isHere = (): boolean => document.activeElement === now.current.grid.current;
    const copy = (event: ClipboardEvent): void => {
      // A text that is marked in the page is copied as anywhere.
      if (!isHere() || getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      const { text, why } = linesIn(now.current);
      if (text !== null) event.clipboardData?.setData('text/plain', text);
      say(why);
      // The clipboard takes what is here at once, or nothing: what was missing is here at the next try.
      if (why.kind === 'awaited') void now.current.pages.load(now.current.marked.top, now.current.marked.bottom);
    };
    const paste = (event: ClipboardEvent): void => {
      const { onPaste, marked } = now.current;
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (!isHere() || onPaste === null || text === '') return;
      event.preventDefault();
      const cells = cellsOf(text);
      const isOne = cells.length === 1 && cells[0]!.length === 1;
      const count = isOne ? cellsIn(marked) : cells.reduce((sum, line) => sum + line.length, 0);
      say(count > CELLS_MAX ? { kind: 'tooMany' } : null);
      if (count <= CELLS_MAX) onPaste(cells, marked);
    };
    document.addEventListener('copy', copy);
    document.addEventListener('paste', paste);
    return () => {
      document.removeEventListener('copy', copy);
      document.removeEventListener('paste', paste);
    };
  }, []);
  return said;
}

function linesIn({ marked, shown, pages }: BlockPorts): { readonly text: string | null; readonly why: Said } {
  const cells = cellsIn(marked);
  if (cells > CELLS_MAX) return { text: null, why: { kind: 'tooMany' } };
  const rows: Row[] = [];
  for (let at = marked.top; at <= marked.bottom; at++) {
    const row = pages.row(at);
    if (row === undefined) return { text: null, why: { kind: 'awaited' } };
    rows.push(row);
  }
  const fields = shown.slice(marked.left, marked.right + 1);
  const text = linesOf(rows.map((row) => fields.map((field) => guarded(textOf(row[field.name]), field))));
  return { text, why: { kind: 'copied', cells } };
}
