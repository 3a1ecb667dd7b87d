/** The tenants of the node, by key; what is searched for stands in the address. */
import { Anchor, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fault } from '../parts/fault.tsx';
import { LiveMark, useLive } from '../parts/live.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { nameOf } from '../session/position.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { TenantsHead } from './head.tsx';
import { tenantAddress } from './paths.ts';
import { tenantsWith } from './queries.ts';
import { asKeyPart } from './search.ts';
import type { Tenant } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

/** How long after the last letter it is searched for. */
const TYPED_MS = 250;

export function ListPage() {
  const { tenants: words } = useWords();
  const { q = '' } = useSearch({ from: '/tenants' });
  const navigate = useNavigate({ from: '/tenants' });
  const { refetchInterval, isLive } = useLive();
  const asked = useInfiniteQuery({
    ...tenantsWith(asKeyPart(q)),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const look = useDebouncedCallback(
    (text: string) => void navigate({ search: text.trim() === '' ? {} : { q: text.trim() }, replace: true }),
    TYPED_MS,
  );
  const rows = asked.data?.pages.flatMap(({ tenants }) => tenants);
  return (
    <>
      <TenantsHead title={words.section}>
        <Button component={Link} to="/tenants/new" size="xs" leftSection={<IconPlus size={14} aria-hidden />}>
          {words.register}
        </Button>
      </TenantsHead>
      {asked.error !== null && <Fault error={asked.error} again={() => void asked.refetch()} />}
      <Stack gap="sm">
        <TextInput
          type="search"
          label={words.find}
          description={words.findHow}
          defaultValue={q}
          onChange={({ currentTarget }) => look(currentTarget.value)}
          leftSection={<IconSearch size={14} aria-hidden />}
          autoCapitalize="none"
          spellCheck={false}
          maw={420}
        />
        {rows !== undefined && rows.length === 0 && !asked.hasNextPage && q === '' && <NoTenant />}
        {rows !== undefined && (rows.length > 0 || q !== '' || asked.hasNextPage) && (
          <Panel title={words.section}>
            <LiveMark isLive={isLive} />
            <Tenants rows={rows} empty={asked.hasNextPage ? words.notYet : `${words.noneHas} “${q}”.`} />
          </Panel>
        )}
        {asked.hasNextPage && (
          <Group>
            <Button
              variant="default"
              size="xs"
              loading={asked.isFetchingNextPage}
              onClick={() => void asked.fetchNextPage()}
            >
              {words.more}
            </Button>
          </Group>
        )}
      </Stack>
    </>
  );
}

function NoTenant() {
  const { tenants: words } = useWords();
  return (
    <Panel title={words.none}>
      <Text maw="72ch">{words.noneHow}</Text>
      <Code block mt="xs">
        skep tenant provision --tenant acme/shop/dev/main -f platform.yaml
      </Code>
    </Panel>
  );
}

function Tenants({ rows, empty }: { readonly rows: readonly Tenant[]; readonly empty: string }) {
  const { tenants: words } = useWords();
  const { moment } = useFigures();
  return (
    <Table
      label={words.section}
      rows={rows}
      empty={empty}
      keyOf={({ key }) => key}
      columns={[
        {
          label: words.tenant,
          cell: ({ key }) => (
            <Anchor component={Link} to={tenantAddress(key)} size="sm" c="var(--mantine-color-text)" underline="always">
              {nameOf(key)}
            </Anchor>
          ),
        },
        { label: words.state, cell: (one) => <StateBadge of={one} /> },
        {
          label: words.revision,
          isMinor: true,
          cell: ({ revision, product_source }) => (
            <span className="mono" title={revision ?? undefined}>
              {revision === null ? (product_source === null ? words.plane : '–') : revision.slice(0, 12)}
            </span>
          ),
        },
        { label: words.host, isMinor: true, cell: ({ host }) => host ?? '–' },
        { label: words.shard, isMinor: true, isFigure: true, cell: ({ shard }) => shard },
        { label: words.since, isMinor: true, cell: ({ created_at }) => moment(created_at) },
      ]}
    />
  );
}
