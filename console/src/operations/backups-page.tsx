/** Sets of the whole node: whether each is there and good, how they are made, when one was proven last, and the commands. */
import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { recordsOf } from '../audit/queries.ts';
import { commandOf } from '../node/command.ts';
import { keepsLogs, settings, type Settings } from '../node/settings.ts';
import { Facts, type Fact } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { NODE_LOG } from '../tenants/history.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Head } from './head.tsx';
import { proofsOf, stateOf, type Proof } from './proofs.ts';
import { backups, health } from './queries.ts';
import type { BackupSets } from './shapes.ts';

const LOOKS = {
  good: { icon: IconCircleCheck, color: 'teal' },
  read: { icon: IconShieldCheck, color: 'teal' },
  proven: { icon: IconShieldCheck, color: 'teal' },
  faulty: { icon: IconAlertTriangle, color: 'red' },
} as const;
const proven = recordsOf(NODE_LOG, { action: 'platform.backup.verify', outcome: 'ok' });

export function BackupsPage() {
  const { operations } = useWords();
  const { data, error, refetch } = useQuery(backups);
  const { data: node } = useQuery(settings);
  return (
    <>
      <Head title={operations.backups} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {node !== undefined && data !== undefined && (
        <Stack gap="sm">
          {data.backups === null ? <NoBackups /> : <Known sets={data.backups} node={node} />}
          <Commands file={node.file} isOn={data.backups !== null} />
        </Stack>
      )}
    </>
  );
}

function NoBackups() {
  const { operations } = useWords();
  return (
    <Panel title={operations.backups}>
      <Text maw="72ch">{operations.noBackups}</Text>
      <Sample label="platform.yaml" text="backups: { to: /mnt/backups/node-1, every: 24h }" />
    </Panel>
  );
}

function Known({ sets, node }: { readonly sets: BackupSets; readonly node: Settings }) {
  const { operations } = useWords();
  const { moment } = useFigures();
  const hasLog = keepsLogs(node);
  const found = useInfiniteQuery({ ...proven, enabled: hasLog });
  const proofs = proofsOf(found.data?.pages.flatMap(({ records }) => records) ?? []);
  return (
    <>
      {sets.failed !== null && (
        <Alert color="red" variant="outline" role="alert" title={operations.backupFailed}>
          <Text c="var(--mantine-color-text)" className="said">
            {sets.failed_at !== null && `${moment(sets.failed_at)}: `}
            {sets.failed}
          </Text>
        </Alert>
      )}
      {sets.unseen !== null && (
        <Alert color="red" variant="outline" role="alert" title={operations.placeSilent}>
          <Text c="var(--mantine-color-text)" className="said">
            {sets.unseen}
          </Text>
        </Alert>
      )}
      <Sets sets={sets} proofs={proofs} />
      <Plan sets={sets} />
      <Panel title={operations.proofs}>
        <Text c="dimmed" size="sm" maw="72ch">
          {operations.proofsHow}
        </Text>
        {!hasLog && <Text maw="72ch">{operations.noProofLog}</Text>}
        {found.error !== null && <Fault error={found.error} again={() => void found.refetch()} />}
        {found.data !== undefined && <Proofs rows={proofs} />}
        {found.data !== undefined && <More label={operations.earlierProofs} of={found} />}
      </Panel>
    </>
  );
}

function Sets({ sets, proofs }: { readonly sets: BackupSets; readonly proofs: readonly Proof[] }) {
  const { operations } = useWords();
  const { bytes, count, moment } = useFigures();
  return (
    <Panel title={operations.sets}>
      <Table
        label={operations.sets}
        rows={sets.sets}
        empty={operations.noSets}
        keyOf={({ id }) => id}
        columns={[
          { label: operations.moment, cell: (set) => (set.fault === null ? moment(set.moment) : '–') },
          {
            label: operations.setState,
            cell: (set) => {
              const state = stateOf(set, proofs);
              return (
                <>
                  <TonedBadge look={LOOKS[state]} state={state}>
                    {operations.setStates[state]}
                  </TonedBadge>
                  {set.fault !== null && (
                    <Text size="sm" className="said">
                      {set.fault}
                    </Text>
                  )}
                </>
              );
            },
          },
          { label: operations.tenantsIn, isFigure: true, cell: ({ tenants }) => count(tenants) },
          {
            label: operations.setSize,
            isFigure: true,
            cell: (set) => <span className="whole">{bytes(set.bytes)}</span>,
          },
          {
            label: operations.setNew,
            isFigure: true,
            isMinor: true,
            cell: (set) => <span className="whole">{bytes(set.new_bytes)}</span>,
          },
          { label: operations.set, isMinor: true, cell: ({ id }) => <span className="mono">{id}</span> },
        ]}
      />
      {sets.sets_more > 0 && <Text c="dimmed">{operations.setsMore(count(sets.sets_more))}</Text>}
    </Panel>
  );
}

function Plan({ sets }: { readonly sets: BackupSets }) {
  const { operations } = useWords();
  const { count, moment, span } = useFigures();
  const { data: node } = useQuery(health);
  const copy = node?.journal_copy ?? null;
  const time = (at: string | null) => (at === null ? null : moment(at));
  const facts: readonly Fact[] = [
    [operations.backupPlace, sets.to],
    [operations.backupEvery, span(sets.every_seconds)],
    [
      operations.backupVerify,
      sets.verify_every_seconds === null ? operations.never : operations.every(span(sets.verify_every_seconds)),
    ],
    [operations.backupEncrypted, sets.encrypted ? operations.yes : operations.no],
    [operations.backupNext, time(sets.next)],
    ...(sets.running_since === null ? [] : ([[operations.backupRunning, time(sets.running_since)]] as const)),
    ...(copy === null
      ? []
      : ([
          [
            operations.journalCopy,
            `${time(copy.copied_at) ?? '–'}${copy.gaps > 0 ? `, ${operations.journalGaps(count(copy.gaps))}` : ''}`,
          ],
        ] as const)),
    [operations.placeSeen, time(sets.seen_at)],
  ];
  return (
    <Panel title={operations.backupPlan}>
      <Facts of={facts} />
    </Panel>
  );
}

function Proofs({ rows }: { readonly rows: readonly Proof[] }) {
  const { operations } = useWords();
  const { count, moment } = useFigures();
  return (
    <Table
      label={operations.proofs}
      rows={rows}
      empty={operations.noProofs}
      keyOf={({ seq }) => String(seq)}
      columns={[
        { label: operations.provenAt, cell: ({ at }) => moment(at) },
        { label: operations.set, cell: ({ set }) => <span className="mono">{set}</span> },
        { label: operations.parts, isFigure: true, cell: ({ parts }) => (parts === null ? '–' : count(parts)) },
        {
          label: operations.restored,
          cell: ({ isRestored, why }) => (isRestored ? operations.yes : why === null ? operations.no : why),
        },
      ]}
    />
  );
}

function Commands({ file, isOn }: { readonly file: string | null; readonly isOn: boolean }) {
  const { operations } = useWords();
  if (!isOn) return null;
  return (
    <Panel title={operations.commands}>
      <Sample label={operations.makeBackup} text={commandOf('backup now', file)} isLine />
      <Sample label={operations.proveBackup} text={commandOf('backup verify', file, ['--restore'])} isLine />
      <Sample label={operations.listBackups} text={commandOf('backup list', file)} isLine />
    </Panel>
  );
}
