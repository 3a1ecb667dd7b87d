/** One's own sessions by device: each device with its sessions, those of operators apart. */
import { Button, Text } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile, IconEyeglass } from '@tabler/icons-react';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { deviceOf } from '../people/device.ts';
import '../people/people.css';
import type { OwnSession } from './queries.ts';

interface DevicesProps {
  readonly of: readonly OwnSession[];
  readonly isPending: boolean;
  readonly end: (id: string) => void;
}

export function Devices({ of: sessions, isPending, end }: DevicesProps) {
  const { people } = useWords();
  const groups = Map.groupBy(sessions, ({ kind, user_agent: agent }) =>
    kind === 'impersonation' ? people.operator : (deviceOf(agent).name ?? people.unknownDevice),
  );
  return (
    <>
      {[...groups].map(([device, own]) => (
        <section key={device} aria-label={device}>
          <Text size="sm" fw={600} mt="xs">
            {device} ({own.length})
          </Text>
          <ul className="sessions">
            {own.map((session) => (
              <Line key={session.id} of={session} device={device} isPending={isPending} end={() => end(session.id)} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

interface LineProps {
  readonly of: OwnSession;
  readonly device: string;
  readonly isPending: boolean;
  readonly end: () => void;
}

function Line({ of: session, device, isPending, end }: LineProps) {
  const { people, me: words, acting } = useWords();
  const { moment } = useFigures();
  const { impersonation } = session;
  const Icon =
    impersonation !== undefined
      ? IconEyeglass
      : deviceOf(session.user_agent).isHandheld
        ? IconDeviceMobile
        : IconDeviceDesktop;
  const began = `${people.began} ${moment(session.created_at)}`;
  const seen = session.last_seen_at === null ? '' : ` · ${people.lastSeen} ${moment(session.last_seen_at)}`;
  return (
    <li className="session" data-ended={session.ended_at !== null}>
      <Icon size={20} aria-hidden />
      <div className="session-text">
        <Text size="sm">
          <span className="mono">{session.ip ?? '–'}</span>
          {session.current && ` · ${words.here}`}
          {impersonation !== undefined &&
            ` · ${impersonation.mode === null ? '' : `${words.mode[impersonation.mode]} · `}${acting.quoted(impersonation.reason ?? '')}`}
        </Text>
        <Text size="xs" c="dimmed">
          {began}
          {seen}
        </Text>
      </div>
      {session.ended_at !== null ? (
        <Text size="xs" c="dimmed">
          {people.ended}
        </Text>
      ) : (
        !session.current && (
          <Button
            size="xs"
            variant="default"
            disabled={isPending}
            aria-label={`${people.end}: ${device}, ${began}`}
            onClick={end}
          >
            {people.end}
          </Button>
        )
      )}
    </li>
  );
}
