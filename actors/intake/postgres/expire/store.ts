/** Submissions past their retention: their content goes at once, their places in the chain when everything before them is gone, too. */
import { limits } from '#config/limits.ts';
import type { StoredLine } from '#storage/submissions/change.ts';
import type { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Retentions } from '../../retention.ts';
import type { Turns } from '../turns/store.ts';

type Oldest = Pick<PostgresSubmissions, 'expired' | 'oldest'>;

/** Gives how many submissions went. A key of the last day outlives its submission, as in the other backends. */
export async function expireLines(
  database: Oldest,
  turns: Turns,
  clock: Clock,
  retentions: Retentions,
): Promise<number> {
  let rows = 0;
  for (const [form, ms] of retentions)
    for (let seqs: readonly number[] = []; ; rows += seqs.length) {
      seqs = await database.expired(form, clock.now() - ms, limits.intake.keySweepMax);
      if (seqs.length === 0) break;
      await turns.change({ gone: { why: 'expired', seqs } });
    }
  if (retentions.size > 0) await trim(database, turns, clock.now() - limits.intake.idempotencyMs);
  return rows;
}

/** Lets go the oldest lines that say nothing any more. The newest line stays. */
async function trim(database: Oldest, turns: Turns, beforeMs: number): Promise<void> {
  for (;;) {
    const lines = await database.oldest(limits.intake.databaseSliceLines);
    const isGone = ({ at, gone, id, seq }: StoredLine): boolean =>
      at <= beforeMs && (gone !== null || id === null) && seq < turns.head.seq;
    const kept = lines.findIndex((line) => !isGone(line));
    const last = lines.at(kept < 0 ? -1 : kept - 1);
    if (kept === 0 || last === undefined) return;
    await turns.change({ trim: { first: last.seq + 1, base: last.hash } });
    if (kept > 0) return;
  }
}
