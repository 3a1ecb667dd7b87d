/** What was done to a product, newest first: revisions that were sent, plans made and applied, by whom, with what came of each. */
import { Anchor, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Outcome } from '../audit/outcome.tsx';
import { logs } from '../audit/queries.ts';
import { keepsLogs, settings } from '../node/settings.ts';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { tenantAddress } from '../tenants/paths.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { changesOf, newestFirst, type Change } from './change.ts';
import { shortOf } from './group.ts';
import { planeLogOf } from './paths.ts';
import { CONTROL_LOG, deploysOf, plansOf } from './queries.ts';

export function ChangesPanel({ product }: { readonly product: string }) {
  const { products: words } = useWords();
  const node = useQuery(settings);
  const hasLogs = node.data !== undefined && keepsLogs(node.data);
  const known = useQuery({ ...logs, enabled: hasLogs });
  const plane = planeLogOf(product);
  const deploys = useInfiniteQuery({ ...deploysOf(product), enabled: known.data?.includes(plane) === true });
  const plans = useInfiniteQuery({ ...plansOf(product), enabled: known.data?.includes(CONTROL_LOG) === true });
  const asked = [node, known, deploys, plans];
  const failed = asked.find(({ error }) => error !== null);
  const isThere = known.data !== undefined && !deploys.isLoading && !plans.isLoading;
  const changes = newestFirst([
    ...changesOf(plane, deploys.data?.pages.flatMap(({ records }) => records) ?? []),
    ...changesOf(CONTROL_LOG, plans.data?.pages.flatMap(({ records }) => records) ?? []),
  ]);
  return (
    <Panel title={words.changes}>
      {failed?.error != null && (
        <Fault
          error={failed.error}
          again={() => asked.filter(({ error }) => error !== null).forEach((one) => void one.refetch())}
        />
      )}
      {node.data !== undefined && !hasLogs && <Text maw="72ch">{words.noLog}</Text>}
      {isThere && failed === undefined && <Changes rows={changes} />}
      <Group gap="xs" mt="xs">
        <More label={words.earlierDeploys} of={deploys} />
        <More label={words.earlierPlans} of={plans} />
      </Group>
    </Panel>
  );
}

function Changes({ rows }: { readonly rows: readonly Change[] }) {
  const { products: words, audit } = useWords();
  const { moment } = useFigures();
  return (
    <Table
      label={words.changes}
      rows={rows}
      empty={words.noChanges}
      keyOf={({ id }) => id}
      columns={[
        { label: audit.at, cell: ({ at }) => moment(at) },
        {
          label: words.what,
          cell: ({ kind, log, seq }) => (
            <Anchor
              renderRoot={(props) => <Link {...props} to="/audit" search={{ log, record: seq } as never} />}
              size="sm"
              c="var(--mantine-color-text)"
              underline="always"
            >
              {words.kinds[kind]}
            </Anchor>
          ),
        },
        { label: words.about, cell: (one) => <About of={one} /> },
        { label: audit.outcome, cell: ({ outcome }) => <Outcome of={outcome} /> },
        { label: audit.actor, isMinor: true, cell: ({ actor }) => <span className="mono">{actor}</span> },
      ]}
    />
  );
}

/** The revision, the tenant, and the plan, whose page shows what changed step by step. */
function About({ of: { tenant, revision, plan } }: { readonly of: Change }) {
  const { products: words } = useWords();
  const name = tenant?.split(':')[3] ?? null;
  return (
    <Group gap="xs" wrap="nowrap">
      {name !== null && <span>{name}</span>}
      {revision !== null && (
        <span className="mono" title={revision}>
          {shortOf(revision)}
        </span>
      )}
      {tenant !== null && plan !== null && (
        <Anchor
          renderRoot={(props) => <Link {...props} to={tenantAddress(tenant)} search={{ plan } as never} />}
          size="sm"
          c="var(--mantine-color-text)"
          underline="always"
        >
          {words.steps}
        </Anchor>
      )}
    </Group>
  );
}
