/** A row beside the grid: its fields in a form, its states, its versions, rows that refer to it, its records, what the rules say to people about it, its JSON, its end. */
import { ActionIcon, Alert, Group, Tabs, Text, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Sample } from '../parts/sample.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { Access } from './access.tsx';
import type { CellContext } from './cell.tsx';
import { DeleteRow, RestoreRow } from './delete-row.tsx';
import { rowOf, type Opened } from './queries.ts';
import { Records } from './records.tsx';
import { Related } from './related.tsx';
import { RowForm } from './row-form.tsx';
import { isMarkedDeleted, keyOf, type Row } from './shapes.ts';
import { States } from './states.tsx';
import { nameOf } from './value.ts';
import { Versions } from './versions.tsx';
import { Way, type Passed } from './way.tsx';

interface SheetProps {
  readonly context: CellContext;
  readonly place: Place;
  /** Null for a new row. */
  readonly id: string | null;
  /** The rows through which the reader came, the one of the grid first. */
  readonly way: readonly Passed[];
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
  readonly onKept: (row: Row) => void;
  readonly onGone: () => void;
  readonly onRestored: () => void;
}

export function Sheet({ context, place, id, way, onClose, onMade, ...told }: SheetProps) {
  const { data: words, close } = useWords();
  const { entity } = context;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  return (
    <section
      className="sheet"
      aria-label={id === null ? words.newRow : `${words.row} ${id}`}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={1} size="h2" ref={title} tabIndex={-1} className="sheet-title">
          {id === null ? words.newRow : `${entity.name} ${id}`}
        </Title>
        <ActionIcon variant="subtle" color="gray" aria-label={close} onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </Group>
      {id !== null && way.length > 0 && <Way context={context} id={id} way={way} />}
      {id === null ? (
        <RowForm context={context} place={place} opened={null} onKept={(row) => onMade(keyOf(entity, row))} />
      ) : (
        <Existing context={context} place={place} id={id} {...told} />
      )}
    </section>
  );
}

type ExistingProps = Omit<SheetProps, 'onClose' | 'onMade' | 'way'> & { readonly id: string };

function Existing({ context, place, id, onKept, onGone, onRestored }: ExistingProps) {
  const { data: words, row: more } = useWords();
  const { schema, entity } = context;
  const queries = useQueryClient();
  const asked = rowOf(place, schema, entity, id);
  const { data: opened, error, refetch } = useQuery(asked);
  if (error !== null && opened === undefined) return <Fault error={error} again={() => void refetch()} />;
  if (opened === undefined) return null;
  const { row, version } = opened;
  const again = async (): Promise<void> => {
    const { data } = await refetch();
    if (data !== undefined) onKept(data.row);
  };
  const isDeleted = isMarkedDeleted(entity, row);
  const name = nameOf(entity, row);
  return (
    <>
      {name !== id && (
        <Text size="sm" c="dimmed" mb="xs" className="sheet-name">
          {name}
        </Text>
      )}
      <Tabs defaultValue="form" keepMounted={false} color="honey">
        <Tabs.List mb="sm">
          <Tabs.Tab value="form">{words.form}</Tabs.Tab>
          {Object.keys(opened.states).length > 0 && <Tabs.Tab value="states">{words.states}</Tabs.Tab>}
          <Tabs.Tab value="history">{words.history}</Tabs.Tab>
          <Tabs.Tab value="related">{more.related}</Tabs.Tab>
          <Tabs.Tab value="records">{more.records}</Tabs.Tab>
          <Tabs.Tab value="access">{more.access}</Tabs.Tab>
          <Tabs.Tab value="raw">{words.raw}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="form">
          {isDeleted && (
            <Alert color="orange" variant="outline" mb="sm">
              <Text c="var(--mantine-color-text)">{words.isDeleted}</Text>
              <RestoreRow
                place={place}
                entity={entity}
                id={id}
                onRestored={() => {
                  onRestored();
                  void again();
                }}
              />
            </Alert>
          )}
          <RowForm
            // Another version of the row begins the form anew.
            key={version ?? 0}
            context={context}
            place={place}
            opened={opened}
            onKept={(kept) => {
              queries.setQueryData<Opened>(asked.queryKey, (before) => before);
              onKept({ ...row, ...kept });
              void again();
            }}
            onAgain={() => void again()}
          />
          {!isDeleted && entity.operations.includes('delete') && (
            <DeleteRow place={place} entity={entity} id={id} name={name} version={version} onGone={onGone} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="states">
          <States place={place} entity={entity} id={id} opened={opened} onFired={() => void again()} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Versions
            place={place}
            entity={entity}
            id={id}
            opened={opened}
            onKept={(kept) => {
              onKept({ ...row, ...kept });
              void again();
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="related">
          <Related context={context} place={place} id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="records">
          <Records place={place} entity={entity.name} id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="access">
          <Access place={place} entity={entity} id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <Sample label={words.raw} text={JSON.stringify(row, null, 2)} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
