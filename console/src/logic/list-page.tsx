/** Actions and scripted endpoints of the product that this login may call: what each is for, and whether it changes something. */
import { Anchor, Stack, Text } from '@mantine/core';
import { IconEye, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { ACTIONS, declaredIn } from '../requests/operations.ts';
import { operationsOf } from '../requests/queries.ts';
import type { Operation } from '../requests/shapes.ts';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { callPath } from './paths.ts';

const READS = { icon: IconEye, color: 'gray' } as const;
const WRITES = { icon: IconPencil, color: 'honey' } as const;

const ACTION = `# actions/largest.yaml
name: largest
description: The largest cities of a country
access: { language: cel, rule: "'tenant_user' in principal.roles" }
sections:
  read:
    params: { country: { type: string, required: true } }
    sql: select name from city where country_id = :country`;

export function ListPage() {
  const { logic: words } = useWords();
  const place = usePlace();
  const { data, error, refetch } = useQuery(operationsOf(place));
  const declared = data === undefined ? undefined : declaredIn(data);
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {declared?.length === 0 && (
        <Panel title={words.none}>
          <Text maw="72ch">{words.noneHow}</Text>
          <Sample label="actions/largest.yaml" text={ACTION} />
        </Panel>
      )}
      {declared !== undefined && declared.length > 0 && (
        <Stack gap="sm">
          <Part title={words.actions} of={declared.filter(({ path }) => path.startsWith(ACTIONS))} />
          <Part title={words.endpoints} of={declared.filter(({ path }) => !path.startsWith(ACTIONS))} />
          <Text size="sm" c="dimmed" maw="72ch">
            {words.ownOnly}
          </Text>
        </Stack>
      )}
    </>
  );
}

function Part({ title, of: rows }: { readonly title: string; readonly of: readonly Operation[] }) {
  const { logic: words } = useWords();
  const { key } = usePlace();
  if (rows.length === 0) return null;
  const hasAbout = rows[0]!.path.startsWith(ACTIONS);
  return (
    <Panel title={title}>
      <Table<Operation>
        label={title}
        rows={rows}
        empty=""
        keyOf={({ id }) => id}
        columns={[
          {
            label: words.call,
            cell: ({ id }) => (
              <Anchor
                component={Link}
                to={callPath(key)}
                search={{ operation: id } as never}
                className="mono whole"
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
              >
                {id}
              </Anchor>
            ),
          },
          {
            label: words.does,
            cell: ({ writes }) => (
              <TonedBadge look={writes ? WRITES : READS}>{writes ? words.writes : words.reads}</TonedBadge>
            ),
          },
          // Of an endpoint the product says no more than its path.
          ...(hasAbout ? [{ label: words.about, isMinor: true, cell: ({ about }: Operation) => about }] : []),
          {
            label: words.takes,
            isMinor: true,
            cell: ({ takes }) => (
              <span className="mono">
                {takes
                  .filter((one) => one.in !== 'header')
                  .map(({ name }) => name)
                  .join(', ')}
              </span>
            ),
          },
        ]}
      />
    </Panel>
  );
}
