/** What is done with the rows that were picked: each act says how many there are. */
import { Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ExportMenu } from './export-menu.tsx';
import type { EntityDoc } from './shapes.ts';
import type { Kind } from './use-act.ts';
import { PICKED_MAX, type Picked } from './use-picked.ts';
import type { View } from './view.ts';

interface PickedBarProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly view: View;
  readonly picked: Picked;
  readonly act: (kind: Kind) => void;
}

export function PickedBar({ place, entity, view, picked: { ids, clear }, act }: PickedBarProps) {
  const { grid: words, bulk } = useWords();
  const { count } = useFigures();
  const keys = useMemo(() => [...ids], [ids]);
  const rows = count(ids.size);
  const icon = { size: 14, 'aria-hidden': true } as const;
  return (
    <Group gap={6} mb="xs" role="group" aria-label={words.picked(rows)}>
      <Text size="sm" role="status">
        {words.picked(rows)}
        {ids.size >= PICKED_MAX && `; ${words.pickedMost}`}
      </Text>
      {entity.operations.includes('update') && (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPencil {...icon} />}
          onClick={() => act('change')}
        >
          {bulk.change(rows)} …
        </Button>
      )}
      {entity.operations.includes('delete') && (
        <Button variant="default" size="compact-sm" leftSection={<IconTrash {...icon} />} onClick={() => act('delete')}>
          {bulk.remove(rows)} …
        </Button>
      )}
      {view.deleted && entity.operations.includes('restore') && (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconArrowBackUp {...icon} />}
          onClick={() => act('restore')}
        >
          {bulk.restore(rows)} …
        </Button>
      )}
      <ExportMenu place={place} entity={entity} view={view} ids={keys} total={ids.size} />
      <Button variant="default" size="compact-sm" onClick={clear}>
        {words.unpick}
      </Button>
    </Group>
  );
}
