/** Deliveries of webhooks; when the change was made opens the sheet of one. */
import { Opens } from '../parts/opens.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { DeliveryBadge } from './delivery-badge.tsx';
import { webhooksPath } from './paths.ts';
import type { DeliveriesSearch } from './search.ts';
import type { Delivery } from './shapes.ts';

/** The link of a delivery in the list, to which the keyboard comes back. */
export const linkId = (id: string): string => `delivery-${id}`;

interface DeliveriesTableProps {
  readonly rows: readonly Delivery[];
  readonly search: DeliveriesSearch;
  readonly hasMore: boolean;
}

export function DeliveriesTable({ rows, search, hasMore }: DeliveriesTableProps) {
  const { content: words } = useWords();
  const { key } = usePlace();
  const { moment, count } = useFigures();
  return (
    <Table
      label={words.deliveries}
      rows={rows}
      empty={hasMore ? words.noneYet : search.outcome === undefined ? words.noDeliveries : words.noneOfOutcome}
      keyOf={({ id }) => id}
      columns={[
        {
          label: words.since,
          cell: (one) => (
            <Opens
              name={moment(one.at)}
              to={webhooksPath(key)}
              search={{ ...search, delivery: one.id }}
              id={linkId(one.id)}
            >
              {one.app} / {one.webhook}
            </Opens>
          ),
        },
        { label: words.state, cell: (one) => <DeliveryBadge of={one.outcome} /> },
        { label: words.webhook, isMinor: true, cell: ({ app, webhook }) => `${app} / ${webhook}` },
        { label: words.about, isMinor: true, cell: ({ type, event }) => `${type} ${words.events[event]}` },
        {
          label: words.documents,
          isMinor: true,
          isFigure: true,
          cell: ({ documents_count: documents }) => count(documents),
        },
      ]}
    />
  );
}
