/** Rows in a grid of which only what is looked at is in the page. The keyboard moves one cell, as in a spreadsheet; what is read aloud is that cell. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Cell } from './cell.tsx';
import type { CellContext } from './cell.tsx';
import { CellEditor } from './cell-editor.tsx';
import { PICK_PX } from './columns.ts';
import type { Columns } from './columns.ts';
import { GridHead } from './grid-head.tsx';
import { isFigure } from './operators.ts';
import type { RowPages } from './row-pages.ts';
import { isMarkedDeleted, keyOf } from './shapes.ts';
import type { Field, Row } from './shapes.ts';
import type { Picked } from './use-picked.ts';
import { isCellEditable } from './value.ts';
import { useWords } from '../words/words.tsx';

export const ROW_PX = 32;
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
}

interface Place {
  readonly row: number;
  readonly column: number;
}

export function Grid(props: GridProps) {
  const { pages, columns, context, order, isWritable, picked, opened, onOrder, onOpen, onChange, onEdit } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const [isEditing, setEditing] = useState(false);
  const { words, entity } = context;
  const { grid } = useWords();
  const { shown } = columns;
  const rows = useVirtualizer({
    count: pages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    // The head stays above them.
    scrollPaddingEnd: ROW_PX,
  });
  const items = rows.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => pages.want(first - AHEAD, last + AHEAD), [pages, first, last]);
  const edited = isEditing ? pages.row(active.row) : undefined;
  const editedId = edited === undefined ? null : keyOf(entity, edited);
  useEffect(() => onEdit(editedId), [editedId]);
  // Another view begins above.
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setActive({ row: 0, column: 0 });
    setEditing(false);
  }, [pages]);

  const leave = (): void => {
    setEditing(false);
    scroller.current?.focus({ preventScroll: true });
  };
  const move = (row: number, column: number): void => {
    const to = {
      row: Math.min(Math.max(0, row), pages.length - 1),
      column: Math.min(Math.max(0, column), shown.length - 1),
    };
    setActive(to);
    rows.scrollToIndex(to.row);
    showColumn(scroller.current, columns, to.column);
  };
  const edit = (place: Place): void => {
    setActive(place);
    const field = shown[place.column];
    setEditing(isWritable && field !== undefined && isCellEditable(field) && pages.row(place.row) !== undefined);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isEditing || event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column } = active;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(row + 1, column),
      ArrowUp: () => move(row - 1, column),
      ArrowLeft: () => move(row, column - 1),
      ArrowRight: () => move(row, column + 1),
      PageDown: () => move(row + page, column),
      PageUp: () => move(row - page, column),
      Home: () => move(row, 0),
      End: () => move(row, shown.length - 1),
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
  const here = pages.row(active.row) !== undefined && items.some(({ index }) => index === active.row);
  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label={entity.name}
      aria-description={`${words.keys} ${grid.pickKeys}`}
      aria-rowcount={pages.length + 1}
      aria-colcount={shown.length + 1}
      aria-multiselectable
      aria-activedescendant={here ? cellId(active.row, active.column) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <GridHead columns={columns} order={order} words={{ ...words, pick: grid.pick }} width={width} onOrder={onOrder} />
      <div role="rowgroup" className="grid-body" style={{ height: rows.getTotalSize(), width }}>
        {items.map(({ index, start }) => {
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
              isOpened={row !== undefined && keyOf(entity, row) === opened}
              isPicked={row !== undefined && picked.ids.has(keyOf(entity, row))}
              pickLabel={grid.pick}
              onPick={picked.toggle}
              onSelect={(at) => {
                setActive({ row: index, column: at });
                if (!isEditing) scroller.current?.focus({ preventScroll: true });
              }}
              onEdit={(at) => edit({ row: index, column: at })}
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
  );
}

interface GridRowProps {
  readonly row: Row | undefined;
  readonly index: number;
  readonly top: number;
  readonly columns: Columns;
  readonly context: CellContext;
  /** The column of the active cell; -1 in other rows. */
  readonly column: number;
  readonly isOpened: boolean;
  readonly isPicked: boolean;
  readonly pickLabel: string;
  readonly onPick: (id: string) => void;
  readonly onSelect: (column: number) => void;
  readonly onEdit: (column: number) => void;
  readonly editor: React.ReactNode;
}

const GridRow = memo(
  function GridRow(props: GridRowProps) {
    const { row, index, top, columns, context, column, isOpened, isPicked, pickLabel } = props;
    const { onPick, onSelect, onEdit, editor } = props;
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isPicked}
        className="grid-row"
        data-picked={isPicked || undefined}
        data-opened={isOpened || undefined}
        data-deleted={(row !== undefined && isMarkedDeleted(context.entity, row)) || undefined}
        style={{ transform: `translateY(${top}px)`, height: ROW_PX }}
      >
        {columns.shown.map((field, at) => (
          <div
            key={field.name}
            id={cellId(index, at)}
            role="gridcell"
            aria-selected={column === at}
            className="grid-cell"
            data-figure={isFigure(field) || undefined}
            data-active={column === at || undefined}
            data-pinned={columns.leftOf(field.name) !== null || undefined}
            style={{ width: columns.widthOf(field.name), left: columns.leftOf(field.name) ?? undefined }}
            onMouseDown={() => onSelect(at)}
            onDoubleClick={() => onEdit(at)}
          >
            {column === at && editor !== null ? (
              editor
            ) : row === undefined ? (
              <span className="waiting" aria-label={context.words.loading} role="img" />
            ) : (
              <Cell row={row} field={field} context={context} />
            )}
          </div>
        ))}
        <div role="gridcell" className="grid-pick">
          {row !== undefined && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`${pickLabel} ${keyOf(context.entity, row)}`}
              checked={isPicked}
              onChange={() => onPick(keyOf(context.entity, row))}
            />
          )}
        </div>
      </div>
    );
  },
  // The functions do the same as before while what is shown is the same.
  (before, now) =>
    before.row === now.row &&
    before.top === now.top &&
    before.column === now.column &&
    before.columns === now.columns &&
    before.context === now.context &&
    before.isOpened === now.isOpened &&
    before.isPicked === now.isPicked &&
    before.pickLabel === now.pickLabel &&
    before.onPick === now.onPick &&
    before.editor === null &&
    now.editor === null,
);

const cellId = (row: number, column: number): string => `cell-${row}-${column}`;

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
