/** What happened: the records of one log, newest first, found by what the address says. */
import { Group, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { useWords } from '../words/words.tsx';
import { FilterBar } from './filter-bar.tsx';
import { LogPanel } from './log-panel.tsx';
import { logs } from './queries.ts';
import { RecordSheet } from './record-sheet.tsx';
import { filtersOf } from './search.ts';
import { Timeline } from './timeline.tsx';

const CONTROL_LOG = 'tenant/superadmin/superadmin/superadmin/superadmin';
/** Names that the list shows at once; typing finds the others. */
const SHOWN = 50;

export function AuditPage() {
  const { audit } = useWords();
  const search = useSearch({ from: '/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const { data: all, error, refetch } = useQuery(logs);
  const log = search.log ?? (all === undefined || all.includes(CONTROL_LOG) ? CONTROL_LOG : all[0]);
  return (
    <>
      <PageHead title={audit.title} label={audit.section} beside={[]} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {all !== undefined && log !== undefined && (
        <Stack gap="sm">
          <Group align="flex-end" gap="sm">
            <Select
              label={audit.log}
              data={[...all]}
              value={log}
              onChange={(value) => value !== null && void navigate({ search: { log: value } })}
              searchable
              limit={SHOWN}
              nothingFoundMessage={audit.noLog}
              w={420}
              maw="100%"
            />
          </Group>
          <LogPanel log={log} />
          <FilterBar search={search} submit={(filters) => void navigate({ search: { log, ...filters } })} />
          <Timeline
            log={log}
            search={search}
            linkOf={(record) => ({ to: '/audit', search: { ...search, log, record } })}
          />
        </Stack>
      )}
      {log !== undefined && search.record !== undefined && (
        <RecordSheet
          key={`${log} ${search.record}`}
          log={log}
          seq={search.record}
          close={() => void navigate({ search: { log, ...filtersOf(search) } })}
        />
      )}
    </>
  );
}
