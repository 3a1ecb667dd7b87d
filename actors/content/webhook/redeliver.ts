/** Puts a delivery that has ended back into the outbox, under its own id, so that a receiver which took it already can tell. */
import type { Work } from '#actors/host/work.ts';
import { countOf, deleteRecord, findRecord, putCount, type DeliveryEntry, type DeliveryRecord } from './store.ts';
import type { HookOutbox } from './row-watch.ts';

/** Stages records as far as the outbox has room; gives how many. */
export function stageAgain(outbox: HookOutbox, work: Work, records: readonly DeliveryRecord[]): number {
  const turn = work.turn();
  const again = records.slice(0, outbox.room(turn, records.length));
  for (const { id } of again) deleteRecord(turn, id);
  outbox.stage(turn, again.map(entryOf));
  const count = countOf(turn);
  putCount(turn, { ...count, logged: count.logged - again.length });
  soon(outbox, work);
  return again.length;
}

/** One that waits is looked at soon. `full`: too many wait. */
export function redeliverOne(outbox: HookOutbox, work: Work, id: string): DeliveryEntry | 'unknown' | 'full' {
  const turn = work.turn();
  const record = findRecord(turn, id);
  if (record !== undefined) return stageAgain(outbox, work, [record]) === 0 ? 'full' : record;
  const waiting = outbox.find(turn, id);
  if (waiting === undefined) return 'unknown';
  soon(outbox, work);
  return waiting;
}

function soon(outbox: HookOutbox, work: Work): void {
  work.onEnd((newest) => (newest === null ? undefined : outbox.notify(work.activation, newest)));
}

/** A delivery as it was before it ended. */
function entryOf(record: DeliveryRecord): DeliveryEntry {
  const { outcome: _outcome, attempts: _attempts, status: _status, error: _error, ended_at: _ended, ...entry } = record;
  return entry;
}
