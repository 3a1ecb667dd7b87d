/** The backups that hold a tenant, as the log of the node has them, each with the way to restore it; how one is made. */
import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { commandOf } from '../node/command.ts';
import { keepsLogs, settings, type Settings } from '../node/settings.ts';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { backupsOf, type Backup } from './history.ts';
import { tenantAddress } from './paths.ts';
import { backupRecords } from './queries.ts';

export function BackupsPanel({ tenantKey }: { readonly tenantKey: string }) {
  const { acts: words } = useWords();
  const node = useQuery(settings);
  const hasLog = node.data !== undefined && keepsLogs(node.data);
  const found = useInfiniteQuery({ ...backupRecords, enabled: hasLog });
  const rows = found.data?.pages.flatMap(({ records }) => backupsOf(records, tenantKey));
  return (
    <Panel title={words.backups}>
      {found.error !== null && <Fault error={found.error} again={() => void found.refetch()} />}
      {node.data !== undefined && (
        <Text size="sm" c="dimmed" mb={4} maw="72ch">
          {isScheduled(node.data) ? words.scheduled : words.unscheduled}
        </Text>
      )}
      {rows !== undefined && <Backups rows={rows} tenantKey={tenantKey} />}
      {rows !== undefined && <More label={words.earlier} of={found} />}
      {node.data !== undefined && !hasLog && (
        <>
          <Text maw="72ch">{words.noLogBackups}</Text>
          <Sample label={words.listSets} text={commandOf('backup list', node.data.file)} isLine />
        </>
      )}
    </Panel>
  );
}

/** Whether the node makes sets by itself. */
const isScheduled = ({ of }: Settings): boolean => of.has('backups.to') || of.has('backups.s3.bucket');

function Backups({ rows, tenantKey }: { readonly rows: readonly Backup[]; readonly tenantKey: string }) {
  const { acts: words, audit } = useWords();
  const { bytes, moment } = useFigures();
  return (
    <Table
      label={words.backups}
      rows={rows}
      empty={words.noBackups}
      keyOf={({ seq }) => String(seq)}
      columns={[
        { label: audit.at, cell: ({ at }) => moment(at) },
        { label: words.of, cell: ({ set }) => (set === null ? words.ofTenant : `${words.ofNode} ${set}`) },
        {
          label: words.size,
          isMinor: true,
          isFigure: true,
          cell: (one) => (one.bytes === null ? '–' : bytes(one.bytes)),
        },
        {
          label: 'SHA-256',
          isMinor: true,
          cell: ({ sha256 }) => (
            <span className="mono" title={sha256 ?? undefined}>
              {sha256?.slice(0, 12) ?? '–'}
            </span>
          ),
        },
        {
          label: words.restore,
          cell: ({ set, at }) => (
            <Anchor
              renderRoot={(props) => (
                <Link
                  {...props}
                  to={tenantAddress(tenantKey)}
                  search={(before: object) =>
                    ({
                      ...before,
                      act: set === null ? 'restore' : 'restore-set',
                      ...(set !== null && { set }),
                    }) as never
                  }
                  aria-label={`${words.restore}: ${moment(at)}`}
                />
              )}
              size="sm"
              c="var(--mantine-color-text)"
              underline="always"
            >
              {words.restore} …
            </Anchor>
          ),
        },
      ]}
    />
  );
}
