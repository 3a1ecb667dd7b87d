/** The heads of the columns: a click orders the rows, the edge between two changes a width. */
import { VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { PointerEvent } from 'react';
import type { Columns } from './columns.ts';
import { WIDTH_MAX, WIDTH_MIN } from './columns.ts';
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
      onPointerDown={begin}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') columns.resize(name, width - STEP_PX);
        if (key === 'ArrowRight') columns.resize(name, width + STEP_PX);
      }}
    />
  );
}
