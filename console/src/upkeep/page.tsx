/** The upkeep of a tenant: locks that are held, seeds, how long rows are kept. Which sheet is open stands in the address. */
import { Stack } from '@mantine/core';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { nameOf } from '../session/position.ts';
import { plane } from '../session/session.ts';
import { TenantsHead } from '../tenants/head.tsx';
import { tenantUpkeepPath } from '../tenants/paths.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { LockSheet } from './lock-sheet.tsx';
import { LocksPanel } from './locks-panel.tsx';
import { upkeepPath } from './paths.ts';
import { UpkeepAt, useUpkeep, type UpkeepPort } from './port.ts';
import { locksOf, retentionOf, seedsOf } from './queries.ts';
import { RetentionPanel } from './retention-panel.tsx';
import type { UpkeepSearch } from './search.ts';
import { SeedSheet } from './seed-sheet.tsx';
import { SeedsPanel } from './seeds-panel.tsx';

const TENANT_UPKEEP = '/tenants/$customer/$product/$env/$tenant/upkeep';

/** At the tenant, for its own people. */
export function UpkeepPage() {
  const { upkeep: words } = useWords();
  const { key, skep } = usePlace();
  const search = useSearch({ from: '/at/$customer/$product/$env/$tenant/upkeep' });
  const port: UpkeepPort = { skep, base: '/data/admin/data', path: upkeepPath(key), tenant: key.split(':')[3]! };
  return (
    <UpkeepAt value={port}>
      <PageHead title={words.section} label={words.section} beside={[]} />
      <Upkeep search={search} />
    </UpkeepAt>
  );
}

/** From the control plane, for those who run the node. */
export function TenantUpkeepPage() {
  const { upkeep: words } = useWords();
  const { customer, product, env, tenant } = useParams({ from: TENANT_UPKEEP });
  const search = useSearch({ from: TENANT_UPKEEP });
  const key = [customer, product, env, tenant].join(':');
  const base = `/superadmin/registry/tenants/${encodeURIComponent(key)}`;
  return (
    <UpkeepAt value={{ skep: plane.skep, base, path: tenantUpkeepPath(key), tenant: nameOf(key) }}>
      <TenantsHead title={`${words.section}: ${nameOf(key)}`} isBelow />
      <Upkeep search={search} />
    </UpkeepAt>
  );
}

function Upkeep({ search }: { readonly search: UpkeepSearch }) {
  const port = useUpkeep();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [locks, seeds, retention] = useQueries({ queries: [locksOf(port), seedsOf(port), retentionOf(port)] });
  const error = locks.error ?? seeds.error ?? retention.error;
  const again = (): void => void queries.invalidateQueries({ queryKey: ['upkeep'] });
  const close = (): void => {
    void navigate({ to: port.path, replace: true });
    // The reader goes on where the sheet was opened.
    const [[kind, name] = []] = Object.entries({ ...search });
    document.getElementById(`${kind}-${name}`)?.focus();
  };
  return (
    <>
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
