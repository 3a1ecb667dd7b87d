/** A person's sessions by device: each device with its sessions, those of operators apart. The person sees them so, and an administrator. */
import { Button, Text } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile, IconEyeglass } from '@tabler/icons-react';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { deviceOf } from './device.ts';
import './people.css';

export interface DeviceSession {
  readonly id: string;
  readonly kind: 'user' | 'impersonation' | 'login';
  readonly created_at: string;
  readonly last_seen_at: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly ended_at: string | null;
  /** Whether this page has it: it is ended by logging out. */
  readonly current: boolean;
  /** Of an operator's: who acts, or how and why. */
  readonly note: string | null;
}

interface DevicesProps {
  readonly of: readonly DeviceSession[];
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

/** Those that may be ended at once: open, and not the one of this page. */
export const othersIn = (sessions: readonly DeviceSession[]): readonly string[] =>
  sessions.filter(({ current, ended_at: ended }) => !current && ended === null).map(({ id }) => id);

interface LineProps {
  readonly of: DeviceSession;
  readonly device: string;
  readonly isPending: boolean;
  readonly end: () => void;
}

function Line({ of: session, device, isPending, end }: LineProps) {
  const { people } = useWords();
  const { moment } = useFigures();
  const began = `${people.began} ${moment(session.created_at)}`;
  const seen = session.last_seen_at === null ? '' : ` · ${people.lastSeen} ${moment(session.last_seen_at)}`;
  const about = [session.current ? people.thisPage : null, session.note].filter((part) => part !== null);
  return (
    <li className="session" data-ended={session.ended_at !== null}>
      <Sign of={session} />
      <div className="session-text">
        <Text size="sm" title={session.user_agent ?? undefined}>
          <span className="mono">{session.ip ?? '–'}</span>
          {about.map((part) => ` · ${part}`)}
        </Text>
        <Text size="xs" c="dimmed">
          {began}
          {seen}
        </Text>
      </div>
      {session.ended_at !== null && (
        <Text size="xs" c="dimmed">
          {people.ended}
        </Text>
      )}
      {session.ended_at === null && !session.current && (
        <Button
          size="xs"
          variant="default"
          disabled={isPending}
          aria-label={`${people.end}: ${device}, ${began}`}
          onClick={end}
        >
          {people.end}
        </Button>
      )}
    </li>
  );
}

function Sign({ of: { kind, user_agent: agent } }: { readonly of: DeviceSession }) {
  if (kind === 'impersonation') return <IconEyeglass size={20} aria-hidden />;
  return deviceOf(agent).isHandheld ? (
    <IconDeviceMobile size={20} aria-hidden />
  ) : (
    <IconDeviceDesktop size={20} aria-hidden />
  );
}
