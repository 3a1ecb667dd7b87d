/** How the statement of an action finds its rows, and how many it looks at: asked at a click, since each ask runs it and is on record. */
import { Alert, Button, Stack, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { IconAlertTriangle, IconListSearch } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';

interface Look {
  readonly entity: string;
  readonly plan: Readonly<Record<string, unknown>>;
  readonly times: number;
  readonly looked: number;
  readonly found: number;
}

interface Explained {
  readonly kind: string;
  readonly total: number;
  readonly looked_at: number;
  readonly duration_ms: number;
  readonly looks: readonly Look[];
}

/** Rows that are looked at for each that is found, from which an index would help. */
const WASTED_FROM = 10;
/** Below that no index is missed. */
const MANY_ROWS = 1000;

async function explain({ skep }: Place, action: string, params: Params): Promise<Explained> {
  const path = `/data/admin/data/actions/${encodeURIComponent(action)}/explain`;
  return (await skep.transport.send({ method: 'POST', path, body: { params }, again: 'never' })).json as Explained;
}

type Params = Readonly<Record<string, unknown>>;

interface ExplainPanelProps {
  readonly action: string;
  readonly params: Params;
  /** Whether everything that the call needs is there. */
  readonly isReady: boolean;
}

export function ExplainPanel({ action, params, isReady }: ExplainPanelProps) {
  const { logic: words } = useWords();
  const place = usePlace();
  const ask = useMutation({ mutationFn: () => explain(place, action, params) });
  return (
    <Panel title={words.explain}>
      <Stack gap="xs" align="stretch">
        <Text size="sm" c="dimmed" maw="72ch">
          {words.explainHow}
        </Text>
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          leftSection={<IconListSearch size={16} aria-hidden />}
          disabled={!isReady}
          loading={ask.isPending}
          onClick={() => ask.mutate()}
        >
          {words.explainNow}
        </Button>
        {isSkepError(ask.error, 'v2.requires_admin') && <Text size="sm">{words.explainAdmins}</Text>}
        {ask.error !== null && !isSkepError(ask.error, 'v2.requires_admin') && (
          <Fault error={ask.error} again={() => ask.mutate()} />
        )}
        {ask.data !== undefined && <Plan of={ask.data} />}
      </Stack>
    </Panel>
  );
}

function Plan({ of: explained }: { readonly of: Explained }) {
  const { logic: words } = useWords();
  const { count } = useFigures();
  const wasted = explained.looks.find(
    ({ looked, found }) => looked >= MANY_ROWS && looked >= WASTED_FROM * Math.max(1, found),
  );
  return (
    <>
      <Facts
        of={[
          [words.gives, count(explained.total)],
          [words.lookedAt, count(explained.looked_at)],
          [words.took, `${count(explained.duration_ms)} ms`],
        ]}
      />
      <Table<Look>
        label={words.looks}
        rows={explained.looks}
        empty={words.noLooks}
        keyOf={({ entity, plan }) => `${entity} ${JSON.stringify(plan)}`}
        columns={[
          { label: words.entity, cell: ({ entity }) => <span className="mono">{entity}</span> },
          { label: words.how, cell: ({ plan }) => <How plan={plan} /> },
          { label: words.lookedAt, isFigure: true, cell: ({ looked }) => count(looked) },
          { label: words.foundRows, isFigure: true, cell: ({ found }) => count(found) },
          { label: words.times, isMinor: true, isFigure: true, cell: ({ times }) => count(times) },
        ]}
      />
      {wasted !== undefined && (
        <Alert color="orange" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm" c="var(--mantine-color-text)">
            {words.wasted(wasted.entity)}
          </Text>
        </Alert>
      )}
    </>
  );
}

function How({ plan }: { readonly plan: Look['plan'] }) {
  const { logic: words } = useWords();
  const access = String(plan['access']);
  const { index } = plan as { readonly index?: readonly string[] };
  const name = (words.accesses as Readonly<Record<string, string>>)[access] ?? access;
  return (
    <>
      {name}
      {index !== undefined && <span className="mono"> {index.join(', ')}</span>}
      {plan['sorted'] === true && ` · ${words.sorted}`}
    </>
  );
}
