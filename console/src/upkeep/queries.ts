/** What the page of upkeep asks of a tenant, at the tenant or from the control plane. Nothing is asked again by itself. */
import { queryOptions } from '@tanstack/react-query';
import type { UpkeepPort } from './port.ts';
import type { Eligible, Kept, Lock, RetentionRun, Seed, SeedRun } from './shapes.ts';

/** A run answers when it has ended. */
const RUN_MS = 60 * 60_000;

async function get<T>({ skep, base }: UpkeepPort, path: string, signal: AbortSignal): Promise<T> {
  return (await skep.transport.send({ method: 'GET', path: `${base}${path}`, signal })).json as T;
}

/** Sent once: whether a run whose answer was lost has ended, its ledger says. */
async function run<T>({ skep, base }: UpkeepPort, path: string, body: object): Promise<T> {
  const ask = { method: 'POST', path: `${base}${path}`, body, again: 'never', timeoutMs: RUN_MS } as const;
  return (await skep.transport.send(ask)).json as T;
}

export const locksOf = (port: UpkeepPort) =>
  queryOptions({
    queryKey: ['upkeep', port.base, 'locks'],
    queryFn: async ({ signal }) => (await get<{ readonly locks: readonly Lock[] }>(port, '/locks', signal)).locks,
  });

export async function release({ skep, base }: UpkeepPort, resource: string): Promise<void> {
  await skep.transport.send({ method: 'DELETE', path: `${base}/locks/${encodeURIComponent(resource)}` });
}

export const seedsOf = (port: UpkeepPort) =>
  queryOptions({
    queryKey: ['upkeep', port.base, 'seeds'],
    queryFn: async ({ signal }) => (await get<{ readonly seeds: readonly Seed[] }>(port, '/seeds', signal)).seeds,
  });

/** `dry_run`: nothing is written. */
export const runSeed = (port: UpkeepPort, name: string, isDry: boolean): Promise<SeedRun> =>
  run(port, '/seeds/runs', { names: [name], dry_run: isDry });

/** Entities with their retention, and what a pass would find now. */
export const retentionOf = (port: UpkeepPort) =>
  queryOptions({
    queryKey: ['upkeep', port.base, 'retention'],
    queryFn: async ({ signal }): Promise<{ readonly entities: readonly Kept[]; readonly eligible: Eligible }> => {
      const [{ entities }, { eligible }] = await Promise.all([
        get<{ readonly entities: readonly Kept[] }>(port, '/retention/entities', signal),
        get<{ readonly eligible: Eligible }>(port, '/retention/preview', signal),
      ]);
      return { entities, eligible };
    },
  });

export const runRetention = (port: UpkeepPort): Promise<RetentionRun> => run(port, '/retention/runs', {});
