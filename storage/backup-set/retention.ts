/** Which sets stay: of each of the newest periods the newest set (grandfather, father, son), and the newest sets of all. Pure. */
import { beganAt } from './place.ts';

export interface Keep {
  /** The newest sets, whenever they were made. */
  readonly last: number;
  readonly hourly: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601). */
const MONDAY_SHIFT_DAYS = 3;

/** The period of an instant, in UTC. */
const PERIODS: Readonly<Record<Exclude<keyof Keep, 'last'>, (ms: number) => number>> = {
  hourly: (ms) => Math.floor(ms / HOUR_MS),
  daily: (ms) => Math.floor(ms / DAY_MS),
  weekly: (ms) => Math.floor((ms / DAY_MS + MONDAY_SHIFT_DAYS) / 7),
  monthly: (ms) => new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth(),
};

/** The ids that stay. A period without a set takes no place; the newest set always stays. */
export function keptSets(ids: readonly string[], keep: Keep): ReadonlySet<string> {
  const newestFirst = ids.toSorted().toReversed();
  const kept = new Set(newestFirst.slice(0, Math.max(1, keep.last)));
  for (const [name, periodOf] of Object.entries(PERIODS)) {
    const seen = new Set<number>();
    for (const id of newestFirst) {
      const period = periodOf(beganAt(id));
      if (seen.has(period)) continue;
      if (seen.size === keep[name as keyof typeof PERIODS]) break;
      seen.add(period);
      kept.add(id);
    }
  }
  return kept;
}
