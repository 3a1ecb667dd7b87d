/** What a row was: its versions, the newest first, with what each has changed. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { versionsOf } from './queries.ts';
import type { EntityDoc, Row } from './shapes.ts';
import { differences, textOf } from './value.ts';

interface VersionsProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
  readonly newest: number;
}

export function Versions({ place, entity, id, newest }: VersionsProps) {
  const { data: words } = useWords();
  const keepsThem = entity.traits.includes('versioned');
  const {
    data: versions = [],
    error,
    refetch,
  } = useQuery({ ...versionsOf(place, entity, id, newest), enabled: keepsThem });
  if (!keepsThem) return <Text c="dimmed">{words.noHistory}</Text>;
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  return (
    <ol className="versions">
      {versions.map((row, at) => (
        <Version key={textOf(row['version'])} row={row} before={versions[at + 1]} />
      ))}
    </ol>
  );
}

function Version({ row, before }: { readonly row: Row; readonly before: Row | undefined }) {
  const { data: words } = useWords();
  const number = textOf(row['version']);
  if (before === undefined)
    return (
      <li>
        <b>
          {words.version} {number}
        </b>
        {number === '1' && <Text size="sm">{words.first}</Text>}
      </li>
    );
  return (
    <li>
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
    </li>
  );
}
