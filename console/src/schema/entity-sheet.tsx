/** One entity: its fields with what they take, what it refers to and what refers to it, indexes, who may do what, its stateflows. */
import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { entityPath } from '../data/paths.ts';
import { machinesOf } from '../data/queries.ts';
import type { EntityDoc, Field, Schema } from '../data/shapes.ts';
import { Sheet } from '../parts/sheet.tsx';
import { Table } from '../parts/table.tsx';
import { rolesOf } from '../people/queries.ts';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { flowsOf, takes } from './describe.ts';
import { referencesIn } from './boxes.ts';
import { schemaPath } from './paths.ts';

interface EntitySheetProps {
  readonly place: Place;
  readonly schema: Schema;
  readonly entity: EntityDoc;
  readonly close: () => void;
}

export function EntitySheet({ place, schema, entity, close }: EntitySheetProps) {
  const { schema: words } = useWords();
  const { name, fields, traits, operations, unique = [], index = [] } = entity;
  const to = referencesIn(schema.entities).filter((one) => one.to === name);
  return (
    <Sheet title={name} close={close}>
      <Stack gap="md">
        <Group gap="md">
          <Anchor {...LINKED} component={Link} to={entityPath(place.key, name)}>
            {words.toRows}
          </Anchor>
          {traits.length > 0 && <Text size="sm">{`${words.traits}: ${traits.join(', ')}`}</Text>}
        </Group>
        <Part title={words.fields}>
          <Table
            label={`${words.fields}: ${name}`}
            empty=""
            rows={fields}
            keyOf={(field) => field.name}
            columns={[
              { label: words.field, cell: (field) => <Named field={field} entity={entity} /> },
              { label: words.type, cell: (field) => <Typed place={place} field={field} /> },
              { label: words.takes, isMinor: true, cell: (field) => takes(field, words).join(', ') },
            ]}
          />
        </Part>
        {to.length > 0 && (
          <Part title={words.referredBy}>
            <ul>
              {to.map(({ from, field }) => (
                <li key={`${from} ${field}`}>
                  <EntityLink place={place} name={from} /> · {field}
                </li>
              ))}
            </ul>
          </Part>
        )}
        {unique.length + index.length > 0 && (
          <Part title={words.indexes}>
            <ul>
              {unique.map((names) => (
                <li key={`u ${names.join()}`}>{`${names.join(', ')} (${words.unique})`}</li>
              ))}
              {index.map((names) => (
                <li key={names.join()}>{names.join(', ')}</li>
              ))}
            </ul>
          </Part>
        )}
        <Part title={words.access}>
          <Text size="sm">{`${words.thisLogin}: ${operations.join(', ') || '–'}`}</Text>
          <Roles place={place} entity={name} />
        </Part>
        <Flows place={place} entity={name} />
      </Stack>
    </Sheet>
  );
}

const LINKED = { size: 'sm', c: 'var(--mantine-color-text)', underline: 'always' } as const;

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="schema-part" aria-label={title}>
      <Title order={3} fz="md" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function EntityLink({ place, name }: { readonly place: Place; readonly name: string }) {
  return (
    <Anchor {...LINKED} component={Link} to={schemaPath(place.key)} search={{ entity: name } as never}>
      {name}
    </Anchor>
  );
}

function Named({ field: { name }, entity }: { readonly field: Field; readonly entity: EntityDoc }) {
  const { schema: words } = useWords();
  return (
    <>
      <span className="mono">{name}</span>
      {name === entity.primary_key && ` (${words.key})`}
    </>
  );
}

function Typed({ place, field: { type, ref } }: { readonly place: Place; readonly field: Field }) {
  if (ref === undefined) return type;
  return (
    <>
      {'→ '}
      <EntityLink place={place} name={ref.entity} />
    </>
  );
}

/** What the product's definitions give to roles; told to administrators alone. */
function Roles({ place, entity }: { readonly place: Place; readonly entity: string }) {
  const { schema: words } = useWords();
  const { data: roles = [] } = useQuery(rolesOf(place));
  const having = roles.flatMap(({ role, entities }) => {
    const given = entities.find((one) => one.entity === entity);
    return given === undefined ? [] : [{ role, ...given }];
  });
  if (having.length === 0) return null;
  return (
    <ul>
      {having.map(({ role, granted, ruled }) => (
        <li key={role}>
          <b>{role}</b>: {[...granted, ...ruled.map((one) => `${one} (${words.byRule})`)].join(', ')}
        </li>
      ))}
    </ul>
  );
}

function Flows({ place, entity }: { readonly place: Place; readonly entity: string }) {
  const { schema: words } = useWords();
  const { data: machines = [] } = useQuery(machinesOf(place));
  const flows = flowsOf(machines, entity);
  if (flows.length === 0) return null;
  return (
    <Part title={words.flows}>
      {flows.map(({ name, field, initial_state: begin, states }) => (
        <div key={name}>
          <Text size="sm">{`${field}: ${words.begins} ${begin}`}</Text>
          <ul>
            {Object.entries(states).map(([state, { events = {} }]) => (
              <li key={state}>
                <b>{state}</b>{' '}
                {Object.entries(events)
                  .map(([event, { target }]) => `${event} → ${target}`)
                  .join(', ')}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Part>
  );
}
