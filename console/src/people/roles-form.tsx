/** The roles of a person; what a change gives and takes is shown before it is made, and one of an administrator's is asked for by name. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { NamedAct } from '../parts/named-act.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { namedBy } from './names.ts';
import { changePerson } from './queries.ts';
import { RolePicker } from './role-picker.tsx';
import { changeOf, isGrave, type RoleChange } from './roles.ts';
import type { PersonDetail } from './shapes.ts';

interface RolesFormProps {
  readonly person: PersonDetail;
  readonly again: () => Promise<void>;
}

export function RolesForm({ person, again }: RolesFormProps) {
  const { people: words, typed, cancel: back } = useWords();
  const place = usePlace();
  const title = useRef<HTMLHeadingElement>(null);
  /** Null while nothing is wished for: then the boxes are as the node has them. */
  const [wish, setWish] = useState<readonly string[] | null>(null);
  const chosen = wish ?? person.roles;
  const wished = useRef(chosen);
  wished.current = chosen;
  const end = (): void => {
    setWish(null);
    title.current?.focus();
  };
  const keep = useMutation({
    mutationFn: (roles: readonly string[]) => changePerson(place, person.id, { roles }),
    onSuccess: async (_done, roles) => {
      await again();
      // What was ticked while the page waited is a wish of its own.
      if (wished.current === roles) end();
    },
  });
  const change = changeOf(person.roles, chosen);
  const isChanged = change.gives.length + change.takes.length > 0;
  const run = (): void => keep.mutate(chosen);
  const cancel = (): void => {
    keep.reset();
    end();
  };
  return (
    <section className="section" aria-label={words.roles}>
      <Stack gap="xs">
        <RolePicker
          label={
            <Title order={3} size="h2" ref={title} tabIndex={-1} className="sheet-title">
              {words.roles}
            </Title>
          }
          value={chosen}
          choose={(roles) => {
            // What was refused is no longer what is wished for.
            keep.reset();
            setWish(roles);
          }}
        />
        {keep.error !== null && <Fault error={keep.error} again={run} />}
        {isChanged && <Change of={change} />}
        {isChanged && isGrave(change) && (
          <NamedAct
            act={words.keepRoles}
            how={words.keepGrave}
            {...namedBy(person)}
            label={typed}
            isPending={keep.isPending}
            run={run}
            cancel={cancel}
          />
        )}
        {isChanged && !isGrave(change) && (
          <Group gap="xs">
            <Button size="xs" loading={keep.isPending} onClick={run}>
              {words.keepRoles}
            </Button>
            <Button size="xs" variant="default" onClick={cancel}>
              {back}
            </Button>
          </Group>
        )}
      </Stack>
    </section>
  );
}

function Change({ of: { gives, takes } }: { readonly of: RoleChange }) {
  const { people: words } = useWords();
  return (
    <Text size="sm" role="status">
      {gives.length > 0 && `${words.gives}: ${gives.join(', ')}. `}
      {takes.length > 0 && `${words.takes}: ${takes.join(', ')}.`}
    </Text>
  );
}
