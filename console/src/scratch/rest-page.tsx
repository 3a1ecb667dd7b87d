/** A request of the tenant's own API: found by a few letters, filled in, run. What was run stands in the address; a page that is opened by it runs nothing. */
import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { actPath } from '../acting/paths.ts';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { HistoryPanel } from '../requests/history-panel.tsx';
import type { Past } from '../requests/history.ts';
import { found } from '../requests/operations.ts';
import { operationsOf } from '../requests/queries.ts';
import type { Filled } from '../requests/request.ts';
import { Runner } from '../requests/runner.tsx';
import type { Operation } from '../requests/shapes.ts';
import { usePlace } from '../session/gate.tsx';
import { operatorPlaneOf } from '../session/position.ts';
import { useWords } from '../words/words.tsx';
import { ScratchHead } from './head.tsx';
import { restPath } from './paths.ts';
import { filledFrom, filledInAddress, readRestSearch } from './search.ts';

const FROM = '/at/$customer/$product/$env/$tenant/scratchpad/rest';
/** More would be a list that is not read; another letter makes it shorter. */
const SHOWN_MAX = 12;

export function RestPage() {
  const { requests: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(operationsOf(place));
  const [begun, setBegun] = useState<{ readonly no: number; readonly filled: Partial<Filled> }>({
    no: 0,
    filled: filledFrom(search),
  });
  const operation = data?.find(({ id }) => id === search.operation);
  const go = (next: object): void =>
    void navigate({ to: restPath(place.key), search: readRestSearch({ ...next }) as never, replace: true });
  const again = ({ filled: { operation: id, ...filled } }: Past<'rest'>): void => {
    go(filledInAddress(id, filled));
    setBegun(({ no }) => ({ no: no + 1, filled }));
  };
  return (
    <>
      <ScratchHead />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <Stack gap="sm">
          <Finder of={data} chosen={operation} choose={() => setBegun(({ no }) => ({ no: no + 1, filled: {} }))} />
          {search.operation !== undefined && operation === undefined && (
            <Text maw="72ch">{words.unknown(search.operation)}</Text>
          )}
          {operation !== undefined && (
            <Runner
              key={`${operation.id} ${begun.no}`}
              operation={operation}
              begin={begun.filled}
              kind="rest"
              onRun={(filled) => go(filledInAddress(operation.id, filled))}
            />
          )}
          <HistoryPanel kind="rest" again={again} />
        </Stack>
      )}
    </>
  );
}

interface FinderProps {
  readonly of: readonly Operation[];
  readonly chosen: Operation | undefined;
  readonly choose: () => void;
}

function Finder({ of: operations, chosen, choose }: FinderProps) {
  const { requests: words, acting } = useWords();
  const { key } = usePlace();
  const [text, setText] = useState('');
  const all = found(operations, text);
  // The one that is open says itself what it is.
  const shown = chosen !== undefined && text === '' ? [] : all.slice(0, SHOWN_MAX);
  return (
    <Panel title={words.request}>
      <Text size="sm" c="dimmed" maw="72ch" mb="xs">
        {words.requestHow}{' '}
        <Anchor
          component={Link}
          to={actPath(operatorPlaneOf(key))}
          search={{ tenant: key.split(':')[3], to: 'scratchpad' } as never}
          size="sm"
          c="var(--mantine-color-text)"
          underline="always"
        >
          {acting.another}
        </Anchor>
      </Text>
      <TextInput
        label={words.find}
        placeholder="city id get"
        value={text}
        maw={420}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {all.length === 0 && (
        <Text size="sm" role="status" mt="xs">
          {words.noneFound}
        </Text>
      )}
      {shown.length > 0 && (
        <ul className="found" aria-label={words.request}>
          {shown.map(({ id, about }) => (
            <li key={id}>
              <Anchor
                component={Link}
                to={restPath(key)}
                search={{ operation: id } as never}
                resetScroll={false}
                className="mono route"
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
                onClick={() => {
                  setText('');
                  choose();
                }}
              >
                {id}
              </Anchor>
              <Text span size="sm" c="dimmed">
                {about}
              </Text>
            </li>
          ))}
        </ul>
      )}
      {shown.length > 0 && all.length > shown.length && (
        <Text size="sm" c="dimmed" mt={4}>
          {words.moreFound(all.length - shown.length)}
        </Text>
      )}
    </Panel>
  );
}
