/** Locks that are held now; the resource of each opens its sheet. */
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Opens } from '../parts/opens.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { useUpkeep } from './port.ts';
import type { Lock } from './shapes.ts';

export function LocksPanel({ rows, again }: { readonly rows: readonly Lock[]; readonly again: () => void }) {
  const { upkeep: words } = useWords();
  const { path } = useUpkeep();
  const { moment } = useFigures();
  return (
    <Panel title={words.locks}>
      <Table
        label={words.locks}
        rows={rows}
        empty={words.noLocks}
        keyOf={({ resource }) => resource}
        columns={[
          {
            label: words.resource,
            cell: ({ resource, op_kind: kind }) => (
              <Opens name={resource} to={path} search={{ lock: resource }} id={`lock-${resource}`}>
                {kind}
              </Opens>
            ),
          },
          { label: words.work, isMinor: true, cell: ({ op_kind: kind }) => kind },
          { label: words.since, isMinor: true, cell: ({ acquired_at: at }) => moment(at) },
          { label: words.until, cell: ({ expires_at: at }) => moment(at) },
        ]}
      />
      <Button size="xs" variant="default" mt="xs" leftSection={<IconRefresh size={14} aria-hidden />} onClick={again}>
        {words.look}
      </Button>
    </Panel>
  );
}
