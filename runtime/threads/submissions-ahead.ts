/** The database of submissions, connected by a thread that waits: what it takes over it reads at once when its turn comes. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import { submissionsDatabase } from '#actors/intake/postgres/store.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Ahead } from '#runtime/cluster/ahead.ts';
import type { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import { intakeSettings } from './intake-settings.ts';

/** Gives null where submissions lie in files. */
export function submissionsAhead(platform: Platform, log: Pick<Log, 'warn'>): Ahead<PostgresSubmissions> {
  return new Ahead({
    open: async () => {
      const { backend, database: settings } = intakeSettings(platform).storage;
      if (backend !== 'postgres') return null;
      const database = submissionsDatabase(settings!, systemClock, log);
      try {
        await database.connect();
        return database;
      } catch (error) {
        await database.close();
        throw error;
      }
    },
    msMax: limits.cluster.aheadMsMax,
    now: () => performance.now(),
  });
}
