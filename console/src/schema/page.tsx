/** The schema of the tenant as this login may see it: drawn where there is room, and as a list. Which entity is open and what is searched for stands in the address. */
import { Anchor, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { schemaOf } from '../data/queries.ts';
import type { EntityDoc } from '../data/shapes.ts';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { Diagram } from './diagram.tsx';
import { EntitySheet } from './entity-sheet.tsx';
import { fits } from './find.ts';
import { referencesIn } from './boxes.ts';
import { schemaPath } from './paths.ts';
import type { SchemaSearch } from './search.ts';
import './schema.css';

const REST_MS = 200;

export function SchemaPage() {
  const { schema: words } = useWords();
  const place = usePlace();
  const search: SchemaSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: schema, error, refetch } = useQuery(schemaOf(place));
  const { q = '', entity: name } = search;
  const [text, setText] = useState(q);
  const go = (next: SchemaSearch, replace = false): void =>
    void navigate({ to: schemaPath(place.key), search: next as never, replace });
  const look = useDebouncedCallback((typed: string) => go({ ...(typed !== '' && { q: typed }) }, true), REST_MS);
  const open = (entity: string): void => go({ ...(q !== '' && { q }), entity });
  const opened = schema?.entities.find((one) => one.name === name);
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {schema !== undefined && schema.entities.length === 0 && <Text c="dimmed">{words.none}</Text>}
      {schema !== undefined && schema.entities.length > 0 && (
        <>
          <TextInput
            label={words.search}
            value={text}
            maw={320}
            mb="sm"
            leftSection={<IconSearch size={14} aria-hidden />}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              look(currentTarget.value.trim());
            }}
          />
          <Diagram entities={schema.entities} q={q} opened={opened?.name ?? null} open={open} />
          <EntityList place={place} entities={schema.entities} q={q} />
        </>
      )}
      {schema !== undefined && opened !== undefined && (
        <EntitySheet
          key={opened.name}
          place={place}
          schema={schema}
          entity={opened}
          close={() => go({ ...(q !== '' && { q }) })}
        />
      )}
    </>
  );
}

interface EntityListProps {
  readonly place: Place;
  readonly entities: readonly EntityDoc[];
  readonly q: string;
}

function EntityList({ place, entities, q }: EntityListProps) {
  const { schema: words } = useWords();
  const references = referencesIn(entities);
  const found = entities.filter((entity) => fits(entity, q));
  const linked = (name: string) => (
    <Anchor
      component={Link}
      to={schemaPath(place.key)}
      search={{ ...(q !== '' && { q }), entity: name } as never}
      size="sm"
      c="var(--mantine-color-text)"
      underline="always"
    >
      {name}
    </Anchor>
  );
  return (
    <Panel title={words.list}>
      <Table
        label={words.list}
        rows={found}
        empty={words.noneFound}
        keyOf={({ name }) => name}
        columns={[
          { label: words.entity, cell: ({ name }) => linked(name) },
          { label: words.fields, isFigure: true, cell: ({ fields }) => fields.length },
          {
            label: words.refersTo,
            cell: ({ name }) => {
              const to = references.filter(({ from }) => from === name);
              return to.map((one) => `${one.field} → ${one.to}`).join(', ') || '–';
            },
          },
          {
            label: words.referredBy,
            isMinor: true,
            cell: ({ name }) => {
              const from = references.filter(({ to }) => to === name);
              return [...new Set(from.map((one) => one.from))].join(', ') || '–';
            },
          },
        ]}
      />
    </Panel>
  );
}
