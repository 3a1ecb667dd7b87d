/** One's own account: whether operators may act for one, and where one is logged in, by device. */
import { Button, Stack, Switch, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useActing } from '../acting/acting.ts';
import { PageHead } from '../frame/page-head.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Devices, othersIn, type DeviceSession } from '../people/devices.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { allowActing, endOwn, meOf, ownSessionsOf, type Me, type OwnSession } from './queries.ts';

export function MePage() {
  const { me: words } = useWords();
  const place = usePlace();
  const me = useQuery(meOf(place));
  const isActing = useActing(place) !== null;
  const sessions = useQuery({ ...ownSessionsOf(place), enabled: me.data !== undefined && !isActing });
  const error = me.error ?? sessions.error;
  const again = (): void => void Promise.all([me.refetch(), sessions.refetch()]);
  return (
    <>
      <PageHead title={words.title} label={words.title} beside={[]} />
      {error !== null && <Denied error={error} again={again} />}
      <Stack gap="sm">
        {me.data !== undefined && <Account me={me.data} isActing={isActing} again={again} />}
        {sessions.data !== undefined && <Sessions of={sessions.data} again={again} />}
      </Stack>
    </>
  );
}

function Denied({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { me: words } = useWords();
  if (isSkepError(error, 'no_accounts')) return <Text maw="72ch">{words.noAccounts}</Text>;
  if (isSkepError(error, 'account_denied')) return <Text maw="72ch">{words.denied}</Text>;
  return <Fault error={error} again={again} />;
}

interface AccountProps {
  readonly me: Me;
  /** Whether an operator looks at it, to whom nothing of it is open. */
  readonly isActing: boolean;
  readonly again: () => void;
}

function Account({ me, isActing, again }: AccountProps) {
  const { me: words } = useWords();
  const place = usePlace();
  const allow = useMutation({ mutationFn: (value: boolean) => allowActing(place, value), onSettled: again });
  const name = [me.firstname, me.lastname].filter((part) => part !== null && part !== '').join(' ');
  return (
    <Panel title={me.email}>
      <Stack gap="sm">
        <Facts
          of={[
            [words.name, name === '' ? null : name],
            [words.roles, me.roles.join(', ') || null],
            [words.secondFactor, me.second_factor ? words.yes : words.no],
            ['id', me.id],
          ]}
        />
        {allow.error !== null && <Denied error={allow.error} again={allow.reset} />}
        {isActing ? (
          <Text size="sm" maw="72ch">
            {words.denied}
          </Text>
        ) : (
          <Switch
            label={words.consent}
            description={words.consentHow}
            maw="72ch"
            checked={allow.isPending ? allow.variables : me.allow_impersonation}
            onChange={({ currentTarget }) => allow.mutate(currentTarget.checked)}
          />
        )}
      </Stack>
    </Panel>
  );
}

function Sessions({ of: sessions, again }: { readonly of: readonly OwnSession[]; readonly again: () => void }) {
  const { me: words, people } = useWords();
  const place = usePlace();
  const seen = useSeen(sessions);
  const end = useMutation({ mutationFn: (ids: readonly string[]) => endOwn(place, ids), onSettled: again });
  const others = othersIn(seen);
  return (
    <Panel title={words.devices}>
      {end.error !== null && <Fault error={end.error} again={end.reset} />}
      <Devices of={seen} isPending={end.isPending} end={(id) => end.mutate([id])} />
      {others.length > 0 ? (
        <Button size="xs" variant="default" mt="xs" loading={end.isPending} onClick={() => end.mutate(others)}>
          {people.endOthers} ({others.length})
        </Button>
      ) : (
        end.isSuccess && (
          <Text size="sm" role="status">
            {words.ended}
          </Text>
        )
      )}
    </Panel>
  );
}

/** Those of operators say how they act, and why. */
function useSeen(sessions: readonly OwnSession[]): readonly DeviceSession[] {
  const { me: words, acting } = useWords();
  return sessions.map(({ impersonation: of, ...session }) => {
    if (of === undefined) return { ...session, note: null };
    const parts = [of.mode === null ? null : words.mode[of.mode], acting.quoted(of.reason ?? '')];
    return { ...session, note: parts.filter((part) => part !== null).join(' · ') };
  });
}
