/** The entities of the tenant that this login may see, with how many rows each has. */
import { Anchor, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { entityPath } from './paths.ts';
import { countOf, schemaOf } from './queries.ts';
import './data.css';

/** More counts than these are asked for by opening an entity. */
const COUNTED_MAX = 40;

const ALL = { conditions: [], deleted: false };

export function HomePage() {
  const { data: words } = useWords();
  const { count } = useFigures();
  const place = usePlace();
  const { data: schema, error, refetch } = useQuery(schemaOf(place));
  const entities = (schema?.entities ?? []).filter(({ operations }) => operations.includes('read'));
  const counts = useQueries({ queries: entities.slice(0, COUNTED_MAX).map(({ name }) => countOf(place, name, ALL)) });
  useEffect(() => void (document.title = `${words.section} · Skep`), [words]);
  return (
    <>
      <Title order={1} mb="md">
        {schema === undefined ? words.section : `${words.section}: ${schema.product}`}
      </Title>
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {schema !== undefined && (
        <Panel title={words.entities}>
          <Table
            label={words.entities}
            empty={words.noEntities}
            rows={entities.map((entity, at) => ({ ...entity, total: counts[at]?.data ?? null }))}
            keyOf={({ name }) => name}
            columns={[
              {
                label: words.entity,
                cell: ({ name }) => (
                  <Anchor
                    component={Link}
                    to={entityPath(place.key, name)}
                    size="sm"
                    c="var(--mantine-color-text)"
                    underline="always"
                  >
                    {name}
                  </Anchor>
                ),
              },
              { label: words.rows, isFigure: true, cell: ({ total }) => (total === null ? '–' : count(total)) },
              {
                label: words.fields,
                cell: ({ fields }) => (
                  <Text size="sm" c="dimmed">
                    {fields.map(({ name }) => name).join(', ')}
                  </Text>
                ),
              },
            ]}
          />
        </Panel>
      )}
    </>
  );
}
