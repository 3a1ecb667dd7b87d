/** Invitations: made, listed while they are open, withdrawn. */
import { Anchor, Button, Code, Stack, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { PeopleHead } from './head.tsx';
import { InviteForm } from './invite-form.tsx';
import { addPath } from './paths.ts';
import { invitationsOf, withdraw } from './queries.ts';
import type { Invitation } from './shapes.ts';

export function InvitationsPage() {
  const { people: words } = useWords();
  const place = usePlace();
  const asked = useInfiniteQuery(invitationsOf(place));
  const rows = asked.data?.pages.flatMap(({ invitations }) => invitations);
  const again = (): void => void asked.refetch();
  const hasNone = isSkepError(asked.error, 'no_accounts');
  return (
    <>
      <PeopleHead />
      {hasNone && <NoAccounts />}
      {asked.error !== null && !hasNone && <Denied error={asked.error} again={again} />}
      {rows !== undefined && (
        <Stack gap="sm">
          <InviteForm onMade={again} />
          <Panel title={words.open}>
            <Open rows={rows} again={again} />
          </Panel>
          <More label={words.more} of={asked} />
        </Stack>
      )}
    </>
  );
}

/** The product has no accounts that come by themselves or by invitation. */
function NoAccounts() {
  const { people: words } = useWords();
  const { key } = usePlace();
  return (
    <Panel title={words.noAccounts}>
      <Text maw="72ch">{words.noAccountsHow}</Text>
      <Code block mt="xs" tabIndex={0}>
        {'accounts: { sign_up: invitation }   # product.yaml'}
      </Code>
      <Text maw="72ch" mt="xs">
        {words.noAccountsAdd}
      </Text>
      <Anchor component={Link} to={addPath(key)} c="var(--mantine-color-text)" underline="always">
        {words.add}
      </Anchor>
    </Panel>
  );
}

function Open({ rows, again }: { readonly rows: readonly Invitation[]; readonly again: () => void }) {
  const { people: words } = useWords();
  const { moment } = useFigures();
  const place = usePlace();
  const end = useMutation({ mutationFn: (id: string) => withdraw(place, id), onSettled: again });
  return (
    <>
      {end.error !== null && (
        <Fault error={end.error} again={() => end.variables !== undefined && end.mutate(end.variables)} />
      )}
      <Table
        label={words.open}
        rows={rows}
        empty={words.noInvitations}
        keyOf={({ id }) => id}
        columns={[
          {
            label: words.email,
            cell: ({ email, roles }) => (
              <div className="person">
                {email}
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {roles.join(', ')}
                </Text>
              </div>
            ),
          },
          {
            label: words.roles,
            isMinor: true,
            cell: ({ roles }) => <span className="wraps">{roles.join(', ') || '–'}</span>,
          },
          { label: words.invitedAt, isMinor: true, cell: ({ created_at }) => moment(created_at) },
          { label: words.expires, isMinor: true, cell: ({ expires_at }) => moment(expires_at) },
          {
            label: words.act,
            cell: ({ id, email }) => (
              <Button
                size="compact-xs"
                variant="default"
                loading={end.isPending && end.variables === id}
                aria-label={`${words.withdraw}: ${email}`}
                onClick={() => end.mutate(id)}
              >
                {words.withdraw}
              </Button>
            ),
          },
        ]}
      />
    </>
  );
}
