/** Whether a person may log in: taken behind the typed address, given back at once. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { NamedAct } from './named-act.tsx';
import { loginOf } from './names.ts';
import { changePerson } from './queries.ts';
import type { PersonDetail } from './shapes.ts';

interface AccessProps {
  readonly person: PersonDetail;
  readonly again: () => void;
}

export function AccessSection({ person, again }: AccessProps) {
  const { people: words } = useWords();
  const place = usePlace();
  const [asks, setAsks] = useState(false);
  const change = useMutation({
    mutationFn: (disabled: boolean) => changePerson(place, person.id, { disabled }),
    onSuccess: () => {
      setAsks(false);
      again();
    },
  });
  return (
    <section className="section" aria-label={words.access}>
      <Title order={3} size="h2" mb={4}>
        {words.access}
      </Title>
      <Stack gap="xs">
        {change.error !== null && <Fault error={change.error} again={() => change.mutate(change.variables)} />}
        <Text size="sm" c="dimmed" maw="72ch">
          {person.disabled ? words.isDisabled : words.isActive}
        </Text>
        {asks && !person.disabled ? (
          <NamedAct
            act={words.disable}
            how={words.disableHow}
            name={loginOf(person)}
            isPending={change.isPending}
            run={() => change.mutate(true)}
            cancel={() => setAsks(false)}
          />
        ) : (
          <Group>
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => (person.disabled ? change.mutate(false) : setAsks(true))}
            >
              {person.disabled ? words.enable : `${words.disable} …`}
            </Button>
          </Group>
        )}
      </Stack>
    </section>
  );
}
