/** The people of the tenant; what is searched for, and whose sheet is open, stand in the address. */
import { Anchor, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconX } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { PeopleHead } from './head.tsx';
import { invitationsPath, peoplePath } from './paths.ts';
import { linkId, PeopleTable } from './people-table.tsx';
import { peopleWith } from './queries.ts';
import type { Kind, PeopleSearch } from './search.ts';
import { UserSheet } from './user-sheet.tsx';

/** How long after the last letter it is searched for. */
const TYPED_MS = 250;
const FROM = '/at/$customer/$product/$env/$tenant/people';

export function ListPage() {
  const { people: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const { q = '', role, show, user } = search;
  const asked = useInfiniteQuery({ ...peopleWith(place, search), placeholderData: keepPreviousData });
  const rows = asked.data?.pages.flatMap(({ users }) => users);
  const go = (next: PeopleSearch, replace = false): void =>
    void navigate({ to: peoplePath(place.key), search: next as never, replace });
  const close = (id: string): void => {
    go(without(search, 'user'));
    // The reader goes on where the sheet was opened.
    document.getElementById(linkId(id))?.focus();
  };
  return (
    <>
      <PeopleHead />
      {asked.error !== null && <Denied error={asked.error} again={() => void asked.refetch()} />}
      {rows !== undefined && (
        <Stack gap="sm">
          <Finder search={search} look={(next) => go(next, true)} />
          <ListPanel
            isAlone={rows.length === 1 && !asked.hasNextPage && q === '' && show === undefined && role === undefined}
          >
            <PeopleTable rows={rows} search={search} hasMore={asked.hasNextPage} />
          </ListPanel>
          <More label={words.more} of={asked} />
        </Stack>
      )}
      {user !== undefined && <UserSheet key={user} id={user} close={() => close(user)} />}
    </>
  );
}

/** A tenant in which only its administrator is gets a hint. */
function ListPanel({ isAlone, children }: { readonly isAlone: boolean; readonly children: ReactNode }) {
  const { people: words } = useWords();
  const { key } = usePlace();
  return (
    <Panel title={words.list}>
      {children}
      {isAlone && (
        <Text size="sm" c="dimmed" mt="xs" maw="72ch">
          {words.alone}{' '}
          <Anchor component={Link} to={invitationsPath(key)} size="sm" c="var(--mantine-color-text)" underline="always">
            {words.invite}
          </Anchor>
        </Text>
      )}
    </Panel>
  );
}

interface FinderProps {
  readonly search: PeopleSearch;
  readonly look: (search: PeopleSearch) => void;
}

function Finder({ search, look }: FinderProps) {
  const { people: words } = useWords();
  const lookSoon = useDebouncedCallback(
    (text: string) => look(text.trim() === '' ? without(search, 'q') : { ...search, q: text.trim() }),
    TYPED_MS,
  );
  const choose = (value: string): void =>
    look(value === '' ? without(search, 'show') : { ...search, show: value as Kind });
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        type="search"
        label={words.find}
        description={words.findHow}
        defaultValue={search.q ?? ''}
        onChange={({ currentTarget }) => lookSoon(currentTarget.value)}
        leftSection={<IconSearch size={14} aria-hidden />}
        autoCapitalize="none"
        spellCheck={false}
        className="finder"
      />
      <NativeSelect
        label={words.show}
        value={search.show ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[
          { value: '', label: words.shows.all },
          { value: 'accounts', label: words.shows.accounts },
          { value: 'guests', label: words.shows.guests },
        ]}
      />
      {search.role !== undefined && (
        <Button
          variant="default"
          rightSection={<IconX size={14} aria-hidden />}
          title={words.anyRole}
          onClick={() => look(without(search, 'role'))}
        >
          {words.withRole(search.role)}
        </Button>
      )}
    </Group>
  );
}

function without(search: PeopleSearch, name: keyof PeopleSearch): PeopleSearch {
  const { [name]: _, ...rest } = search;
  return rest;
}
