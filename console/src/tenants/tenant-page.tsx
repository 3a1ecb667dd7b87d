/** One tenant: how it is, and what may be done with it now. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { actPath } from '../acting/paths.ts';
import { keepsLogs, settings } from '../node/settings.ts';
import { Facts, type Fact } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { homeOf, nameOf, operatorPlaneOf } from '../session/position.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ActSheet } from './act-sheet.tsx';
import { ActsPanel } from './acts-panel.tsx';
import { BackupsPanel } from './backups-panel.tsx';
import { TenantsHead } from './head.tsx';
import { standingSince } from './history.ts';
import { HistoryPanel } from './history-panel.tsx';
import { logOf, tenantUpkeepPath } from './paths.ts';
import { PlanPanel } from './plan-panel.tsx';
import { ProvisionPanel } from './provision-panel.tsx';
import { doneTo, tenantOf } from './queries.ts';
import type { Tenant } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

const AT = '/tenants/$customer/$product/$env/$tenant';

export function TenantPage() {
  const { tenants: words } = useWords();
  const { customer, product, env, tenant } = useParams({ from: AT });
  const { act, set } = useSearch({ from: AT });
  const navigate = useNavigate({ from: AT });
  const key = [customer, product, env, tenant].join(':');
  const { data: found, error, refetch } = useQuery(tenantOf(key));
  return (
    <>
      <TenantsHead title={nameOf(key)} isBelow />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {found === null && <Text maw="72ch">{words.unknown}</Text>}
      {found !== undefined && found !== null && (
        <Stack gap="sm">
          <Standing of={found} />
          <Acts of={found} />
          {found.product_source !== null && <ActsPanel of={found} />}
          <BackupsPanel tenantKey={key} />
          <HistoryPanel tenantKey={key} />
          {act !== undefined && (
            <ActSheet
              key={`${act} ${set ?? ''}`}
              name={act}
              tenant={found}
              set={set}
              close={() => void navigate({ search: ({ plan }) => (plan === undefined ? {} : { plan }) })}
            />
          )}
        </Stack>
      )}
    </>
  );
}

function Standing({ of: tenant }: { readonly of: Tenant }) {
  const { tenants: words } = useWords();
  const { moment } = useFigures();
  const { acts } = useWords();
  const since = useStandingSince(tenant);
  const facts: readonly Fact[] = [
    ...(since === null
      ? []
      : ([
          [acts.standingSince, moment(since.at)],
          [acts.reason, since.reason || acts.noReason],
        ] satisfies Fact[])),
    [words.source, tenant.product_source],
    [words.revision, tenant.revision],
    [words.host, tenant.host === null ? null : `${tenant.host}, ${words.shard} ${tenant.shard}`],
    [words.since, moment(tenant.created_at)],
  ];
  return (
    <Panel title={words.state}>
      <StateBadge of={tenant} />
      <Facts of={facts} />
      <Ways of={tenant} />
    </Panel>
  );
}

/** Where one goes on from the tenant: its log, its rows, its upkeep, and the place of its product's operators, with a login of their own. */
function Ways({ of: { key, state, product_source: source } }: { readonly of: Tenant }) {
  const { tenants: words, upkeep, acting } = useWords();
  const isServed = state === 'active' && source !== null;
  return (
    <Group gap="md">
      <Way to="/audit" search={{ log: logOf(key) }} name={words.audit} />
      {isServed && (
        <>
          <Way to={homeOf(key)} name={words.rows} />
          <Way to={tenantUpkeepPath(key)} name={upkeep.section} />
          <Way to={actPath(operatorPlaneOf(key))} search={{ tenant: key.split(':')[3]! }} name={acting.title} />
        </>
      )}
    </Group>
  );
}

interface WayProps {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly name: string;
}

const Way = ({ to, search = {}, name }: WayProps) => (
  <Anchor component={Link} to={to} search={search as never} size="sm" c="var(--mantine-color-text)" underline="always">
    {name}
  </Anchor>
);

/** When and why operators restricted it, where the log of the node says so. */
function useStandingSince({ key, standing }: Tenant) {
  const node = useQuery(settings);
  const isAsked = standing !== 'serving' && node.data !== undefined && keepsLogs(node.data);
  const found = useInfiniteQuery({ ...doneTo(key), enabled: isAsked });
  return isAsked ? standingSince(found.data?.pages.flatMap(({ records }) => records) ?? []) : null;
}

/** What its state allows: it is brought to active, or its schema is led on. */
function Acts({ of: tenant }: { readonly of: Tenant }) {
  const { tenants: words } = useWords();
  const { key, state, product_source } = tenant;
  if (product_source === null) return <Text c="dimmed">{words.planeHas}</Text>;
  if (state === 'active') return <PlanPanel tenantKey={key} />;
  if (state === 'registered' || state === 'bootstrapped' || state === 'seeded')
    return <ProvisionPanel tenantKey={key} />;
  return <Text c="dimmed">{words.busy}</Text>;
}
