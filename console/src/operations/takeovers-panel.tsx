/** When this machine came to serve the log, for which node it had waited, and why the place was free: from the log of the node. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { recordsOf } from '../audit/queries.ts';
import { keepsLogs, type Settings } from '../node/settings.ts';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { NODE_LOG } from '../tenants/history.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';

const taken = recordsOf(NODE_LOG, { action: 'platform.log.take' });

export function TakeoversPanel({ node }: { readonly node: Settings }) {
  const { operations, vault } = useWords();
  const { moment } = useFigures();
  const hasLog = keepsLogs(node);
  const found = useInfiniteQuery({ ...taken, enabled: hasLog });
  const causes: Readonly<Record<string, string>> = operations.causes;
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return (
    <Panel title={operations.takeovers}>
      {!hasLog && <Text maw="72ch">{operations.noTakeoverLog}</Text>}
      {found.error !== null && <Fault error={found.error} again={() => void found.refetch()} />}
      {found.data !== undefined && (
        <>
          <Table
            label={operations.takeovers}
            rows={found.data.pages.flatMap(({ records }) => records)}
            empty={operations.noTakeover}
            keyOf={({ seq }) => String(seq)}
            columns={[
              { label: operations.takenAt, cell: ({ ts }) => moment(ts) },
              { label: operations.node, cell: ({ target }) => <span className="mono">{target}</span> },
              { label: operations.tookFrom, cell: ({ data }) => textOf(data?.['before']) || operations.foundFree },
              { label: operations.whyTaken, cell: ({ data }) => causes[textOf(data?.['why'])] ?? '–' },
            ]}
          />
          <More label={vault.earlier} of={found} />
        </>
      )}
    </Panel>
  );
}
