/** Where a person is logged in: each session with its device, and its end. */
import { Button, Text, Title } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile, IconEyeglass } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { AskedAct } from '../parts/asked-act.tsx';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { deviceOf } from './device.ts';
import { namedBy } from './names.ts';
import { endSessions, sessionsOf } from './queries.ts';
import type { PersonDetail, Session } from './shapes.ts';

export function SessionsSection({ person }: { readonly person: PersonDetail }) {
  const { people: words, typed } = useWords();
  const place = usePlace();
  const title = useRef<HTMLHeadingElement>(null);
  const { data, error, refetch } = useQuery(sessionsOf(place, person.id));
  const end = useMutation({
    mutationFn: (session: string | null) => endSessions(place, person.id, session),
    onSettled: () => refetch(),
    // The button of a session goes with it: the keyboard goes on from the head of the list.
    onSuccess: (_, session) => session !== null && title.current?.focus(),
  });
  const fault = error ?? end.error;
  const again = (): void => {
    if (end.error === null || end.variables === undefined) void refetch();
    else end.mutate(end.variables);
  };
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
      <ul className="sessions">
        {(data?.sessions ?? []).map((session) => (
          <SessionLine
            key={session.id}
            of={session}
            isPending={end.isPending && end.variables === session.id}
            end={() => end.mutate(session.id)}
          />
        ))}
      </ul>
      {data !== undefined && data.count > data.sessions.length && (
        <Text size="sm" c="dimmed">
          {words.newestOf} {data.count}
        </Text>
      )}
      <AskedAct
        act={words.endAll}
        how={words.endAllHow}
        {...namedBy(person)}
        label={typed}
        isPending={end.isPending}
        run={() => end.mutateAsync(null)}
        reset={end.reset}
      />
    </section>
  );
}

interface SessionLineProps {
  readonly of: Session;
  readonly isPending: boolean;
  readonly end: () => void;
}

function SessionLine({ of: session, isPending, end }: SessionLineProps) {
  const { people: words } = useWords();
  const { moment } = useFigures();
  const { name, isHandheld } = deviceOf(session.user_agent);
  const isOperator = session.kind === 'impersonation';
  const Icon = isOperator ? IconEyeglass : isHandheld ? IconDeviceMobile : IconDeviceDesktop;
  const shown = name ?? words.unknownDevice;
  return (
    <li className="session" data-ended={session.revoked_at !== null}>
      <Icon size={20} aria-hidden />
      <div className="session-text">
        <Text size="sm" title={session.user_agent ?? undefined}>
          {isOperator ? `${words.operator} ${session.actor ?? ''}` : shown}
          {session.ip !== null && <span className="mono"> · {session.ip}</span>}
        </Text>
        <Text size="xs" c="dimmed">
          {words.began} {moment(session.created_at)} · {words.lastSeen} {moment(session.last_seen_at)}
        </Text>
      </div>
      {session.revoked_at === null ? (
        <Button
          size="xs"
          variant="default"
          loading={isPending}
          aria-label={`${words.end}: ${shown}, ${words.began} ${moment(session.created_at)}`}
          onClick={end}
        >
          {words.end}
        </Button>
      ) : (
        <Text size="xs" c="dimmed">
          {words.ended}
        </Text>
      )}
    </li>
  );
}
