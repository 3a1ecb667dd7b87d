/** Rows in a grid of which only what is looked at is in the page. The keyboard moves one cell, as in a spreadsheet; what is read aloud is that cell. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { blockOf, cellsIn, type Block, type Cell as At } from './block.ts';
import type { CellContext } from './cell.tsx';
import { CellEditor } from './cell-editor.tsx';
import { PICK_PX, type Columns } from './columns.ts';
import { GridHead } from './grid-head.tsx';
import { cellId, GridRow, ROW_PX } from './grid-row.tsx';
import type { RowPages } from './row-pages.ts';
import { keyOf, type Field, type Row } from './shapes.ts';
import { stretchOf } from './stretch.ts';
import { StretchBar } from './stretch-bar.tsx';
import { useBlock } from './use-block.ts';
import type { Picked } from './use-picked.ts';
import { isCellEditable } from './value.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';

/** Rows are asked for before they are seen. */
const AHEAD = 60;

export interface GridProps {
  readonly pages: RowPages;
  readonly columns: Columns;
  readonly context: CellContext;
  readonly order: readonly string[];
  readonly isWritable: boolean;
  readonly picked: Picked;
  /** The row that is open beside the grid. */
  readonly opened: string | null;
  readonly onOrder: (field: string) => void;
  readonly onOpen: (id: string) => void;
  /** Keeps a new text of a cell; throws where it is refused. */
  readonly onChange: (row: Row, field: Field, text: string) => Promise<void>;
  /** The row of the cell that is being edited; null when it is left. */
  readonly onEdit: (id: string | null) => void;
  /** Cells that are pasted over a block. */
  readonly onPaste: (cells: readonly (readonly string[])[], at: Block) => void;
}

/** A block of cells is marked from the anchor to the active one; it is mostly one cell. */
interface Area {
  readonly anchor: At;
  readonly active: At;
}

const only = (at: At): Area => ({ anchor: at, active: at });
const FIRST = only({ row: 0, column: 0 });

