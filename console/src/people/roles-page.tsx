/** The roles of the tenant's product: what each is for, what its definitions give it, and the way to those who have it. */
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import type { Words } from '../words/en.ts';
import { Denied } from './denied.tsx';
import { PeopleHead } from './head.tsx';
import { peoplePath } from './paths.ts';
import { rolesOf } from './queries.ts';
import type { RoleUse } from './shapes.ts';

export function RolesPage() {
  const { people: words } = useWords();
  const place = usePlace();
  const { data, error, refetch } = useQuery(rolesOf(place));
  return (
    <>
      <PeopleHead />
      {error !== null && <Denied error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <Panel title={words.rolesTitle}>
          <Text c="dimmed" size="sm" maw="72ch" mb="xs">
            {words.rolesAre}
          </Text>
          <Roles rows={data} />
        </Panel>
      )}
    </>
  );
}

function Roles({ rows }: { readonly rows: readonly RoleUse[] }) {
  const { people: words } = useWords();
  const { key } = usePlace();
  return (
    <Table
      label={words.rolesTitle}
      rows={rows}
      empty={words.grantsNothing}
      keyOf={({ role }) => role}
      columns={[
        {
          label: words.role,
          cell: ({ role, about }) => (
            <div className="person">
              <span className="mono">{role}</span>
              <Text size="xs" c="dimmed">
                {words.rolesHow[role] ?? about}
              </Text>
            </div>
          ),
        },
        { label: words.may, cell: (one) => <Gives of={one} /> },
        {
          label: words.whoHasIt,
          cell: ({ role }) => (
            <Anchor
              component={Link}
              to={peoplePath(key)}
              search={{ role } as never}
              size="sm"
              c="var(--mantine-color-text)"
              underline="always"
            >
              {words.whoHas(role)}
            </Anchor>
          ),
        },
      ]}
    />
  );
}

function Gives({ of }: { readonly of: RoleUse }) {
  const { people: words } = useWords();
  const lines = linesOf(of, words);
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {words.grantsNothing}
      </Text>
    );
  return lines.map((line) => (
    <Text key={line} size="sm" className="wraps">
      {line}
    </Text>
  ));
}

const linesOf = ({ entities, fields, runs }: RoleUse, words: Words['people']): string[] => [
  ...entities.flatMap(({ entity, granted, ruled }) => [
    ...(granted.length > 0 ? [words.onEntity(entity, granted.join(', '))] : []),
    ...(ruled.length > 0 ? [words.byRule(entity, ruled.join(', '))] : []),
  ]),
  ...fields.map(({ entity, field, may }) => words.fieldAccess(`${entity}.${field}`, may)),
  ...runs.map(({ name }) => words.runsAs(name)),
];
