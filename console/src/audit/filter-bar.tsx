/** The filters of a search; they go into the address when they are asked for. */
import { Button, Group, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { useWords } from '../words/words.tsx';
import { filtersOf, fromField, toField, type AuditSearch, type Filter } from './search.ts';

const GLOBS = ['actor', 'action', 'target', 'outcome'] as const;
const TIMES = ['since', 'until'] as const;

interface FilterBarProps {
  readonly search: AuditSearch;
  readonly submit: (filters: AuditSearch) => void;
}

export function FilterBar({ search, submit }: FilterBarProps) {
  const { audit } = useWords();
  const read = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: Filter): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const times = TIMES.map((name) => [name, fromField(text(name)) ?? ''] as const);
    submit(filtersOf(Object.fromEntries([...GLOBS.map((name) => [name, text(name)]), ...times])));
  };
  const filters = filtersOf(search);
  return (
    <form onSubmit={read} key={JSON.stringify(filters)} role="search" aria-label={audit.search}>
      <Group gap="xs" align="flex-end">
        {GLOBS.map((name) => (
          <TextInput key={name} name={name} label={audit[name]} defaultValue={search[name] ?? ''} size="xs" w={150} />
        ))}
        {TIMES.map((name) => (
          <TextInput
            key={name}
            name={name}
            type="datetime-local"
            label={audit[name]}
            defaultValue={toField(search[name])}
            size="xs"
            w={190}
          />
        ))}
        <Button type="submit" size="xs" leftSection={<IconSearch size={14} aria-hidden />}>
          {audit.search}
        </Button>
        {Object.keys(filters).length > 0 && (
          <Button variant="default" size="xs" onClick={() => submit({})}>
            {audit.clear}
          </Button>
        )}
      </Group>
    </form>
  );
}
