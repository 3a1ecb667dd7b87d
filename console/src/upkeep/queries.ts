/** What the page of upkeep asks of the tenant at its place. Nothing is asked again by itself. */
import { queryOptions } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';
import type { Eligible, Kept, Lock, RetentionRun, Seed, SeedRun } from './shapes.ts';

const ADMIN = '/data/admin/data';
/** A run answers when it has ended. */
const RUN_MS = 60 * 60_000;

async function get<T>({ skep }: Place, path: string, signal: AbortSignal): Promise<T> {
  return (await skep.transport.send({ method: 'GET', path: `${ADMIN}${path}`, signal })).json as T;
}

/** Sent once: whether a run whose answer was lost has ended, its ledger says. */
async function run<T>({ skep }: Place, path: string, body: object): Promise<T> {
  const ask = { method: 'POST', path: `${ADMIN}${path}`, body, again: 'never', timeoutMs: RUN_MS } as const;
  return (await skep.transport.send(ask)).json as T;
}

export const locksOf = (place: Place) =>
  queryOptions({
    queryKey: ['upkeep', 'locks'],
    queryFn: async ({ signal }) => (await get<{ readonly locks: readonly Lock[] }>(place, '/locks', signal)).locks,
  });

export async function release({ skep }: Place, resource: string): Promise<void> {
  await skep.transport.send({ method: 'DELETE', path: `${ADMIN}/locks/${encodeURIComponent(resource)}` });
}

export const seedsOf = (place: Place) =>
  queryOptions({
    queryKey: ['upkeep', 'seeds'],
    queryFn: async ({ signal }) => (await get<{ readonly seeds: readonly Seed[] }>(place, '/seeds', signal)).seeds,
  });

/** `dry_run`: nothing is written. */
export const runSeed = (place: Place, name: string, isDry: boolean): Promise<SeedRun> =>
  run(place, '/seeds/runs', { names: [name], dry_run: isDry });

/** Entities with their retention, and what a pass would find now. */
export const retentionOf = (place: Place) =>
  queryOptions({
    queryKey: ['upkeep', 'retention'],
    queryFn: async ({ signal }): Promise<{ readonly entities: readonly Kept[]; readonly eligible: Eligible }> => {
      const [{ entities }, { eligible }] = await Promise.all([
        get<{ readonly entities: readonly Kept[] }>(place, '/retention/entities', signal),
        get<{ readonly eligible: Eligible }>(place, '/retention/preview', signal),
      ]);
      return { entities, eligible };
    },
  });

export const runRetention = (place: Place): Promise<RetentionRun> => run(place, '/retention/runs', {});
