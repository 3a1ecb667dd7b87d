/** The upkeep of a tenant: locks that are held, seeds, how long rows are kept. Which sheet is open stands in the address. */
import { Stack } from '@mantine/core';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { LockSheet } from './lock-sheet.tsx';
import { LocksPanel } from './locks-panel.tsx';
import { upkeepPath } from './paths.ts';
import { locksOf, retentionOf, seedsOf } from './queries.ts';
import { RetentionPanel } from './retention-panel.tsx';
import { SeedSheet } from './seed-sheet.tsx';
import { SeedsPanel } from './seeds-panel.tsx';

export function UpkeepPage() {
  const { upkeep: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const search = useSearch({ from: '/at/$customer/$product/$env/$tenant/upkeep' });
  const navigate = useNavigate();
  const [locks, seeds, retention] = useQueries({ queries: [locksOf(place), seedsOf(place), retentionOf(place)] });
  const error = locks.error ?? seeds.error ?? retention.error;
  const again = (): void => void queries.invalidateQueries({ queryKey: ['upkeep'] });
  const close = (): void => {
    void navigate({ to: upkeepPath(place.key), replace: true });
    // The reader goes on where the sheet was opened.
    const [[kind, name] = []] = Object.entries<string>(search);
    document.getElementById(`${kind}-${name}`)?.focus();
  };
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {error !== null && <Denied error={error} again={again} />}
      {error === null && (
        <Stack gap="sm">
          {locks.data !== undefined && <LocksPanel rows={locks.data} again={again} />}
          {seeds.data !== undefined && <SeedsPanel rows={seeds.data} />}
          {retention.data !== undefined && <RetentionPanel {...retention.data} again={again} />}
        </Stack>
      )}
      {search.lock !== undefined && locks.data !== undefined && (
        <LockSheet
          resource={search.lock}
          of={locks.data.find(({ resource }) => resource === search.lock)}
          close={close}
          onReleased={again}
        />
      )}
      {search.seed !== undefined && seeds.data !== undefined && (
        <SeedSheet
          key={search.seed}
          name={search.seed}
          of={seeds.data.find(({ name }) => name === search.seed)}
          close={close}
          onRun={again}
        />
      )}
    </>
  );
}
