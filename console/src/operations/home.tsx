/** Is it well? One line, then why. */
import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { EndingLine } from './ending-line.tsx';
import { Head } from './head.tsx';
import { figures, health, loadOf, logsFrom, slow } from './queries.ts';
import { Hosts, Lines, Rates, SlowRequests, Threads } from './tables.tsx';
import { Tiles } from './tiles.tsx';
import { VerdictLine } from './verdict-line.tsx';

const SHOWN = 5;

export function HomePage() {
  const { operations } = useWords();
  const node = useQuery(health);
  const load = useQuery(loadOf(1));
  const slowest = useQuery(slow);
  const warnings = useQuery(logsFrom('warn'));
  const hour = useQuery(figures);
  const asked = [node, load, slowest, warnings, hour];
  const failed = asked.find(({ error }) => error !== null);
  return (
    <>
      <Head title={operations.title} />
      {failed !== undefined && (
        <Fault error={failed.error!} again={() => asked.forEach((query) => void query.refetch())} />
      )}
      {node.data !== undefined && (
        <>
          <VerdictLine health={node.data} />
          <EndingLine />
          <Tiles health={node.data} healthAt={node.dataUpdatedAt} load={load.data} points={hour.data?.points ?? []} />
        </>
      )}
      <Stack gap="sm">
        {slowest.data !== undefined && (
          <Panel title={operations.slowest}>
            <SlowRequests rows={slowest.data.requests.slice(0, SHOWN)} />
          </Panel>
        )}
        {warnings.data !== undefined && (
          <Panel title={operations.warnings}>
            <Lines rows={warnings.data.lines.slice(-SHOWN)} label={operations.warnings} />
          </Panel>
        )}
        {node.data !== undefined && (
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="sm">
            <Panel title={operations.threads}>
              <Threads rows={node.data.threads} />
            </Panel>
            <Panel title={operations.hosts}>
              <Hosts rows={node.data.hosts} />
            </Panel>
          </SimpleGrid>
        )}
        {load.data !== undefined && (
          <Panel title={operations.rates}>
            <Rates rows={load.data.rates} />
          </Panel>
        )}
      </Stack>
    </>
  );
}
