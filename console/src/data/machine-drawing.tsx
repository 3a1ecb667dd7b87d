/** A stateflow as it is drawn: where the row stands, and the moves that are open to the reader now. What it shows, the buttons and the list beside it say in words. */
import { useId } from 'react';
import { useWords } from '../words/words.tsx';
import { drawingOf, STATE_HEIGHT, STATE_WIDTH } from './machine.ts';
import type { FlowState, Machine } from './shapes.ts';

/** Longer names are cut; the list beside the drawing has them whole. */
const CHARS_MAX = 17;

export function MachineDrawing({ machine, state }: { readonly machine: Machine; readonly state: FlowState }) {
  const { data: words } = useWords();
  const head = useId();
  const { width, height, states, moves } = drawingOf(machine);
  const isOpen = ({ from, event }: { readonly from: string; readonly event: string }): boolean =>
    from === state.current && state.events.includes(event);
  return (
    <svg
      className="machine"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={words.drawn(machine.name, state.current)}
    >
      <defs>
        {(['open', 'closed'] as const).map((kind) => (
          <marker
            key={kind}
            id={`${head}-${kind}`}
            className={`machine-head-${kind}`}
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="9"
            markerHeight="9"
            orient="auto"
          >
            <path d="M0 0 L8 4 L0 8 Z" />
          </marker>
        ))}
      </defs>
      {moves.map((move) => {
        const kind = isOpen(move) ? 'open' : 'closed';
        return (
          <path
            key={`${move.from} ${move.event}`}
            d={move.path}
            className={`machine-move machine-move-${kind}`}
            data-move={kind}
            markerEnd={`url(#${head}-${kind})`}
          >
            <title>{`${move.from} · ${move.event} → ${move.to}`}</title>
          </path>
        );
      })}
      {states.map(({ name, isFinal, x, y }) => (
        <g key={name} className="machine-state" data-here={name === state.current || undefined}>
          <title>{name}</title>
          <rect x={x} y={y} width={STATE_WIDTH} height={STATE_HEIGHT} rx={isFinal ? STATE_HEIGHT / 2 : 6} />
          <text x={x + STATE_WIDTH / 2} y={y + STATE_HEIGHT / 2 + 4} textAnchor="middle">
            {name.length > CHARS_MAX ? `${name.slice(0, CHARS_MAX - 1)}…` : name}
          </text>
        </g>
      ))}
    </svg>
  );
}
