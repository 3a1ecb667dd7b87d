/** Where a person is logged in, by device: each session with its end, and the end of all of them. */
import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { meOf, ownSessionsOf } from '../me/queries.ts';
import { AskedAct } from '../parts/asked-act.tsx';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Devices, othersIn, type DeviceSession } from './devices.tsx';
import { namedBy } from './names.ts';
import { endEach, endSessions, sessionsOf } from './queries.ts';
import type { PersonDetail, Sessions } from './shapes.ts';

/** `all`: logins without a session as well. */
type Wish = readonly string[] | 'all';

export function SessionsSection({ person }: { readonly person: PersonDetail }) {
  const { people: words, typed } = useWords();
  const place = usePlace();
  const title = useRef<HTMLHeadingElement>(null);
  const { data, error, refetch } = useQuery(sessionsOf(place, person.id));
  const here = useHere(person);
  const end = useMutation({
    mutationFn: (wish: Wish) => (wish === 'all' ? endSessions(place, person.id) : endEach(place, person.id, wish)),
    onSettled: () => refetch(),
    // The button of a session goes with it: the keyboard goes on from the head of the list.
    onSuccess: (_, wish) => wish !== 'all' && title.current?.focus(),
  });
  const fault = error ?? end.error;
  const again = (): void => {
    if (end.error === null || end.variables === undefined) void refetch();
    else end.mutate(end.variables);
  };
  const sessions = useSeen(data, here);
  const others = othersIn(sessions);
  return (
    <section className="section" aria-label={words.sessions}>
      <Title order={3} size="h2" mb={4} ref={title} tabIndex={-1} className="sheet-title">
        {words.sessions}
      </Title>
      {fault !== null && <Fault error={fault} again={again} />}
      {data !== undefined && data.sessions.length === 0 && (
        <Text size="sm" c="dimmed" maw="72ch">
          {words.noSessions}
        </Text>
      )}
      <Devices of={sessions} isPending={end.isPending} end={(id) => end.mutate([id])} />
      {data !== undefined && data.count > data.sessions.length && (
        <Text size="sm" c="dimmed">
          {words.newestOf} {data.count}
        </Text>
      )}
      {here !== null && others.length > 0 && (
        <Group mt="xs">
          <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate(others)}>
            {words.endOthers} ({others.length})
          </Button>
        </Group>
      )}
      <AskedAct
        act={words.endAll}
        how={words.endAllHow}
        {...namedBy(person)}
        label={typed}
        isPending={end.isPending}
        run={() => end.mutateAsync('all')}
        reset={end.reset}
      />
    </section>
  );
}

/** The session of this page where the sheet is the reader's own and the product has accounts, which tell it; else null. */
function useHere({ id }: PersonDetail): string | null {
  const place = usePlace();
  const me = useQuery({ ...meOf(place), staleTime: Infinity, retryOnMount: false });
  const own = useQuery({ ...ownSessionsOf(place), enabled: me.data?.id === id });
  return me.data?.id === id ? (own.data?.find(({ current }) => current)?.id ?? null) : null;
}

/** Those of operators say who acts, how, and why. */
function useSeen(data: Sessions | undefined, here: string | null): readonly DeviceSession[] {
  const { me: words, acting } = useWords();
  return (data?.sessions ?? []).map(({ revoked_at, actor, impersonation: of, ...session }) => ({
    ...session,
    ended_at: revoked_at,
    current: session.id === here,
    note:
      actor === undefined
        ? null
        : [actor, of?.mode && words.mode[of.mode], of?.reason && acting.quoted(of.reason)].filter(Boolean).join(' · '),
  }));
}
