/** One product: which tenants serve which revision, what was done to it, and the way to another revision. */
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { commandOf } from '../node/command.ts';
import { gatewayAt } from '../node/gateway.ts';
import { settings } from '../node/settings.ts';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import { nameOf } from '../session/position.ts';
import { tenantAddress } from '../tenants/paths.ts';
import type { Tenant } from '../tenants/shapes.ts';
import { StateBadge } from '../tenants/state-badge.tsx';
import { useWords } from '../words/words.tsx';
import { ChangesPanel } from './changes-panel.tsx';
import { productsOf, shortOf } from './group.ts';
import { tenantsOf } from './queries.ts';
import { Revisions } from './revisions.tsx';

export function ProductPage() {
  const { products: words } = useWords();
  const { customer, product, env } = useParams({ from: '/products/$customer/$product/$env' });
  const key = [customer, product, env].join(':');
  const { data: tenants, error, refetch } = useQuery(tenantsOf(key));
  const [found] = tenants === undefined ? [] : productsOf(tenants);
  return (
    <>
      <Anchor component={Link} to="/products" size="sm" c="dimmed" underline="always">
        {words.section}
      </Anchor>
      <PageHead title={nameOf(key)} label={words.section} beside={[]} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {tenants !== undefined && found === undefined && <Text maw="72ch">{words.unknown}</Text>}
      {found !== undefined && (
        <Stack gap="sm">
          <Panel title={words.tenants}>
            <Revisions of={found.revisions} />
            <Tenants rows={found.tenants} />
          </Panel>
          <ChangesPanel product={key} />
          <Elsewhere product={key} />
        </Stack>
      )}
    </>
  );
}

function Tenants({ rows }: { readonly rows: readonly Tenant[] }) {
  const { products: words, tenants } = useWords();
  return (
    <Table
      label={words.tenants}
      rows={rows}
      empty={words.unknown}
      keyOf={({ key }) => key}
      columns={[
        {
          label: tenants.tenant,
          cell: ({ key, tenant }) => (
            <Anchor component={Link} to={tenantAddress(key)} size="sm" c="var(--mantine-color-text)" underline="always">
              {tenant}
            </Anchor>
          ),
        },
        { label: tenants.state, cell: (one) => <StateBadge of={one} /> },
        {
          label: tenants.revision,
          cell: ({ revision }) => (
            <Text span size="sm" className="mono" title={revision ?? undefined}>
              {revision === null ? words.servesNone : shortOf(revision)}
            </Text>
          ),
        },
        {
          label: words.wayBack,
          cell: ({ key, tenant, state }) =>
            state === 'active' ? (
              <Anchor
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to={tenantAddress(key)}
                    search={{ aim: 'former' } as never}
                    aria-label={`${words.planBack}: ${tenant}`}
                  />
                )}
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
              >
                {words.planBack} …
              </Anchor>
            ) : (
              '–'
            ),
        },
      ]}
    />
  );
}

/** What no route of a superadmin does: it takes the key of a deployer. */
function Elsewhere({ product }: { readonly product: string }) {
  const { products: words } = useWords();
  const { data: node } = useQuery(settings);
  const at = gatewayAt(location, node?.of.get('gateway.bind')?.value);
  return (
    <Panel title={words.elsewhere}>
      <Text maw="72ch">{words.elsewhereHow}</Text>
      {node !== undefined && (
        <Sample label={words.makeKey} text={commandOf('key deployer', node.file, ['--product', product])} isLine />
      )}
      <Sample label={words.deploy} text={`skep deploy ./product --to ${at} --product ${product}`} isLine />
      <Sample label={words.rollback} text={`skep deploy --rollback --to ${at} --product ${product}`} isLine />
    </Panel>
  );
}
