/** Where a row stands in its stateflows: each as a drawing, the events that this login may fire now as buttons, and those of the state that are closed. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { stateflow } from '@skep/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { MachineDrawing } from './machine-drawing.tsx';
import { machinesOf, type Opened } from './queries.ts';
import type { EntityDoc, FlowState, Machine } from './shapes.ts';

interface StatesProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
  readonly opened: Opened;
  readonly onFired: () => void;
}

export function States({ place, entity, id, opened: { states, version }, onFired }: StatesProps) {
  const { data: machines = [] } = useQuery(machinesOf(place));
  const fire = useMutation({
    mutationFn: ({ field, event }: { readonly field: string; readonly event: string }) =>
      stateflow(place.skep, `${entity.name}.${field}`).fire(id, event, { version }),
    onSettled: onFired,
  });
  return (
    <Stack gap="md">
      {fire.error !== null && <Fault error={fire.error} again={() => fire.reset()} />}
      {Object.entries(states).map(([name, state]) => (
        <Flow
          key={name}
          name={name}
          state={state}
          machine={machines.find((one) => one.name === name)}
          isPending={fire.isPending}
          fire={(event) => fire.mutate({ field: state.field, event })}
        />
      ))}
    </Stack>
  );
}

interface FlowProps {
  readonly name: string;
  readonly state: FlowState;
  readonly machine: Machine | undefined;
  readonly isPending: boolean;
  readonly fire: (event: string) => void;
}

function Flow({ name, state, machine, isPending, fire }: FlowProps) {
  const { data: words } = useWords();
  const { field, current, events } = state;
  const here = machine?.states[current]?.events ?? {};
  const targetOf = (event: string): string => here[event]?.target ?? '';
  const closed = Object.keys(here).filter((event) => !events.includes(event));
  return (
    <section className="states" aria-label={name}>
      <Title order={2} fz="md" mb={4}>
        {field}: <span className="badge">{current}</span>
      </Title>
      <Text size="sm" c="dimmed">
        {events.length > 0 ? words.events : words.noMoves}
      </Text>
      {events.length > 0 && (
        <Group gap={6} mt={4} role="group" aria-label={words.events}>
          {events.map((event) => (
            <Button key={event} variant="default" size="compact-sm" disabled={isPending} onClick={() => fire(event)}>
              {event} → {targetOf(event)}
            </Button>
          ))}
        </Group>
      )}
      {closed.length > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {words.closedMoves}: {closed.map((event) => `${event} → ${targetOf(event)}`).join(', ')}
        </Text>
      )}
      {machine !== undefined && <MachineDrawing machine={machine} state={state} />}
    </section>
  );
}
