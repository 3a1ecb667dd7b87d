/** Submissions in a table; when each came opens its sheet. */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { gistOf } from './known-fields.ts';
import { formPath } from './paths.ts';
import type { FormSearch } from './search.ts';
import type { Submission } from './shapes.ts';
import { OutcomeBadge } from './state-badge.tsx';

/** The link of a submission in the list, to which the keyboard comes back. */
export const linkId = (id: string): string => `submission-${id}`;

interface SubmissionsTableProps {
  readonly form: string;
  readonly rows: readonly Submission[];
  readonly search: FormSearch;
  readonly hasMore: boolean;
}

export function SubmissionsTable({ form, rows, search, hasMore }: SubmissionsTableProps) {
  const { forms: words } = useWords();
  const { key } = usePlace();
  const { moment } = useFigures();
  return (
    <Table
      label={words.submissions}
      rows={rows}
      empty={hasMore ? words.notYet : words.noneOf}
      keyOf={({ id }) => id}
      columns={[
        {
          label: words.received,
          cell: (one) => (
            <>
              <Anchor
                id={linkId(one.id)}
                component={Link}
                to={formPath(key, form)}
                search={{ ...search, submission: one.id } as never}
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
              >
                {moment(one.received_at)}
              </Anchor>
              <Text size="xs" c="dimmed" className="gist" hiddenFrom="sm">
                {gistOf(one)}
              </Text>
            </>
          ),
        },
        { label: words.outcome, cell: (one) => <OutcomeBadge of={one} /> },
        { label: words.said, isMinor: true, cell: (one) => <span className="gist">{gistOf(one)}</span> },
      ]}
    />
  );
}
