/** Whether a document is published in the language that is shown, since when, and what may become of it. */
import { Button, Group, Text } from '@mantine/core';
import { content, type Document } from '@skep/client';
import { useMutation } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { localeQuery, versionQuery } from './queries.ts';
import { STATES, type State } from './states.ts';
import type { App, Type } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

interface StatePanelProps {
  readonly app: App;
  readonly type: Type;
  readonly id: string;
  readonly locale: string | null;
  readonly part: Document;
  /** Whether the form has text that is not kept: it is kept or dropped first. */
  readonly isHeld: boolean;
  readonly onKept: (document: Document) => void;
}

/** The next one first. */
const NEXT: Readonly<Record<State, readonly State[]>> = {
  draft: ['published', 'archived'],
  published: ['draft', 'archived'],
  archived: ['draft', 'published'],
};

export function StatePanel({ app, type, id, locale, part, isHeld, onKept }: StatePanelProps) {
  const { content: words } = useWords();
  const { moment } = useFigures();
  const { skep } = usePlace();
  const move = useMutation({
    mutationFn: (status: State) =>
      content(skep, app.name).update(type.name, id, { status }, { ...localeQuery(locale), ...versionQuery(part) }),
    onSuccess: onKept,
  });
  const since = part['published_at'];
  const next = STATES.includes(part.status) ? NEXT[part.status] : [];
  return (
    <Panel title={words.state}>
      {move.error !== null && <Fault error={move.error} again={() => move.reset()} />}
      <Group gap="sm">
        <StateBadge of={part.status} />
        {typeof since === 'string' && (
          <Text size="sm" c="dimmed">
            {words.firstPublished} {moment(since)}
          </Text>
        )}
        {next.map((state, at) => (
          <Button
            key={state}
            size="xs"
            variant={at === 0 && state === 'published' ? 'filled' : 'default'}
            disabled={move.isPending || isHeld}
            onClick={() => move.mutate(state)}
          >
            {words.moves[state]}
          </Button>
        ))}
        {isHeld && (
          <Text size="sm" c="dimmed" role="status">
            {words.keepFirst}
          </Text>
        )}
      </Group>
    </Panel>
  );
}
