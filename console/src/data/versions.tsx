/** What a row was: its versions, the newest first, with what each has changed, and the way back to the values of one. */
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { update, versionsOf, type Opened } from './queries.ts';
import type { EntityDoc, Row } from './shapes.ts';
import { changesBack, differences, textOf } from './value.ts';

interface VersionsProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
  readonly opened: Opened;
  /** The row has values of before again. */
  readonly onKept: (row: Row) => void;
}

export function Versions({ place, entity, id, opened: { row: now, version, states }, onKept }: VersionsProps) {
  const { data: words } = useWords();
  const keepsThem = entity.traits.includes('versioned');
  const {
    data: versions = [],
    error,
    refetch,
  } = useQuery({ ...versionsOf(place, entity, id, version ?? 1), enabled: keepsThem });
  const may = entity.operations.includes('update');
  // A state is left by an event of its stateflow alone.
  const governed = Object.values(states).map(({ field }) => field);
  const fields = entity.fields.filter(({ name }) => !governed.includes(name));
  const back = useMutation({
    mutationFn: async (then: Row) => (await update(place, entity, id, changesBack(fields, now, then), version)).row,
    onSuccess: onKept,
  });
  if (!keepsThem) return <Text c="dimmed">{words.noHistory}</Text>;
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  return (
    <>
      {back.error !== null && <Fault error={back.error} again={back.reset} />}
      <ol className="versions">
        {versions.map((row, at) => (
          <li key={textOf(row['version'])}>
            <Version row={row} before={versions[at + 1]} />
            {may && Object.keys(changesBack(fields, now, row)).length > 0 && (
              <Button
                variant="default"
                size="compact-xs"
                mt={4}
                disabled={back.isPending}
                onClick={() => back.mutate(row)}
              >
                {words.bringBack} {textOf(row['version'])}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function Version({ row, before }: { readonly row: Row; readonly before: Row | undefined }) {
  const { data: words } = useWords();
  const number = textOf(row['version']);
  if (before === undefined)
    return (
      <>
        <b>
          {words.version} {number}
        </b>
        {number === '1' && <Text size="sm">{words.first}</Text>}
      </>
    );
  return (
    <>
      <b>
        {words.version} {number}
      </b>
      {differences(before, row).map(({ name, before: was, after }) => (
        <Text key={name} size="sm" className="mono">
          {name}: {textOf(after) || words.nothing}{' '}
          <Text span c="dimmed">
            ({words.was} {textOf(was) || words.nothing})
          </Text>
        </Text>
      ))}
    </>
  );
}
