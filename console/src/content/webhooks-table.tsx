/** The webhooks of all apps, each with where it goes and what it hears of. */
import { Table } from '../parts/table.tsx';
import { useWords } from '../words/words.tsx';
import type { Webhook } from './shapes.ts';

interface WebhooksTableProps {
  readonly rows: readonly (Webhook & { readonly app: string })[];
}

export function WebhooksTable({ rows }: WebhooksTableProps) {
  const { content: words } = useWords();
  return (
    <Table
      label={words.webhooksList}
      rows={rows}
      empty={words.webhooksGone}
      keyOf={({ app, name }) => `${app}/${name}`}
      columns={[
        { label: words.webhook, cell: ({ app, name }) => `${app} / ${name}` },
        { label: words.goesTo, cell: ({ host }) => <span className="mono">{host}</span> },
        {
          label: words.hears,
          isMinor: true,
          cell: ({ events }) =>
            events.length === 0 ? words.hearsAll : events.map((one) => words.events[one]).join(', '),
        },
        { label: words.isActive, isMinor: true, cell: ({ active }) => (active ? words.active : words.suspended) },
      ]}
    />
  );
}
