/** The certificates that the node orders for its names, the next to end first. */
import { Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClock } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { keepsLogs, type Settings } from '../node/settings.ts';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { certificatesOf } from './ends.ts';
import { issued } from './queries.ts';

const LOOKS = {
  well: { icon: IconCircleCheck, color: 'teal' },
  soon: { icon: IconClock, color: 'honey' },
  over: { icon: IconAlertTriangle, color: 'red' },
} as const;

export function CertificatesPanel({ node }: { readonly node: Settings }) {
  const { vault: words } = useWords();
  const { moment } = useFigures();
  const hasLog = keepsLogs(node);
  const found = useInfiniteQuery({ ...issued, enabled: hasLog });
  const rows = certificatesOf(found.data?.pages.flatMap(({ records }) => records) ?? [], found.dataUpdatedAt);
  return (
    <Panel title={words.certificates}>
      {!hasLog && <Text maw="72ch">{words.noLog}</Text>}
      {found.error !== null && <Fault error={found.error} again={() => void found.refetch()} />}
      {found.data !== undefined && (
        <>
          <Table
            label={words.certificates}
            rows={rows}
            empty={words.noCertificate}
            keyOf={({ name }) => name}
            columns={[
              { label: words.name, cell: ({ name }) => name },
              {
                label: words.state,
                cell: ({ nearness }) => (
                  <TonedBadge look={LOOKS[nearness]} state={nearness}>
                    {words.nearness[nearness]}
                  </TonedBadge>
                ),
              },
              { label: words.until, cell: ({ until }) => moment(until) },
              { label: words.issued, isMinor: true, cell: (one) => moment(one.issued) },
            ]}
          />
          <More label={words.earlier} of={found} />
        </>
      )}
    </Panel>
  );
}
