/** The slowest requests of the last minutes. */
import { useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { Head } from './head.tsx';
import { slow } from './queries.ts';
import { SlowRequests } from './tables.tsx';

export function SlowPage() {
  const { operations } = useWords();
  const { data, error, refetch } = useQuery(slow);
  return (
    <>
      <Head title={operations.slow} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <Panel title={operations.slowest}>
          <SlowRequests rows={data.requests} />
        </Panel>
      )}
    </>
  );
}
