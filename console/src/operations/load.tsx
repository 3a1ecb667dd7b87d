/** The load of the node: which tenants and routes are asked how often. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { Head } from './head.tsx';
import { loadOf } from './queries.ts';
import { CountTable } from './tables.tsx';

const MINUTES = 15;

export function LoadPage() {
  const { operations } = useWords();
  const { data, error, refetch } = useQuery(loadOf(MINUTES));
  return (
    <>
      <Head title={operations.load} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <Stack gap="sm">
          <Panel title={operations.tenants}>
            <CountTable
              label={operations.tenants}
              name={operations.tenant}
              rows={data.tenants.map((row) => ({ ...row, name: row.tenant }))}
              more={data.tenants_more}
            />
          </Panel>
          <Panel title={operations.routes}>
            <CountTable
              label={operations.routes}
              name={operations.route}
              rows={data.routes.map((row) => ({ ...row, name: row.route }))}
              more={data.routes_more}
            />
          </Panel>
        </Stack>
      )}
    </>
  );
}
