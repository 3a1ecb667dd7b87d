/** The records that fit, newest first; older ones when they are asked for. */
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ExportButton } from './export-button.tsx';
import { Outcome } from './outcome.tsx';
import { logOf, recordsOf } from './queries.ts';
import { save } from '../parts/save.ts';
import { linesOf } from './export.ts';
import { filtersOf, type AuditSearch } from './search.ts';

interface TimelineProps {
  readonly log: string;
  readonly search: AuditSearch;
  /** The address of a record, as the page that shows it has it. */
  readonly linkOf: (seq: number) => { readonly to: string; readonly search: object };
}

export function Timeline({ log, search, linkOf }: TimelineProps) {
  const { audit } = useWords();
  const { count, moment } = useFigures();
  const place = usePlace();
  const found = useInfiniteQuery(recordsOf(log, search, place));
  const { data: now } = useQuery(logOf(log, place));
  const pages = found.data?.pages;
  const rows = pages?.flatMap(({ records }) => records) ?? [];
  const end = pages?.[0]?.end ?? 0;
  const from = pages?.at(-1)?.from ?? 0;
  const fresh = now === undefined || pages === undefined ? 0 : now.size - end;
  const isFiltered = Object.keys(filtersOf(search)).length > 0;
  // The end of a log moves by itself; a search, or a reader further back, asks on purpose.
  const follows = fresh > 0 && !isFiltered && pages?.length === 1;
  const { refetch } = found;
  useEffect(() => {
    if (follows) void refetch();
  }, [follows, refetch, end]);
  return (
    <Panel title={audit.records}>
      {found.error !== null && <Fault error={found.error} again={() => void found.refetch()} />}
      {pages !== undefined && (
        <>
          <Group gap="xs" mb="xs">
            {fresh > 0 && !follows && (
              <Button
                size="xs"
                variant="light"
                color="gray"
                c="var(--mantine-color-text)"
                onClick={() => void found.refetch()}
              >
                {audit.newer}: {count(fresh)}
              </Button>
            )}
            {rows.length > 0 && (
              <Button size="xs" variant="default" onClick={() => save('records.jsonl', linesOf(rows))}>
                {audit.saveShown}
              </Button>
            )}
            {from > 0 && rows.length > 0 && <ExportButton log={log} search={search} end={end} />}
          </Group>
          <Table
            label={audit.records}
            rows={rows}
            empty={isFiltered ? audit.noneFit : audit.none}
            keyOf={({ id }) => id}
            columns={[
              { label: audit.at, cell: ({ ts }) => moment(ts) },
              {
                label: audit.action,
                cell: ({ action, seq }) => (
                  <Anchor
                    renderRoot={(props) => <Link {...props} {...(linkOf(seq) as { to: string; search: never })} />}
                    size="sm"
                    c="var(--mantine-color-text)"
                    underline="always"
                  >
                    {action}
                  </Anchor>
                ),
              },
              { label: audit.outcome, cell: ({ outcome }) => <Outcome of={outcome} /> },
              { label: audit.actor, cell: ({ actor }) => <span className="mono">{actor}</span> },
              { label: audit.target, cell: ({ target }) => <span className="mono">{target}</span> },
              { label: audit.number, isFigure: true, cell: ({ seq }) => count(seq) },
            ]}
          />
          {from > 0 && (
            <Group gap="xs" mt="xs">
              <Button
                size="xs"
                variant="default"
                loading={found.isFetchingNextPage}
                onClick={() => void found.fetchNextPage()}
              >
                {audit.older}
              </Button>
              <Text size="sm" c="dimmed">
                {isFiltered ? audit.searchedTo : audit.shownTo} {count(from)}
              </Text>
            </Group>
          )}
        </>
      )}
    </Panel>
  );
}
