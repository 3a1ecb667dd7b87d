/** Events that wait or ended without success; when each came about opens its sheet. */
import { Opens } from '../parts/opens.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { triggersPath } from './paths.ts';
import type { TriggerSearch } from './search.ts';
import type { TriggerEvent } from './shapes.ts';
import { EventBadge } from './state-badge.tsx';

/** The link of an event in the list, to which the keyboard comes back. */
export const linkId = (id: string): string => `event-${id}`;

interface EventsTableProps {
  readonly rows: readonly TriggerEvent[];
  readonly search: TriggerSearch;
}

export function EventsTable({ rows, search }: EventsTableProps) {
  const { triggers: words } = useWords();
  const { key } = usePlace();
  const { moment, count } = useFigures();
  return (
    <Table
      label={words.eventsList}
      rows={rows}
      empty={search.outcome === undefined && search.trigger === undefined ? words.noEvents : words.noneOf}
      keyOf={({ id }) => id}
      columns={[
        {
          label: words.at,
          cell: (one) => (
            <Opens
              name={moment(one.at)}
              to={triggersPath(key)}
              search={{ ...search, event: one.id }}
              id={linkId(one.id)}
            >
              {one.trigger}
            </Opens>
          ),
        },
        { label: words.outcome, cell: (one) => <EventBadge of={one} /> },
        { label: words.trigger, isMinor: true, cell: ({ trigger }) => trigger },
        {
          label: words.about,
          isMinor: true,
          cell: ({ entity, event }) => (entity === null ? words.events[event] : `${entity} ${words.events[event]}`),
        },
        { label: words.attempts, isMinor: true, isFigure: true, cell: ({ attempts }) => count(attempts) },
        {
          label: words.answer,
          isMinor: true,
          cell: (one) => <span className="gist">{answerOf(one)}</span>,
        },
      ]}
    />
  );
}

const answerOf = ({ status, error }: TriggerEvent): string =>
  [...(status === null ? [] : [String(status)]), ...(error === null ? [] : [error])].join(' · ') || '–';
