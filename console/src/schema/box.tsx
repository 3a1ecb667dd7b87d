/** An entity as a box: its name, its fields with their types, references first. The list below the drawing has the fields for readers who do not see it. */
import { useWords } from '../words/words.tsx';
import { BOX_PX, HEAD_PX, LINE_PX, type Box } from './boxes.ts';

/** Longer names are cut; the entity's page has them whole. */
const NAME_CHARS_MAX = 22;
const FIELD_CHARS_MAX = 18;

interface BoxShapeProps {
  readonly box: Box;
  readonly isFound: boolean;
  readonly isOpened: boolean;
  readonly q: string;
  readonly open: (entity: string) => void;
}

export function BoxShape({ box: { entity, fields, more, x, y, height }, isFound, isOpened, q, open }: BoxShapeProps) {
  const { schema: words } = useWords();
  const { name, primary_key: key } = entity;
  const text = q.trim().toLowerCase();
  const lineY = (at: number): number => HEAD_PX + (at + 0.5) * LINE_PX + 5;
  return (
    <g
      className="schema-box"
      transform={`translate(${x} ${y})`}
      data-entity={name}
      data-dim={!isFound || undefined}
      data-opened={isOpened || undefined}
      onClick={() => open(name)}
    >
      <rect width={BOX_PX} height={height} rx={6} />
      <line x1={0} x2={BOX_PX} y1={HEAD_PX} y2={HEAD_PX} />
      <g
        role="button"
        tabIndex={0}
        aria-label={name}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          event.stopPropagation();
          open(name);
        }}
      >
        <rect className="schema-head" width={BOX_PX} height={HEAD_PX} />
        <text x={10} y={20} className="schema-name">
          {cut(name, NAME_CHARS_MAX)}
        </text>
      </g>
      <g aria-hidden>
        {fields.map((field, at) => (
          <g key={field.name} data-hit={(text !== '' && field.name.toLowerCase().includes(text)) || undefined}>
            <text x={10} y={lineY(at)} className={field.name === key ? 'schema-key' : undefined}>
              {cut(field.name, FIELD_CHARS_MAX)}
            </text>
            <text x={BOX_PX - 10} y={lineY(at)} textAnchor="end" className="schema-type">
              {field.ref === undefined ? field.type : `→ ${cut(field.ref.entity, 10)}`}
            </text>
          </g>
        ))}
        {more > 0 && (
          <text x={10} y={lineY(fields.length)} className="schema-type">
            {words.more(more)}
          </text>
        )}
      </g>
    </g>
  );
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
