/** The forms of the tenant: each with its address, what follows a submission, and how it does. */
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LiveMark, useLive } from '../parts/live.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { Follows } from './follows.tsx';
import { FormsHead } from './head.tsx';
import { knownForms, type KnownForm } from './known-forms.ts';
import { NoForms } from './no-forms.tsx';
import { formPath } from './paths.ts';
import { newestOf, triggersOf } from './queries.ts';
import { FormBadge } from './state-badge.tsx';

export function ListPage() {
  const { forms: words } = useWords();
  const place = usePlace();
  const triggers = useQuery(triggersOf(place));
  const { refetchInterval, isLive } = useLive();
  const newest = useQuery({ ...newestOf(place), refetchInterval });
  const error = triggers.error ?? newest.error;
  const again = (): void => void Promise.all([triggers.refetch(), newest.refetch()]);
  const rows =
    triggers.data === undefined || newest.data === undefined ? undefined : knownForms(triggers.data, newest.data);
  return (
    <>
      <FormsHead />
      {error !== null && <Denied error={error} again={again} />}
      {rows?.length === 0 && <NoForms />}
      {rows !== undefined && rows.length > 0 && (
        <Panel title={words.list}>
          <Stack gap="xs">
            <LiveMark isLive={isLive} />
            <FormsTable rows={rows} />
            <Text size="sm" c="dimmed" maw="72ch">
              {words.knownOnly}
            </Text>
          </Stack>
        </Panel>
      )}
    </>
  );
}

function FormsTable({ rows }: { readonly rows: readonly KnownForm[] }) {
  const { forms: words } = useWords();
  const { key } = usePlace();
  const { count, moment } = useFigures();
  return (
    <Table
      label={words.list}
      rows={rows}
      empty={words.none}
      keyOf={({ id }) => id}
      columns={[
        {
          label: words.form,
          cell: ({ id, trigger }) => (
            <div className="form-name">
              <Anchor
                component={Link}
                to={formPath(key, id)}
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
              >
                {id}
              </Anchor>
              <Text size="xs" hiddenFrom="sm">
                <Follows trigger={trigger} />
              </Text>
            </div>
          ),
        },
        { label: words.state, cell: ({ state }) => <FormBadge of={state} /> },
        { label: words.address, isMinor: true, cell: ({ id }) => <span className="mono">POST /f/{id}</span> },
        { label: words.follows, isMinor: true, cell: ({ trigger }) => <Follows trigger={trigger} /> },
        {
          label: words.delivered,
          isMinor: true,
          isFigure: true,
          cell: ({ trigger }) => (trigger === undefined ? '–' : count(trigger.delivered)),
        },
        {
          label: words.newest,
          isMinor: true,
          cell: ({ newest }) => (newest === null ? '–' : moment(newest)),
        },
      ]}
    />
  );
}
