/** A row is linked with another one, or no longer: by its key, found by its label. */
import { Autocomplete, Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { faultsOf } from './faults.ts';
import { suggestionsOf } from './queries.ts';
import { keyField, type EntityDoc, type LinkSide } from './shapes.ts';
import { valueOf } from './value.ts';

interface LinkRowProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
  readonly link: LinkSide;
}

export function LinkRow({ place, entity, id, link: { declared, entity: target } }: LinkRowProps) {
  const { row: words } = useWords();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [isTyping, setTyping] = useState(false);
  const { data: found = [] } = useQuery({ ...suggestionsOf(place, target, text), enabled: isTyping });
  const change = useMutation({
    mutationFn: (how: 'add' | 'remove') => {
      const key = keyField(target);
      const ids = [key === undefined ? text : valueOf(text, key)];
      return place.skep.from(entity.name).update(id, { [declared]: { [how]: ids } });
    },
    onSuccess: () => {
      setText('');
      for (const queryKey of [
        ['first', target.name],
        ['count', target.name],
        ['row', entity.name, id],
      ])
        void queries.invalidateQueries({ queryKey });
    },
  });
  const faults = change.error === null ? [] : Object.values(faultsOf(change.error)).flat();
  return (
    <>
      {faults.length === 0 && change.error !== null && <Fault error={change.error} again={change.reset} />}
      <Group gap={6} mt={4} align="flex-end">
        <Autocomplete
          label={words.linkWith(declared)}
          size="xs"
          error={faults.join('; ') || undefined}
          value={text}
          data={found.map((one) => one.id)}
          filter={({ options }) => options}
          renderOption={({ option }) =>
            `${found.find((one) => one.id === option.value)?.label ?? ''} · ${option.value}`
          }
          onFocus={() => setTyping(true)}
          onChange={(to) => {
            setText(to);
            change.reset();
          }}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        {(['add', 'remove'] as const).map((how) => (
          <Button
            key={how}
            variant="default"
            size="compact-sm"
            disabled={text === ''}
            loading={change.isPending && change.variables === how}
            onClick={() => change.mutate(how)}
          >
            {words.linkActs[how]}
          </Button>
        ))}
      </Group>
    </>
  );
}
