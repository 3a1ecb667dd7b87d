/** One tenant: how it is, and what may be done with it now. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Facts } from '../parts/facts.tsx';
import type { Fact } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { homeOf, nameOf } from '../session/position.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { TenantsHead } from './head.tsx';
import { logOf } from './paths.ts';
import { PlanPanel } from './plan-panel.tsx';
import { ProvisionPanel } from './provision-panel.tsx';
import { tenantOf } from './queries.ts';
import type { Tenant } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

export function TenantPage() {
  const { tenants: words } = useWords();
  const { customer, product, env, tenant } = useParams({ from: '/tenants/$customer/$product/$env/$tenant' });
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
        </Stack>
      )}
    </>
  );
}

function Standing({ of: tenant }: { readonly of: Tenant }) {
  const { tenants: words } = useWords();
  const { moment } = useFigures();
  const facts: readonly Fact[] = [
    [words.source, tenant.product_source],
    [words.revision, tenant.revision],
    [words.host, tenant.host === null ? null : `${tenant.host}, ${words.shard} ${tenant.shard}`],
    [words.since, moment(tenant.created_at)],
  ];
  return (
    <Panel title={words.state}>
      <StateBadge of={tenant} />
      <Facts of={facts} />
      <Group gap="md">
        <Anchor
          component={Link}
          to="/audit"
          search={{ log: logOf(tenant.key) } as never}
          size="sm"
          c="var(--mantine-color-text)"
          underline="always"
        >
          {words.audit}
        </Anchor>
        {tenant.state === 'active' && tenant.product_source !== null && (
          <Anchor component={Link} to={homeOf(tenant.key)} size="sm" c="var(--mantine-color-text)" underline="always">
            {words.rows}
          </Anchor>
        )}
      </Group>
    </Panel>
  );
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
