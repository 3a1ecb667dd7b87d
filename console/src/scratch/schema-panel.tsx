/** The types of a GraphQL schema: what can be asked for, found by a text, one opened at a time. Which one is open stands in the address. */
import { Anchor, Group, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { getNamedType, isIntrospectionType, isScalarType } from 'graphql';
import type { GraphQLNamedType, GraphQLOutputType, GraphQLInputType, GraphQLSchema } from 'graphql';
import { useState } from 'react';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { membersOf, type Member } from './members.ts';
import { scratchPath } from './paths.ts';
import type { GraphqlSearch } from './search.ts';

/** More would be a list that is not read; another letter makes it shorter. */
const SHOWN_MAX = 40;

interface SchemaPanelProps {
  readonly schema: GraphQLSchema;
  readonly search: GraphqlSearch;
}

export function SchemaPanel({ schema, search }: SchemaPanelProps) {
  const { scratch: words } = useWords();
  const [text, setText] = useState('');
  const opened = schema.getType(search.type ?? '') ?? schema.getQueryType() ?? null;
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const found = typesWith(schema, text.trim().toLowerCase());
  return (
    <Panel title={words.schema}>
      <Stack gap="xs">
        <Group gap="sm" align="flex-end">
          <TextInput
            label={words.findType}
            size="xs"
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          {roots.map(
            (type) =>
              type !== undefined &&
              type !== null && <TypeLink key={type.name} to={type} name={type.name} of={search} />,
          )}
        </Group>
        {text.trim() !== '' && (
          <Group gap="sm" role="status">
            {found.length === 0 && <Text c="dimmed">{words.noType}</Text>}
            {found.slice(0, SHOWN_MAX).map((type) => (
              <TypeLink key={type.name} to={type} name={type.name} of={search} />
            ))}
            {found.length > SHOWN_MAX && <Text c="dimmed">{words.moreTypes(found.length - SHOWN_MAX)}</Text>}
          </Group>
        )}
        {opened !== null && <Opened type={opened} search={search} />}
      </Stack>
    </Panel>
  );
}

/** Types whose name, or a field of theirs, has the text in it. */
const typesWith = (schema: GraphQLSchema, text: string): readonly GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(
    (type) =>
      !isIntrospectionType(type) &&
      !isScalarType(type) &&
      [type.name, ...membersOf(type).map(({ name }) => name)].some((name) => name.toLowerCase().includes(text)),
  );

function Opened({ type, search }: { readonly type: GraphQLNamedType; readonly search: GraphqlSearch }) {
  const { scratch: words } = useWords();
  const members = membersOf(type);
  const takes = {
    label: words.takes,
    isMinor: true,
    cell: ({ takes: given }: Member) =>
      given.map((one, at) => (
        <span key={one.name} className="mono">
          {at > 0 && ', '}
          {one.name}: <Typed of={one.type} search={search} />
        </span>
      )),
  };
  return (
    <section aria-label={type.name}>
      <Text fw={600} className="mono">
        {type.name}
      </Text>
      {type.description && (
        <Text size="sm" maw="72ch">
          {type.description}
        </Text>
      )}
      <Table<Member>
        label={words.fieldsOf(type.name)}
        rows={members}
        empty={words.noFields}
        keyOf={({ name }) => name}
        columns={[
          { label: words.field, cell: ({ name }) => <span className="mono">{name}</span> },
          {
            label: words.type,
            cell: ({ type: of }) =>
              of !== undefined && (
                <span className="whole">
                  <Typed of={of} search={search} />
                </span>
              ),
          },
          ...(members.some(({ takes }) => takes.length > 0) ? [takes] : []),
          ...(members.some(({ about }) => about !== '')
            ? [{ label: words.about, isMinor: true, cell: ({ about }: Member) => about }]
            : []),
        ]}
      />
    </section>
  );
}

function Typed({ of, search }: { readonly of: GraphQLOutputType | GraphQLInputType; readonly search: GraphqlSearch }) {
  const named = getNamedType(of);
  if (isScalarType(named)) return <span className="mono">{String(of)}</span>;
  return <TypeLink to={named} name={String(of)} of={search} />;
}

interface TypeLinkProps {
  readonly to: GraphQLNamedType;
  readonly name: string;
  readonly of: GraphqlSearch;
}

function TypeLink({ to, name, of: search }: TypeLinkProps) {
  const { key } = usePlace();
  return (
    <Anchor
      component={Link}
      to={scratchPath(key)}
      search={{ ...search, type: to.name } as never}
      resetScroll={false}
      className="mono"
      fz="inherit"
      c="var(--mantine-color-text)"
      underline="always"
    >
      {name}
    </Anchor>
  );
}
