/** A person of the tenant, found by the beginning of an address or a name. */
import { Select, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { isSkepError } from '@skep/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { fullName, loginOf } from '../people/names.ts';
import { peopleWith } from '../people/queries.ts';
import type { Person } from '../people/shapes.ts';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';

/** Each search is on record: one is made when the typing rests. */
const REST_MS = 300;

interface PersonPickerProps {
  readonly place: Place;
  readonly value: Person | null;
  readonly onChange: (person: Person | null) => void;
}

export function PersonPicker({ place, value, onChange }: PersonPickerProps) {
  const { row: words } = useWords();
  const [q, setQ] = useState('');
  const look = useDebouncedCallback(setQ, REST_MS);
  const { data, error, refetch } = useInfiniteQuery({ ...peopleWith(place, { q }), placeholderData: keepPreviousData });
  const found = data?.pages.flatMap(({ users }) => users) ?? [];
  const known = value === null || found.some(({ id }) => id === value.id) ? found : [value, ...found];
  if (isSkepError(error) && error.status === 403) return <Text c="dimmed">{words.forAdministrators}</Text>;
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  return (
    <Select
      label={words.person}
      description={words.personHow}
      searchable
      clearable
      value={value?.id ?? null}
      data={known.map((person) => ({ value: person.id, label: namedSo(person) }))}
      // What was asked for is what is shown.
      filter={({ options }) => options}
      onSearchChange={(text) => {
        if (value === null || text !== namedSo(value)) look(text.trim());
      }}
      onChange={(id) => onChange(known.find((person) => person.id === id) ?? null)}
      nothingFoundMessage={words.noPerson}
      comboboxProps={{ transitionProps: { duration: 0 } }}
      clearButtonProps={{ 'aria-label': words.noOne }}
    />
  );
}

function namedSo(person: Person): string {
  const name = fullName(person);
  return name === '' ? loginOf(person) : `${loginOf(person)} · ${name}`;
}
