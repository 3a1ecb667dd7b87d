/** What one person may do by the roles that the person has, as a matrix: the definitions of the product say it, and rules may ask for more. */
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { matrixOf, type MayRow } from './may.ts';
import { rolesOf } from './queries.ts';
import type { PersonDetail } from './shapes.ts';

export function MaySection({ person }: { readonly person: PersonDetail }) {
  const { people: words } = useWords();
  const place = usePlace();
  const { data } = useQuery(rolesOf(place));
  if (data === undefined) return null;
  const { operations, rows } = matrixOf(data.filter(({ role }) => person.roles.includes(role)));
  return (
    <section className="section">
      <Title order={3} size="h2" mb={4} className="sheet-title">
        {words.mayTitle}
      </Title>
      <Text size="sm" c="dimmed" maw="72ch" mb="xs">
        {rows.length === 0 ? words.mayNothing : words.mayHow}
      </Text>
      {rows.length > 0 && (
        <Table<MayRow>
          label={words.mayTitle}
          rows={rows}
          empty=""
          keyOf={({ entity }) => entity}
          columns={[
            { label: words.mayEntity, cell: ({ entity }) => <span className="mono">{entity}</span> },
            ...operations.map((operation) => ({
              label: operation,
              cell: ({ may }: MayRow) => {
                const how = may.get(operation);
                return how === undefined ? '–' : words.mays[how];
              },
            })),
          ]}
        />
      )}
    </section>
  );
}
