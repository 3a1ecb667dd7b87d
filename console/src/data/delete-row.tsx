/** The end of a row, behind its name that is typed; and the way back. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { NamedAct } from '../parts/named-act.tsx';
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
  const [asks, setAsks] = useState(false);
  const remove = useMutation({
    mutationFn: () => place.skep.from(entity.name).delete(id, { version }),
    onSuccess: onGone,
  });
  if (!asks)
    return (
      <Button variant="default" size="compact-md" mt="lg" onClick={() => setAsks(true)}>
        {words.delete} …
      </Button>
    );
  return (
    <div className="delete">
      {remove.error !== null && <Fault error={remove.error} again={() => remove.mutate()} />}
      <NamedAct
        act={words.delete}
        how={words.deleteSure}
        name={name}
        label={words.deleteTyped}
        isTyped={(typed) => typed === name}
        isPending={remove.isPending}
        run={() => remove.mutate()}
        cancel={() => setAsks(false)}
      />
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
