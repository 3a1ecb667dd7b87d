/** People in a table; the name of each opens the sheet. */
import { Text } from '@mantine/core';
import { Opens } from '../parts/opens.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Words } from '../words/en.ts';
import { fullName, loginOf } from './names.ts';
import { peoplePath } from './paths.ts';
import type { PeopleSearch } from './search.ts';
import type { Person } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

/** The link of a person in the list, to which the keyboard comes back. */
export const linkId = (id: string): string => `person-${id}`;

interface PeopleTableProps {
  readonly rows: readonly Person[];
  readonly search: PeopleSearch;
  readonly hasMore: boolean;
}

export function PeopleTable({ rows, search, hasMore }: PeopleTableProps) {
  const { people: words } = useWords();
  const { key } = usePlace();
  const { moment } = useFigures();
  return (
    <Table
      label={words.list}
      rows={rows}
      empty={hasMore ? words.notYet : emptyOf(search, words)}
      keyOf={({ id }) => id}
      columns={[
        {
          label: words.person,
          cell: (one) => (
            <div className="person">
              <Opens
                name={one.guest ? words.states.guest : loginOf(one)}
                to={peoplePath(key)}
                search={{ ...search, user: one.id }}
                id={linkId(one.id)}
              />
              <Text size="xs" c="dimmed" className={one.guest ? 'mono' : undefined}>
                {one.guest ? one.id : fullName(one)}
              </Text>
              <Text size="xs" hiddenFrom="sm">
                {one.roles.join(', ')}
              </Text>
            </div>
          ),
        },
        { label: words.state, cell: (one) => <StateBadge of={one} /> },
        {
          label: words.roles,
          isMinor: true,
          cell: ({ roles }) => <span className="wraps">{roles.join(', ') || '–'}</span>,
        },
        { label: words.since, isMinor: true, cell: ({ created_at }) => moment(created_at) },
      ]}
    />
  );
}

function emptyOf({ q, role, show }: PeopleSearch, words: Words['people']): string {
  if (q !== undefined) return `${words.noneBegins} “${q}”.`;
  if (role !== undefined) return words.noneHas(role);
  return show === 'guests' ? words.noGuests : words.none;
}
