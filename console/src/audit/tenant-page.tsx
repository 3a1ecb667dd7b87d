/** What happened at a tenant, for its administrators and auditors: the records of its own log, newest first, each with its proof. */
import { Stack, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Fault } from '../parts/fault.tsx';
import { FilterBar } from './filter-bar.tsx';
import { LogPanel } from './log-panel.tsx';
import { auditPath, logIdOf } from './paths.ts';
import { logOf } from './queries.ts';
import { RecordSheet } from './record-sheet.tsx';
import { filtersOf, type AuditSearch } from './search.ts';
import { Timeline } from './timeline.tsx';

export function TenantAuditPage() {
  const { audit } = useWords();
  const place = usePlace();
  const { log: _other, ...search } = useSearch({ from: '/at/$customer/$product/$env/$tenant/audit' });
  const navigate = useNavigate();
  const log = logIdOf(place.key);
  const asked = useQuery(logOf(log, place));
  const go = (next: AuditSearch): void => void navigate({ to: auditPath(place.key), search: next as never });
  return (
    <>
      <PageHead title={audit.title} label={audit.section} beside={[]} />
      {asked.error !== null && <Denied error={asked.error} again={() => void asked.refetch()} />}
      {asked.data !== undefined && (
        <Stack gap="sm">
          <LogPanel log={log} />
          <FilterBar search={search} submit={go} />
          <Timeline
            log={log}
            search={search}
            linkOf={(record) => ({ to: auditPath(place.key), search: { ...search, record } })}
          />
        </Stack>
      )}
      {asked.data !== undefined && search.record !== undefined && (
        <RecordSheet key={search.record} log={log} seq={search.record} close={() => go(filtersOf(search))} />
      )}
    </>
  );
}

function Denied({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { audit } = useWords();
  if (isSkepError(error, 'audit.forbidden')) return <Text maw="72ch">{audit.administratorsOnly}</Text>;
  if (isSkepError(error) && error.status === 404) return <Text maw="72ch">{audit.noLogHere}</Text>;
  return <Fault error={error} again={again} />;
}
