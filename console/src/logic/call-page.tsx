/** An action or a scripted endpoint with a form from what it declares, its answer, and the last calls. Which one it is stands in the address; nothing is called by opening it. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { HistoryPanel } from '../requests/history-panel.tsx';
import type { Past } from '../requests/history.ts';
import { ACTIONS, declaredIn } from '../requests/operations.ts';
import { operationsOf } from '../requests/queries.ts';
import type { Filled } from '../requests/request.ts';
import { Runner } from '../requests/runner.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { ExplainPanel } from './explain-panel.tsx';
import { callPath, logicPath } from './paths.ts';

const FROM = '/at/$customer/$product/$env/$tenant/logic/call';

export function CallPage() {
  const { logic: words } = useWords();
  const place = usePlace();
  const navigate = useNavigate();
  const { operation: id = '' } = useSearch({ from: FROM });
  const { data, error, refetch } = useQuery(operationsOf(place));
  const [begun, setBegun] = useState<{ readonly no: number; readonly filled?: Partial<Filled> }>({ no: 0 });
  const operation = declaredIn(data ?? []).find((one) => one.id === id);
  // A statement that writes would have to be carried out.
  const isExplained = operation?.method === 'GET' && operation.path.startsWith(ACTIONS);
  const name = id.replace(/^[A-Z]+ \/data\/(?:actions|x)\//, '');
  const again = ({ filled }: Past<'call'>): void => {
    void navigate({ to: callPath(place.key), search: { operation: filled.operation } as never });
    setBegun(({ no }) => ({ no: no + 1, filled }));
  };
  return (
    <>
      <PageHead title={name} label={words.section} beside={[{ to: logicPath(place.key), label: words.all }]} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && operation === undefined && <Text maw="72ch">{words.unknown(id)}</Text>}
      {operation !== undefined && (
        <Stack gap="sm">
          <Runner
            key={`${operation.id} ${begun.no}`}
            operation={operation}
            begin={begun.filled}
            kind="call"
            onRun={() => undefined}
            {...(isExplained && {
              below: (params, isReady) => <ExplainPanel action={name} params={params} isReady={isReady} />,
            })}
          />
          <HistoryPanel kind="call" again={again} />
        </Stack>
      )}
    </>
  );
}
