/** One event beside the list: what it is about, what became of it, what to do, and another try. It has an address of its own. */
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { entityPath } from '../data/paths.ts';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useLooks } from '../parts/use-looks.ts';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';
import { eventsOf, retry } from './queries.ts';
import type { TriggerEvent } from './shapes.ts';
import { EventBadge } from './state-badge.tsx';

export function EventSheet({ id, close }: { readonly id: string; readonly close: () => void }) {
  const { triggers: words } = useWords();
  const { moment } = useFigures();
  const place = usePlace();
  const queries = useQueryClient();
  /** Whether the reader has asked for another try here: an event that is gone then was delivered. */
  const [isTried, setTried] = useState(false);
  const find = (events: readonly TriggerEvent[] | undefined) => events?.find((event) => event.id === id);
  const { refetchInterval, begin } = useLooks<readonly TriggerEvent[]>((events) => find(events)?.outcome === 'waiting');
  const asked = useQuery({ ...eventsOf(place, undefined), refetchInterval });
  const one = find(asked.data);
  const run = useMutation({
    mutationFn: () => retry(place, id),
    onSuccess: () => {
      begin();
      setTried(true);
    },
    // Also where it is refused: the delivery may be through already.
    onSettled: () => queries.invalidateQueries({ queryKey: ['triggers'] }),
  });
  return (
    <Sheet title={one === undefined ? words.event : `${words.event}, ${moment(one.at)}`} close={close}>
      {asked.error !== null && <Fault error={asked.error} again={() => void asked.refetch()} />}
      {asked.data !== undefined && one === undefined && (
        <Text maw="72ch" role="status">
          {isTried ? words.gotThrough : words.unknown}
        </Text>
      )}
      {one !== undefined && (
        <Stack gap="md">
          <div>
            <EventBadge of={one} />
            <About of={one} />
          </div>
          <section className="section" aria-label={words.whatToDo}>
            <Title order={3} size="h2" mb={4}>
              {words.whatToDo}
            </Title>
            <Text size="sm" maw="72ch">
              {adviceOf(one, words)}
            </Text>
            {run.error !== null && <Fault error={run.error} again={() => run.mutate()} />}
            <Group mt="xs">
              <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate()}>
                {one.outcome === 'waiting' ? words.tryNow : one.kind === 'script' ? words.runAgain : words.sendAgain}
              </Button>
            </Group>
          </section>
        </Stack>
      )}
    </Sheet>
  );
}

function About({ of: one }: { readonly of: TriggerEvent }) {
  const { triggers: words } = useWords();
  const { moment, count } = useFigures();
  const { key } = usePlace();
  const row =
    one.entity === null || one.key === null
      ? []
      : ([
          [
            words.row,
            <Anchor
              key="row"
              component={Link}
              to={entityPath(key, one.entity)}
              search={{ row: one.key } as never}
              fz="inherit"
              c="var(--mantine-color-text)"
              underline="always"
            >
              {one.entity} {one.key}
            </Anchor>,
          ],
          [words.version, count(one.version)],
        ] as const);
  return (
    <Facts
      of={[
        [words.trigger, one.trigger],
        ['id', one.id],
        [words.about, words.events[one.event]],
        ...row,
        ...(one.due === null ? [] : [[words.due, moment(one.due)] as const]),
        [words.attempts, one.attempts === 0 && one.outcome === 'waiting' ? words.notKnown : count(one.attempts)],
        [words.status, one.status],
        [words.reason, one.error === null ? null : <Said key="reason">{one.error}</Said>],
        ...(one.outcome === 'waiting'
          ? [[words.nextTry, one.next_at === null ? words.soon : moment(one.next_at)] as const]
          : []),
        ...(one.ended_at === null ? [] : [[words.ended, moment(one.ended_at)] as const]),
      ]}
    />
  );
}

const Said = ({ children }: { readonly children: string }) => <span className="said">{children}</span>;

function adviceOf({ outcome, kind }: TriggerEvent, words: Words['triggers']): string {
  return outcome === 'waiting' || outcome === 'dropped' ? words.mend[outcome] : words.mend[kind];
}
