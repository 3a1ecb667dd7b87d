/** How far the cron triggers of a tenant have come: when each is due next. A stop loses none of it (docs/contract/triggers.md §6.3). */
import type { CronSchedule } from '#config/definitions/cron.ts';
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Store, Turn } from '../store.ts';

export interface CronPlace extends CronSchedule {
  readonly trigger: string;
  /** Milliseconds since the epoch. */
  readonly next_ms: number;
  /** When this was noted; places of earlier releases do not say it. */
  readonly at_ms?: number;
}

const table = new Table<CronPlace>('cron_place', TABLES.cron_place);

export const placeOf = (reader: Reader, trigger: string): CronPlace | undefined => table.get(reader, trigger);
export const putPlace = (turn: Turn, place: CronPlace): void => table.put(turn, place, place.trigger);
export const dropPlace = (turn: Turn, trigger: string): void => table.del(turn, trigger);

/** By the names of their triggers. */
export const scanPlaces = (reader: Reader): IterableIterator<CronPlace> => table.scan(reader, []);

/** When the first trigger of a tenant is due, as its store tells without definitions; null where none is. */
export function firstDueMs(store: Store): number | null {
  const turn = store.begin();
  let first = Infinity;
  for (const { next_ms: nextMs } of scanPlaces(turn)) first = Math.min(first, nextMs);
  turn.abort();
  return first === Infinity ? null : first;
}
