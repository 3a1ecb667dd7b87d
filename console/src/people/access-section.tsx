/** Whether a person may log in: taken behind the typed address, given back at once. */
import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { AskedAct } from '../parts/asked-act.tsx';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { namedBy } from './names.ts';
import { changePerson } from './queries.ts';
import type { PersonDetail } from './shapes.ts';

interface AccessProps {
  readonly person: PersonDetail;
  readonly again: () => Promise<void>;
}

export function AccessSection({ person, again }: AccessProps) {
  const { people: words, typed } = useWords();
  const place = usePlace();
  const change = useMutation({
    mutationFn: (disabled: boolean) => changePerson(place, person.id, { disabled }),
    onSuccess: again,
  });
  return (
    <section className="section" aria-label={words.access}>
      <Title order={3} size="h2" mb={4}>
        {words.access}
      </Title>
      {change.error !== null && (
        <Fault error={change.error} again={() => change.variables !== undefined && change.mutate(change.variables)} />
      )}
      <Text size="sm" c="dimmed" maw="72ch">
        {person.disabled ? words.isDisabled : words.isActive}
      </Text>
      {person.disabled ? (
        <Group mt="xs">
          <Button
            size="xs"
            variant="default"
            autoFocus={change.isSuccess}
            loading={change.isPending}
            onClick={() => change.mutate(false)}
          >
            {words.enable}
          </Button>
        </Group>
      ) : (
        <AskedAct
          act={words.disable}
          how={words.disableHow}
          {...namedBy(person)}
          label={typed}
          isPending={change.isPending}
          isNext={change.isPending || change.isSuccess}
          run={() => change.mutateAsync(true)}
          reset={change.reset}
        />
      )}
    </section>
  );
}
