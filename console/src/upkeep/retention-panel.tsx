/** How long rows are kept, what a pass would find now, and the pass itself behind the tenant's typed name. */
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { AskedAct } from '../parts/asked-act.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { useUpkeep } from './port.ts';
import { runRetention } from './queries.ts';
import type { Eligible, Kept } from './shapes.ts';

interface RetentionPanelProps {
  readonly entities: readonly Kept[];
  readonly eligible: Eligible;
  readonly again: () => void;
}

export function RetentionPanel({ entities, eligible, again }: RetentionPanelProps) {
  const { upkeep: words } = useWords();
  const { count } = useFigures();
  const kept = entities.filter(({ retention }) => Object.keys(retention).length > 0);
  const found = (entity: string): string =>
    Object.entries(eligible[entity] ?? {})
      .filter(([, rows]) => rows > 0)
      .map(([phase, rows]) => `${words.phaseOf(phase)}: ${count(rows)}`)
      .join(', ');
  return (
    <Panel title={words.retention}>
      <Table
        label={words.retention}
        rows={kept}
        empty={words.noRetention}
        keyOf={({ entity }) => entity}
        columns={[
          { label: words.entity, cell: ({ entity }) => entity },
          { label: words.by, isMinor: true, cell: ({ retention }) => retention.age_field ?? '–' },
          { label: words.active, cell: ({ retention }) => retention.active ?? '–' },
          {
            label: words.archive,
            isMinor: true,
            cell: ({ retention }) => [retention.archive_to, retention.archive].filter(Boolean).join(', ') || '–',
          },
          { label: words.personal, isMinor: true, cell: ({ pii_fields: fields }) => fields.join(', ') || '–' },
          { label: words.found, cell: ({ entity }) => found(entity) || words.nothing },
        ]}
      />
      {kept.length > 0 && <Run again={again} />}
    </Panel>
  );
}

function Run({ again }: { readonly again: () => void }) {
  const { upkeep: words, typed } = useWords();
  const { count } = useFigures();
  const port = useUpkeep();
  const run = useMutation({ mutationFn: () => runRetention(port), onSuccess: again });
  const name = port.tenant;
  return (
    <>
      <Text size="sm" maw="72ch" mt="sm">
        {words.retentionHow}
      </Text>
      {run.error !== null && <Denied error={run.error} again={() => run.mutate()} />}
      {run.data !== undefined && (
        <Text size="sm" role="status">
          {words.passed(count(run.data.total_applied), count(run.data.total_failed))}
        </Text>
      )}
      <AskedAct
        act={words.runRetention}
        how={words.asks}
        name={name}
        label={typed}
        isTyped={(text) => text.trim() === name}
        isPending={run.isPending}
        run={() => run.mutateAsync()}
        reset={run.reset}
      />
    </>
  );
}
