/** A row of the grid, drawn anew only where what it shows is another. */
import { memo } from 'react';
import { Cell, type CellContext } from './cell.tsx';
import type { Columns } from './columns.ts';
import { isFigure } from './operators.ts';
import { isMarkedDeleted, keyOf, type Row } from './shapes.ts';

export const ROW_PX = 32;

interface GridRowProps {
  readonly row: Row | undefined;
  readonly index: number;
  readonly top: number;
  readonly columns: Columns;
  readonly context: CellContext;
  /** The column of the active cell; -1 in other rows. */
  readonly column: number;
  /** The columns of the block that is marked, both of them in it; -1 in rows without a part of it. */
  readonly from: number;
  readonly to: number;
  readonly isOpened: boolean;
  readonly isPicked: boolean;
  readonly pickLabel: string;
  readonly onPick: (id: string) => void;
  readonly onSelect: (column: number, isMarking: boolean) => void;
  readonly onEdit: (column: number) => void;
  readonly editor: React.ReactNode;
}

export const GridRow = memo(
  function GridRow(props: GridRowProps) {
    const { row, index, top, columns, context, column, from, to, isOpened, isPicked, pickLabel } = props;
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
            aria-selected={column === at || (at >= from && at <= to)}
            className="grid-cell"
            data-figure={isFigure(field) || undefined}
            data-active={column === at || undefined}
            data-marked={(at >= from && at <= to) || undefined}
            data-pinned={columns.leftOf(field.name) !== null || undefined}
            style={{ width: columns.widthOf(field.name), left: columns.leftOf(field.name) ?? undefined }}
            onMouseDown={(event) => {
              // Shift marks a block of cells, and not a text.
              if (event.shiftKey) event.preventDefault();
              onSelect(at, event.shiftKey);
            }}
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
    before.from === now.from &&
    before.to === now.to &&
    before.columns === now.columns &&
    before.context === now.context &&
    before.isOpened === now.isOpened &&
    before.isPicked === now.isPicked &&
    before.pickLabel === now.pickLabel &&
    before.onPick === now.onPick &&
    before.editor === null &&
    now.editor === null,
);

export const cellId = (row: number, column: number): string => `cell-${row}-${column}`;
