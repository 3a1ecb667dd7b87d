/** The heads of the columns: a click orders the rows, a drag moves the column, the edge between two changes a width. */
import { VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useState, type DragEvent, type PointerEvent } from 'react';
import { WIDTH_MAX, WIDTH_MIN, type Columns } from './columns.ts';
import { isFigure, isOrdered } from './operators.ts';
import type { Words } from '../words/en.ts';

interface GridHeadProps {
  readonly columns: Columns;
  readonly order: readonly string[];
  readonly words: Words['data'] & Pick<Words['grid'], 'pick'>;
  readonly width: number;
  readonly onOrder: (field: string) => void;
}

const STEP_PX = 16;

export function GridHead({ columns, order, words, width, onOrder }: GridHeadProps) {
  const [by] = order;
  const dragged = useDragged(columns);
  return (
    <div role="rowgroup" className="grid-head" style={{ width }}>
      <div role="row" aria-rowindex={1} className="grid-heads">
        {columns.shown.map((field) => {
          const { name } = field;
          const way = by === name ? 'ascending' : by === `-${name}` ? 'descending' : 'none';
          return (
            <div
              key={name}
              role="columnheader"
              aria-sort={way}
              className="grid-cell"
              data-figure={isFigure(field) || undefined}
              data-pinned={columns.leftOf(name) !== null || undefined}
              {...dragged(name)}
              style={{ width: columns.widthOf(name), left: columns.leftOf(name) ?? undefined }}
            >
              {isOrdered(field) ? (
                <button type="button" title={`${words.sort} ${name}`} onClick={() => onOrder(name)}>
                  {name}
                  {way === 'ascending' && <IconArrowUp size={14} aria-hidden />}
                  {way === 'descending' && <IconArrowDown size={14} aria-hidden />}
                </button>
              ) : (
                name
              )}
              <Edge name={name} columns={columns} label={`${words.resize} ${name}`} />
            </div>
          );
        })}
        <div role="columnheader" className="grid-pick">
          <VisuallyHidden>{words.pick}</VisuallyHidden>
        </div>
      </div>
    </div>
  );
}

/** A column that is dragged takes the place of the one on which it is dropped, among those that stay at the left, or among the others. */
function useDragged(columns: Columns) {
  const [from, setFrom] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const isPinned = (name: string): boolean => columns.leftOf(name) !== null;
  const end = (): void => {
    setFrom(null);
    setOver(null);
  };
  return (name: string) => ({
    draggable: true,
    'data-over': (over === name && from !== name) || undefined,
    onDragStart: ({ dataTransfer }: DragEvent) => {
      dataTransfer.effectAllowed = 'move';
      dataTransfer.setData('text/plain', name);
      setFrom(name);
    },
    onDragOver: (event: DragEvent) => {
      if (from === null || isPinned(from) !== isPinned(name)) return;
      event.preventDefault();
      setOver(name);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      if (from !== null) columns.place(from, name);
      end();
    },
    onDragEnd: end,
  });
}

function Edge({ name, columns, label }: { readonly name: string; readonly columns: Columns; readonly label: string }) {
  const width = columns.widthOf(name);
  const begin = (event: PointerEvent<HTMLSpanElement>): void => {
    event.preventDefault();
    const { currentTarget: edge, clientX: from, pointerId } = event;
    edge.setPointerCapture(pointerId);
    const follow = ({ clientX }: globalThis.PointerEvent): void => columns.resize(name, width + clientX - from);
    edge.addEventListener('pointermove', follow);
    edge.addEventListener('pointerup', () => edge.removeEventListener('pointermove', follow), { once: true });
  };
  return (
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={WIDTH_MIN}
      aria-valuemax={WIDTH_MAX}
      tabIndex={0}
      className="grid-edge"
      // It is dragged by itself, not with the column.
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={begin}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') columns.resize(name, width - STEP_PX);
        if (key === 'ArrowRight') columns.resize(name, width + STEP_PX);
      }}
    />
  );
}
