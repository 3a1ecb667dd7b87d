/** What was done to a tenant by commands: the log of the node, newest first. */
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AuditRecord } from '../audit/shapes.ts';
import { keepsLogs, settings } from '../node/settings.ts';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { NODE_LOG, detailsOf } from './history.ts';
import { doneTo, lookAgain } from './queries.ts';

export function HistoryPanel({ tenantKey }: { readonly tenantKey: string }) {
  const { acts: words } = useWords();
  const queries = useQueryClient();
  const node = useQuery(settings);
  const hasLog = node.data !== undefined && keepsLogs(node.data);
  const found = useInfiniteQuery({ ...doneTo(tenantKey), enabled: hasLog });
  const rows = found.data?.pages.flatMap(({ records }) => records);
  const fault = node.error ?? found.error;
  return (
    <Panel title={words.history}>
      {fault !== null && (
        <Fault error={fault} again={() => void (node.error === null ? found.refetch() : node.refetch())} />
      )}
      {node.data !== undefined && !hasLog && <Text maw="72ch">{words.noLog}</Text>}
      {rows !== undefined && (
        <>
          <Done rows={rows} />
          <Group gap="xs" mt="xs">
            <Button
              size="xs"
              variant="default"
              loading={found.isRefetching && !found.isFetchingNextPage}
              onClick={() => void lookAgain(queries)}
            >
              {words.lookAgain}
            </Button>
            <More label={words.earlier} of={found} />
          </Group>
        </>
      )}
    </Panel>
  );
}

function Done({ rows }: { readonly rows: readonly AuditRecord[] }) {
  const { acts: words, audit } = useWords();
  const { moment } = useFigures();
  return (
    <Table
      label={words.history}
      rows={rows}
      empty={words.noHistory}
      keyOf={({ id }) => id}
      columns={[
        { label: audit.at, cell: ({ ts }) => moment(ts) },
        {
          label: words.what,
          cell: ({ action, seq }) => (
            <Anchor
              renderRoot={(props) => (
                <Link {...props} to="/audit" search={{ log: NODE_LOG, record: seq } as never} title={action} />
              )}
              size="sm"
              c="var(--mantine-color-text)"
              underline="always"
            >
              {words.done[action as keyof typeof words.done] ?? action}
            </Anchor>
          ),
        },
        {
          label: words.by,
          cell: ({ actor }) => (actor === 'internal' ? words.byCommand : <span className="mono">{actor}</span>),
        },
        { label: words.details, cell: (record) => <Details of={record} /> },
      ]}
    />
  );
}

function Details({ of: record }: { readonly of: AuditRecord }) {
  const { acts: words } = useWords();
  const { bytes, count } = useFigures();
  const shown = detailsOf(record).map(([name, value]) => {
    const text = typeof value === 'string' ? value : name === 'bytes' ? bytes(value) : count(value);
    return `${words.members[name as keyof typeof words.members] ?? name}: ${text}`;
  });
  return <span className="detail">{shown.join(' · ')}</span>;
}
