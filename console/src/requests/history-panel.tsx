/** The last requests of a page, each with how it was answered and a button that fills it in again; nothing is sent by it. */
import { Anchor } from '@mantine/core';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { useHistory, type Kind, type Past } from './history.ts';
import './requests.css';

interface HistoryPanelProps<K extends Kind> {
  readonly kind: K;
  readonly again: (past: Past<K>) => void;
}

export function HistoryPanel<K extends Kind>({ kind, again }: HistoryPanelProps<K>) {
  const { requests: words } = useWords();
  const { count, moment } = useFigures();
  const rows = useHistory(kind);
  if (rows.length === 0) return null;
  return (
    <Panel title={words.history}>
      <Table<Past<K>>
        label={words.history}
        rows={rows}
        empty=""
        keyOf={({ id }) => String(id)}
        columns={[
          {
            label: words.asked,
            cell: (past) => (
              <Anchor
                component="button"
                type="button"
                className="mono past"
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
                aria-label={`${words.fillIn}: ${past.title}`}
                onClick={() => again(past)}
              >
                {past.title}
              </Anchor>
            ),
          },
          { label: words.status, cell: ({ status }) => status ?? '–' },
          { label: words.took, isFigure: true, cell: ({ ms }) => `${count(ms)} ms` },
          { label: words.at, isMinor: true, cell: ({ at }) => moment(at) },
        ]}
      />
    </Panel>
  );
}
