/** Prunes, now and then, the logs whose route keeps records for a limited time. */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { SyncPorts } from './sync-round.ts';
import { pruneLog } from './prune.ts';

/** A tenth of the shortest retention, within bounds: logs that keep records for days are checked every ten minutes. */
function cadenceOf(retentions: readonly number[]): number {
  const { pruneMs, pruneMsMin } = limits.audit;
  return Math.max(pruneMsMin, Math.min(pruneMs, ...retentions.map((keepMs) => keepMs / 10)));
}

/** Starts the rounds; gives the function that ends them, after the one under way. */
export function startPruning({ book, log, after, clock }: SyncPorts & { readonly clock: Clock }): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let callOff = (): void => undefined;
  let stopped = false;
  const prune = async (id: string, keepMs: number): Promise<void> => {
    try {
      const open = await book.open(id);
      const beforeMs = clock.now() - keepMs;
      const gone = await pruneLog(open, beforeMs, (of, data) => book.ownEvent(of, 'audit.pruned', data));
      await open.personal.erase({ beforeMs });
      if (gone > 0) log.info({ log_id: id, segments: gone }, 'old records were pruned');
    } catch (error) {
      log.warn(
        { log_id: id, error: (error as Error).message },
        'old records of the audit log were not pruned; the next round tries again',
      );
    }
  };
  const round = async (): Promise<void> => {
    for (const id of book.ids()) {
      const { keepMs } = book.routeOf(id);
      if (keepMs !== null && !stopped) await prune(id, keepMs);
    }
  };
  const everyMs = cadenceOf(book.retentions);
  const later = (): void => {
    callOff = after(everyMs, () => {
      running = round().then(() => (stopped ? undefined : later()));
    });
  };
  later();
  return async () => {
    stopped = true;
    callOff();
    await running;
  };
}
