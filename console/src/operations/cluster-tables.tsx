/** Nodes, the database and shards of a log. */
import { Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconClockPause, IconX } from '@tabler/icons-react';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { ClusterLog } from './shapes.ts';

const MATES = {
  serves: { icon: IconCircleCheck, color: 'teal' },
  'stands by': { icon: IconClockPause, color: 'blue' },
  silent: { icon: IconAlertTriangle, color: 'red' },
  ended: { icon: IconCircleDashed, color: 'gray' },
} as const;
const FINDINGS = {
  ok: { icon: IconCircleCheck, color: 'teal' },
  warning: { icon: IconAlertTriangle, color: 'honey' },
  fault: { icon: IconX, color: 'red' },
} as const;

const LINKS = {
  up: { icon: IconCircleCheck, color: 'teal' },
  down: { icon: IconX, color: 'red' },
} as const;

interface OfLog {
  readonly log: ClusterLog;
}

export function NodesPanel({ log }: OfLog) {
  const { operations } = useWords();
  const { count } = useFigures();
  const isAlone = log.nodes.length > 0 && log.nodes.every(({ state }) => state !== 'stands by');
  const told = (value: number | null) => (value === null ? '–' : count(value));
  return (
    <Panel title={operations.nodes}>
      {isAlone && <Text maw="72ch">{operations.alone}</Text>}
      <Table
        label={operations.nodes}
        rows={log.nodes.map((mate, no) => ({ ...mate, no }))}
        empty={operations.noNodes}
        keyOf={({ no }) => String(no)}
        columns={[
          { label: operations.node, cell: ({ node }) => <span className="mono">{node}</span> },
          {
            label: operations.state,
            cell: ({ state }) => (
              <TonedBadge look={MATES[state]} state={state}>
                {operations.mates[state]}
              </TonedBadge>
            ),
          },
          { label: operations.beat, isFigure: true, cell: ({ beat_seconds }) => count(beat_seconds) },
          { label: operations.entriesBehind, isFigure: true, cell: ({ behind }) => told(behind) },
          { label: operations.hadAll, isFigure: true, isMinor: true, cell: ({ behind_seconds: ago }) => told(ago) },
          {
            label: operations.linkAt,
            isMinor: true,
            cell: ({ link }) => (link === null ? '–' : <span className="mono">{link}</span>),
          },
          { label: operations.linked, cell: ({ linked }) => <LinkState linked={linked} /> },
          {
            label: operations.carries,
            isMinor: true,
            cell: ({ carries }) => (carries === null ? '–' : <span className="mono">{carries}</span>),
          },
        ]}
      />
      {log.nodes_more > 0 && <Text c="dimmed">{operations.nodesMore(count(log.nodes_more))}</Text>}
    </Panel>
  );
}

/** Whether the doors of a standby reach the node that serves; nothing of one whose doors are closed. */
function LinkState({ linked }: { readonly linked: boolean | null }) {
  const { operations } = useWords();
  if (linked === null) return '–';
  const state = linked ? 'up' : 'down';
  return (
    <TonedBadge look={LINKS[state]} state={state}>
      {operations.links[state]}
    </TonedBadge>
  );
}

export function DatabasePanel({ database }: { readonly database: NonNullable<ClusterLog['database']> }) {
  const { operations } = useWords();
  const { bytes } = useFigures();
  return (
    <Panel title={operations.database}>
      <Table
        label={operations.database}
        rows={database.findings}
        empty={operations.noFinding}
        keyOf={({ check }) => check}
        columns={[
          { label: operations.check, cell: ({ check }) => check },
          {
            label: operations.state,
            cell: ({ state }) => (
              <TonedBadge look={FINDINGS[state]} state={state}>
                {operations.findings[state]}
              </TonedBadge>
            ),
          },
          { label: operations.found, cell: ({ detail, mend }) => (mend === '' ? detail : `${detail}: ${mend}`) },
        ]}
      />
      <Text fw={600} mt="sm">
        {operations.members}
      </Text>
      <Table
        label={operations.members}
        rows={database.members.map((member, no) => ({ ...member, no }))}
        empty={operations.noMembers}
        keyOf={({ no }) => String(no)}
        columns={[
          { label: operations.server, cell: ({ name }) => <span className="mono">{name}</span> },
          { label: operations.state, cell: ({ state }) => state ?? '–' },
          { label: operations.syncOf, cell: ({ sync }) => sync ?? '–' },
          {
            label: operations.bytesBehind,
            isFigure: true,
            cell: ({ behind_bytes: behind }) => (behind === null ? '–' : bytes(behind)),
          },
        ]}
      />
    </Panel>
  );
}

export function ShardsPanel({ log }: OfLog) {
  const { operations } = useWords();
  const { count, moment } = useFigures();
  return (
    <Panel title={operations.shards}>
      <Table
        label={operations.shards}
        rows={log.shards}
        empty={operations.noShards}
        keyOf={({ shard }) => String(shard)}
        columns={[
          { label: operations.shard, cell: ({ shard }) => count(shard) },
          { label: operations.host, cell: ({ host }) => host ?? '–' },
          { label: operations.owner, cell: ({ owner }) => <span className="mono">{owner ?? '–'}</span> },
          { label: operations.epoch, isFigure: true, isMinor: true, cell: ({ epoch }) => count(epoch) },
          { label: operations.newest, isFigure: true, cell: ({ last }) => count(last) },
          { label: operations.confirmed, isFigure: true, isMinor: true, cell: (one) => count(one.confirmed) },
          { label: operations.trimmed, isFigure: true, cell: ({ trimmed }) => count(trimmed) },
          { label: operations.copied, cell: ({ copied_at: at }) => (at === null ? '–' : moment(at)) },
          { label: operations.copyBehind, isFigure: true, cell: ({ behind }) => count(behind) },
        ]}
      />
      {log.shards_more > 0 && <Text c="dimmed">{operations.shardsMore(count(log.shards_more))}</Text>}
    </Panel>
  );
}
