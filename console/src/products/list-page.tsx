/** The products that tenants of the node run, each with the revisions that are served. */
import { Anchor, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import { nameOf } from '../session/position.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { productsOf, type Product } from './group.ts';
import { productAddress } from './paths.ts';
import { everyTenant } from './queries.ts';
import { Revisions } from './revisions.tsx';

export function ListPage() {
  const { products: words } = useWords();
  const asked = useInfiniteQuery(everyTenant);
  const rows = asked.data && productsOf(asked.data.pages.flatMap(({ tenants }) => tenants));
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {asked.error !== null && <Fault error={asked.error} again={() => void asked.refetch()} />}
      {rows !== undefined && (
        <Stack gap="sm">
          {rows.length === 0 && !asked.hasNextPage ? <NoProduct /> : <Products rows={rows} />}
          {asked.hasNextPage && (
            <Text size="sm" c="dimmed">
              {words.notAll}
            </Text>
          )}
          <More label={words.more} of={asked} />
        </Stack>
      )}
    </>
  );
}

function NoProduct() {
  const { products: words } = useWords();
  return (
    <Panel title={words.none}>
      <Text maw="72ch">{words.noneHow}</Text>
      <Sample label={words.newProduct} text="skep new shop" isLine />
    </Panel>
  );
}

function Products({ rows }: { readonly rows: readonly Product[] }) {
  const { products: words } = useWords();
  const { count } = useFigures();
  return (
    <Panel title={words.section}>
      <Text size="sm" c="dimmed" mb={4} maw="72ch">
        {words.sectionHow}
      </Text>
      <Table
        label={words.section}
        rows={rows}
        empty={words.none}
        keyOf={({ key }) => key}
        columns={[
          {
            label: words.product,
            cell: ({ key }) => (
              <Anchor
                component={Link}
                to={productAddress(key)}
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
              >
                {nameOf(key)}
              </Anchor>
            ),
          },
          { label: words.revisions, cell: ({ revisions }) => <Revisions of={revisions} /> },
          { label: words.tenants, isFigure: true, cell: ({ tenants }) => count(tenants.length) },
          {
            label: words.source,
            isMinor: true,
            cell: ({ sources }) => <span className="mono">{sources.join(', ')}</span>,
          },
        ]}
      />
    </Panel>
  );
}
