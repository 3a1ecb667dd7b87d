/** The newest lines of the logs of all threads; the lowest level stands in the address. */
import { NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { Head } from './head.tsx';
import { LEVELS } from './levels.ts';
import { logsFrom } from './queries.ts';
import { Lines } from './tables.tsx';

export function LogsPage() {
  const { operations } = useWords();
  const { level } = useSearch({ from: '/operations/logs' });
  const navigate = useNavigate({ from: '/operations/logs' });
  const { data, error, refetch } = useQuery(logsFrom(level));
  return (
    <>
      <Head title={operations.logs} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      <NativeSelect
        label={operations.level}
        data={[...LEVELS]}
        value={level}
        onChange={({ currentTarget }) =>
          void navigate({ search: { level: LEVELS.find((one) => one === currentTarget.value)! } })
        }
        mb="sm"
        maw={200}
      />
      {data !== undefined && (
        <Panel title={operations.logs}>
          {data.silent.length > 0 && (
            <Text c="dimmed">
              {operations.silent} {data.silent.join(', ')}
            </Text>
          )}
          <Lines rows={data.lines} label={operations.logs} />
        </Panel>
      )}
    </>
  );
}
