/**
 * Takes a row that cannot be read out of the way: its bytes go to a table of the tenant, its index entries, uses, versions and its place in
 * the count go. Nothing of the row tells where its entries lie, so each index of the entity is walked.
 */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import type { Bytes, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import { USES, useOf } from '../../files/store.ts';
import { isDeleted } from '../codec.ts';
import { rowKey, tableRange } from '../keys/store.ts';
import type { KeyRange } from '../keys/store.ts';
import type { Target } from '../references.ts';
import { forgetVersions } from '../references.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { addToCount, countRecord, damagedBytes, decodeSlots, entryId } from '../store.ts';
import type { Entry } from '../store.ts';

/** A row that was set aside. */
interface SetAside extends Who {
  /** '' where no schema names its table. */
  readonly entity: string;
  /** Its bytes as they lay there. */
  readonly value: Uint8Array;
}

/** Who took it out, and when (RFC 3339). */
export interface Who {
  readonly at: string;
  readonly by: string;
}

const aside = new Table<SetAside>('set_aside', TABLES.set_aside);

/** Stages what lies under a row's key into the table of rows that were set aside, and its removal. */
export function putAside(turn: Turn, entity: string, key: Bytes, who: Who): void {
  const value = turn.get(key);
  if (value === undefined) return;
  const [table, id] = [(key.charCodeAt(0) << 8) | key.charCodeAt(1), Buffer.from(key.slice(2), 'latin1')];
  aside.put(turn, { entity, value: Buffer.from(value), ...who }, table, id.toString('hex'));
  turn.del(key);
}

/** `kept`: who deletes it, and when; null where nothing of it is to be kept. */
export function* takeOut(turn: Turn, target: Target, kept: Who | null): Steps<void> {
  const { model, id } = target;
  if (damagedBytes(turn, model, id) === undefined)
    throw new Error(`the row of ${model.name} can be read: it is no row to be set aside`);
  const key = rowKey(model.table, id);
  if (kept === null) turn.del(key);
  else putAside(turn, model.name, key, kept);
  for (const index of model.kept) yield* drop(turn, tableRange(index.no), (entry) => entryId(entry) === id);
  if (model.files.length > 0)
    yield* drop(turn, USES, (entry) => {
      const use = useOf(entry.key);
      return use !== null && use.table === model.table && use.id === id;
    });
  if (model.versioned) yield* forgetVersions(turn, target);
  yield* count(turn, target);
}

/** Deletes entries of a range, page by page: no cursor stays open between two of them. */
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

/** Whether the row was live or deleted it does not tell: where both may be, the others are counted. */
function* count(turn: Turn, { model }: Target): Steps<void> {
  if (!model.softDelete) {
    addToCount(turn, model.table, -1, 0);
    return;
  }
  const tally = { live: 0, deleted: 0 };
  let unread = 0;
  yield* pages(turn, tableRange(model.table), ({ value }) => {
    try {
      if (isDeleted(decodeSlots(value))) tally.deleted++;
      else tally.live++;
    } catch {
      unread++;
    }
  });
  // With others that cannot be read the sum stays open until the last of them is gone: the check of the entity counts then.
  if (unread > 0) addToCount(turn, model.table, -1, 0);
  else turn.put(...countRecord(model.table, tally));
}
