/**
 * Takes a row that cannot be read out of the way: its bytes are moved to a table of the tenant, and its index entries, file uses and
 * versions are deleted, and the count is corrected. The row cannot say where its entries are, so each index of the entity is walked.
 */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import type { Bytes, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import { USES, useOf } from '../../files/store.ts';
import { leaveText } from '../../search/store.ts';
import { isDeleted } from '../codec.ts';
import { rowKey, tableRange, type KeyRange } from '../keys/store.ts';
import { forgetVersions, type Target } from '../references.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { damagedBytes, decodeSlots, entryId, type Entry } from '../store.ts';
import { addToCount, countRecord } from '../count/store.ts';

/** A row that was set aside. */
interface SetAside extends Removed {
  /** '' where the schema has no entity with its table. */
  readonly entity: string;
  /** Its bytes as they were stored. */
  readonly value: Uint8Array;
}

/** The principal that took it out, and when (RFC 3339). */
interface Removed {
  readonly at: string;
  readonly by: string;
}

const aside = new Table<SetAside>('set_aside', TABLES.set_aside);

/** Stages the move of the bytes under a row's key into the table of rows that were set aside. */
export function putAside(turn: Turn, entity: string, key: Bytes, removed: Removed): void {
  const value = turn.get(key);
  if (value === undefined) return;
  const [table, id] = [(key.charCodeAt(0) << 8) | key.charCodeAt(1), Buffer.from(key.slice(2), 'latin1')];
  aside.put(turn, { entity, value: Buffer.from(value), ...removed }, table, id.toString('hex'));
  turn.del(key);
}

/** Stages all of it, in steps. `kept`: the principal and the time to keep with the bytes; null where they are not to be kept. */
export function* takeOut(turn: Turn, target: Target, kept: Removed | null): Steps<void> {
  const { model, id } = target;
  if (damagedBytes(turn, model, id) === undefined)
    throw new Error(`the row of ${model.name} can be read, so it must not be set aside`);
  const key = rowKey(model.table, id);
  const bytes = key.length + (turn.get(key)?.length ?? 0);
  if (kept === null) turn.del(key);
  else putAside(turn, model.name, key, kept);
  for (const index of model.kept) yield* drop(turn, tableRange(index.no), (entry) => entryId(entry) === id);
  for (const text of model.texts) leaveText(turn, text, id);
  if (model.files.length > 0)
    yield* drop(turn, USES, (entry) => {
      const use = useOf(entry.key);
      return use !== null && use.table === model.table && use.id === id;
    });
  if (model.versioned) yield* forgetVersions(turn, target);
  yield* count(turn, target, bytes);
}

/** Deletes entries of a range, page by page: no LMDB cursor stays open between two pages. */
function* drop(turn: Turn, range: KeyRange, isOf: (entry: Entry) => boolean): Steps<void> {
  yield* pages(turn, range, (entry, doomed) => {
    if (isOf(entry)) doomed.push(entry.key);
  });
}

function* pages(turn: Turn, { from, to }: KeyRange, look: (entry: Entry, doomed: Bytes[]) => void): Steps<void> {
  for (let at: Bytes | null = from; at !== null;) {
    const doomed: Bytes[] = [];
    let next: Bytes | null = null;
    let left = limits.data.referencePageRows;
    for (const entry of turn.range(at, to)) {
      look(entry, doomed);
      if (--left > 0) continue;
      next = `${entry.key}\0`;
      break;
    }
    for (const key of doomed) turn.del(key);
    yield;
    at = next;
  }
}

/** Corrects the count. Whether the row was live or soft-deleted is not known, so with that trait the other rows are counted. */
function* count(turn: Turn, { model, id }: Target, bytes: number): Steps<void> {
  if (!model.softDelete) {
    addToCount(turn, model.table, -1, 0, { id, bytes: -bytes });
    return;
  }
  const tally = { live: 0, deleted: 0, bytes: 0 };
  let unread = 0;
  yield* pages(turn, tableRange(model.table), ({ key, value }) => {
    tally.bytes += key.length + value.length;
    try {
      if (isDeleted(decodeSlots(value))) tally.deleted++;
      else tally.live++;
    } catch {
      unread++;
    }
  });
  // While other rows cannot be read either, the exact count is not known; the check of the entity corrects it once they are gone.
  if (unread > 0) addToCount(turn, model.table, -1, 0, { id, bytes: -bytes });
  else turn.put(...countRecord(model.table, tally));
}