export function Grid(props: GridProps) {
  const { pages, columns, context, order, isWritable, picked, opened, onOrder, onOpen, onChange, onEdit, onPaste } =
    props;
  const scroller = useRef<HTMLDivElement>(null);
  const [{ anchor, active }, setArea] = useState<Area>(FIRST);
  const [isEditing, setEditing] = useState(false);
  const { words, entity } = context;
  const { grid, bulk } = useWords();
  const { count } = useFigures();
  const { shown } = columns;
  const marked = blockOf(anchor, active);
  const isBlock = cellsIn(marked) > 1;
  const said = useBlock({ grid: scroller, marked, shown, pages, onPaste: isWritable ? onPaste : null });
  const stretch = stretchOf(active.row, pages.length);
  const rows = useVirtualizer({
    count: stretch.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    // The head stays above them.
    scrollPaddingEnd: ROW_PX,
  });
  const items = rows.getVirtualItems();
  const [first, last] = [stretch.first + (items[0]?.index ?? 0), stretch.first + (items.at(-1)?.index ?? 0)];
  useEffect(() => pages.want(first - AHEAD, last + AHEAD), [pages, first, last]);
  const edited = isEditing ? pages.row(active.row) : undefined;
  const editedId = edited === undefined ? null : keyOf(entity, edited);
  useEffect(() => onEdit(editedId), [editedId]);
  // Another view begins above.
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setArea(FIRST);
    setEditing(false);
  }, [pages]);
  // Another stretch begins at the cell that was gone to.
  useEffect(() => {
    if (scroller.current !== null) rows.scrollToIndex(active.row - stretch.first);
  }, [stretch.first]);

  /** The reader may have gone on while a cell was saved, as to the palette: then the focus stays where it is. */
  const leave = (): void => {
    setEditing(false);
    const { activeElement: at, body } = document;
    if (at === null || at === body || scroller.current?.contains(at) === true)
      scroller.current?.focus({ preventScroll: true });
  };
  /** Goes to a cell; with Shift the block is marked up to there. */
  const move = (row: number, column: number, isMarking: boolean): void => {
    const to = {
      row: Math.min(Math.max(0, row), pages.length - 1),
      column: Math.min(Math.max(0, column), shown.length - 1),
    };
    setArea(isMarking ? { anchor, active: to } : only(to));
    rows.scrollToIndex(to.row - stretch.first);
    showColumn(scroller.current, columns, to.column);
  };
  const edit = (place: At): void => {
    setArea(only(place));
    const field = shown[place.column];
    setEditing(isWritable && field !== undefined && isCellEditable(field) && pages.row(place.row) !== undefined);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isEditing || event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column } = active;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const to = (down: number, across: number): void => move(row + down, column + across, event.shiftKey);
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => to(1, 0),
      ArrowUp: () => to(-1, 0),
      ArrowLeft: () => to(0, -1),
      ArrowRight: () => to(0, 1),
      PageDown: () => to(page, 0),
      PageUp: () => to(-page, 0),
      Home: () => to(0, -column),
      End: () => to(0, shown.length),
      Escape: () => setArea(only(active)),
      F2: () => edit(active),
      ' ': () => {
        const open = pages.row(row);
        if (open !== undefined) picked.toggle(keyOf(entity, open));
      },
      Enter: () => {
        const open = pages.row(row);
        if (open !== undefined) onOpen(keyOf(entity, open));
      },
    };
    const act = moves[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  const width = shown.reduce((sum, { name }) => sum + columns.widthOf(name), PICK_PX);
  const here = pages.row(active.row) !== undefined && items.some(({ index }) => stretch.first + index === active.row);
  return (
    <>
      <StretchBar
        stretch={stretch}
        total={pages.length}
        onGo={(row) => setArea(only({ row, column: active.column }))}
      />
      <div
        ref={scroller}
        className="grid"
        role="grid"
        aria-label={entity.name}
        aria-description={`${words.keys} ${grid.pickKeys} ${bulk.blockKeys}`}
        aria-rowcount={pages.length + 1}
        aria-colcount={shown.length + 1}
        aria-multiselectable
        aria-activedescendant={here ? cellId(active.row, active.column) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <GridHead
          columns={columns}
          order={order}
          words={{ ...words, pick: grid.pick }}
          width={width}
          onOrder={onOrder}
        />
        <div role="rowgroup" className="grid-body" style={{ height: rows.getTotalSize(), width }}>
          {items.map(({ index: at, start }) => {
            const index = stretch.first + at;
            const row = pages.row(index);
            const column = active.row === index ? active.column : -1;
            return (
              <GridRow
                key={index}
                row={row}
                index={index}
                top={start}
                columns={columns}
                context={context}
                column={column}
                from={isBlock && index >= marked.top && index <= marked.bottom ? marked.left : NO_COLUMN}
                to={isBlock && index >= marked.top && index <= marked.bottom ? marked.right : NO_COLUMN}
                isOpened={row !== undefined && keyOf(entity, row) === opened}
                isPicked={row !== undefined && picked.ids.has(keyOf(entity, row))}
                pickLabel={grid.pick}
                onPick={picked.toggle}
                onSelect={(to, isMarking) => {
                  const cell = { row: index, column: to };
                  setArea((before) => (isMarking ? { anchor: before.anchor, active: cell } : only(cell)));
                  if (!isEditing) scroller.current?.focus({ preventScroll: true });
                }}
                onEdit={(to) => edit({ row: index, column: to })}
                editor={
                  isEditing && column >= 0 && row !== undefined ? (
                    <CellEditor
                      field={shown[column]!}
                      row={row}
                      onLeave={leave}
                      onSave={(text) => onChange(row, shown[column]!, text)}
                    />
                  ) : null
                }
              />
            );
          })}
        </div>
      </div>
      <div role="status" className="grid-said">
        {said !== null && (said.kind === 'copied' ? bulk.copied(count(said.cells)) : bulk[said.kind])}
      </div>
    </>
  );
}

/** Of a row without a part of the block. */
const NO_COLUMN = -1;

/** Scrolls sideways until the column is seen, beside those that stay at the left. */
function showColumn(scroller: HTMLDivElement | null, columns: Columns, column: number): void {
  const { shown, widthOf, leftOf } = columns;
  const name = shown[column]?.name;
  if (scroller === null || name === undefined || leftOf(name) !== null) return;
  const widthUpTo = (end: number): number => shown.slice(0, end).reduce((sum, one) => sum + widthOf(one.name), PICK_PX);
  const kept = widthUpTo(shown.filter((one) => leftOf(one.name) !== null).length);
  const left = widthUpTo(column);
  const right = left + widthOf(name);
  if (left - kept < scroller.scrollLeft) scroller.scrollLeft = left - kept;
  else if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
}
