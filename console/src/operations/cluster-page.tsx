/** The nodes on one log: who serves and since when, who follows and how far, the database, the shards, and the commands for the rest. */
import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { commandOf } from '../node/command.ts';
import { settings, type Settings } from '../node/settings.ts';
import { Facts, type Fact } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { DatabasePanel, NodesPanel, ShardsPanel } from './cluster-tables.tsx';
import { Head } from './head.tsx';
import { cluster } from './queries.ts';
import type { ClusterLog } from './shapes.ts';
import { TakeoversPanel } from './takeovers-panel.tsx';

export function ClusterPage() {
  const { operations } = useWords();
  const { data, error, refetch } = useQuery(cluster);
  const { data: node } = useQuery(settings);
  return (
    <>
      <Head title={operations.cluster} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {node !== undefined && data?.log === null && <NoCluster file={node.file} />}
      {node !== undefined && data !== undefined && data.log !== null && <Known log={data.log} node={node} />}
    </>
  );
}

function NoCluster({ file }: { readonly file: string | null }) {
  const { operations } = useWords();
  return (
    <Panel title={operations.cluster}>
      <Text maw="72ch">{operations.noCluster}</Text>
      <Sample label={operations.makeLog} text={commandOf('cluster init', file)} isLine />
      <Sample label={operations.fitDatabase} text={commandOf('cluster check', file)} isLine />
    </Panel>
  );
}

function Known({ log, node }: { readonly log: ClusterLog; readonly node: Settings }) {
  const { operations } = useWords();
  return (
    <Stack gap="sm">
      {log.failed !== null && (
        <Alert color="red" variant="outline" role="alert" title={operations.notAnswering}>
          <Text c="var(--mantine-color-text)" className="said">
            {log.failed}
          </Text>
          <Text c="dimmed" size="sm">
            {log.asked_at === null ? operations.seenNever : operations.whatIsOld}
          </Text>
        </Alert>
      )}
      <OwnPanel log={log} />
      <NodesPanel log={log} />
      {log.database !== null && <DatabasePanel database={log.database} />}
      <ShardsPanel log={log} />
      <TakeoversPanel node={node} />
      <CommandsPanel log={log} file={node.file} />
    </Stack>
  );
}

function OwnPanel({ log }: { readonly log: ClusterLog }) {
  const { operations } = useWords();
  const { bytes, count, moment } = useFigures();
  const [left, whole] = [log.lease_left_seconds, log.lease_seconds];
  const facts: readonly Fact[] = [
    [operations.node, log.node],
    [operations.servesSince, log.since === null ? null : moment(log.since)],
    [operations.tookFrom, log.before ?? operations.foundFree],
    [operations.whyTaken, log.why === null ? null : operations.causes[log.why]],
    [operations.lease, left > 0 ? operations.leaseLeft(count(left), count(whole)) : operations.leaseOver(count(whole))],
    [operations.reads, operations.readKinds[log.reads]],
    [operations.logAt, log.database?.name],
    [operations.logSize, log.database?.bytes == null ? null : bytes(log.database.bytes)],
    [operations.seenAt, log.asked_at === null ? null : moment(log.asked_at)],
  ];
  return (
    <Panel title={operations.thisNode}>
      <Facts of={facts} />
    </Panel>
  );
}

function CommandsPanel({ log, file }: { readonly log: ClusterLog; readonly file: string | null }) {
  const { operations } = useWords();
  const gone = log.nodes.filter(({ state }) => state === 'silent');
  return (
    <Panel title={operations.commands}>
      <Text maw="72ch">{operations.commandsHow}</Text>
      <Sample label={operations.drain} text={commandOf('cluster drain', file, [log.node])} isLine />
      {gone.map(({ node }) => (
        <div key={node}>
          <Sample
            label={operations.fence(node)}
            text={commandOf('cluster fence', file, [node, '--confirm', node])}
            isLine
          />
          <Text c="dimmed" size="sm">
            {operations.fenceHow}
          </Text>
        </div>
      ))}
      <Sample label={operations.snapshot} text={commandOf('cluster snapshot', file)} isLine />
      <Sample label={operations.checkLog} text={commandOf('cluster check', file)} isLine />
      <Sample label={operations.statusLine} text={commandOf('cluster status', file)} isLine />
      <Text mt="xs" maw="72ch">
        {operations.move} <span className="mono">skep tenant move</span>.
      </Text>
    </Panel>
  );
}
