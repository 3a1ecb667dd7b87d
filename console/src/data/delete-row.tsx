/** The end of a row, behind its name that is typed; and the way back. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import type { EntityDoc } from './shapes.ts';

interface DeleteProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
  /** What is typed. */
  readonly name: string;
  /** The version that is deleted; another one stays. */
  readonly version: number | undefined;
  readonly onGone: () => void;
}

export function DeleteRow({ place, entity, id, name, version, onGone }: DeleteProps) {
  const { data: words } = useWords();
  const [typed, setTyped] = useState<string | null>(null);
  const remove = useMutation({
    mutationFn: () => place.skep.from(entity.name).delete(id, { version }),
    onSuccess: onGone,
  });
  if (typed === null)
    return (
      <Button variant="default" size="compact-md" mt="lg" onClick={() => setTyped('')}>
        {words.delete} …
      </Button>
    );
  return (
    <div className="delete">
      {remove.error !== null && <Fault error={remove.error} again={() => remove.mutate()} />}
      <Text size="sm">
        {words.deleteSure} <b>{name}</b>
      </Text>
      <TextInput
        mt={4}
        aria-label={words.deleteTyped}
        value={typed}
        data-autofocus
        autoComplete="off"
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Group gap="xs" mt="xs">
        <Button
          color="red.9"
          size="compact-md"
          disabled={typed !== name}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {words.delete}
        </Button>
        <Button variant="default" size="compact-md" onClick={() => setTyped(null)}>
          {words.cancel}
        </Button>
      </Group>
    </div>
  );
}

interface RestoreProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
  readonly onRestored: () => void;
}

export function RestoreRow({ place, entity, id, onRestored }: RestoreProps) {
  const { data: words } = useWords();
  const restore = useMutation({ mutationFn: () => place.skep.from(entity.name).restore(id), onSuccess: onRestored });
  return (
    <>
      {restore.error !== null && <Fault error={restore.error} again={() => restore.mutate()} />}
      <Button variant="default" size="compact-md" mt="xs" loading={restore.isPending} onClick={() => restore.mutate()}>
        {words.restore}
      </Button>
    </>
  );
}
