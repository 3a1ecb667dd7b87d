/** Where a row stands in its stateflows, and the events that this login may fire now. */
import { Button, Group, Text } from '@mantine/core';
import { stateflow } from '@skep/client';
import { useMutation } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import type { Opened } from './queries.ts';
import type { EntityDoc } from './shapes.ts';

interface StatesProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
  readonly opened: Opened;
  readonly onFired: () => void;
}

export function States({ place, entity, id, opened: { states, version }, onFired }: StatesProps) {
  const { data: words } = useWords();
  const fire = useMutation({
    mutationFn: ({ field, event }: { readonly field: string; readonly event: string }) =>
      stateflow(place.skep, `${entity.name}.${field}`).fire(id, event, { version }),
    onSuccess: onFired,
  });
  return Object.entries(states).map(([name, { field, current, events }]) => (
    <div key={name} className="states">
      {fire.error !== null && <Fault error={fire.error} again={() => fire.reset()} />}
      <Text size="sm">
        {field}: <span className="badge">{current}</span>
      </Text>
      {events.length > 0 && (
        <Group gap={6} mt={4} role="group" aria-label={words.events}>
          {events.map((event) => (
            <Button
              key={event}
              variant="default"
              size="compact-sm"
              disabled={fire.isPending}
              onClick={() => fire.mutate({ field, event })}
            >
              {event}
            </Button>
          ))}
        </Group>
      )}
    </div>
  ));
}
