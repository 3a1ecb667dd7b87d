/** Fills a new index of an entity that has rows, in bounded turns, before the schema names it. */
import { limits } from '#config/limits.ts';
import { padderOf, positionOf, type Slots } from '../rows/codec.ts';
import { idKey, indexKey, isDistinct, tableRange, type Bytes, type KeyRange } from '../rows/keys/store.ts';
import { indexModel, type IndexModel } from '../rows/model.ts';
import { decodeSlots, getEntry, putEntry, type Turn } from '../rows/store.ts';
import { enterRow } from '../search/store.ts';
import { textIndexOf, type TextIndex } from '../search/text-index.ts';
import { KEY_FIELD } from './desired.ts';
import type { StoredEntity, StoredIndex, StoredText } from './stored.ts';

const BATCH = limits.storage.commitRowsMax;

/** Two rows hold the same value of a new unique index. */
export class DuplicateValues extends Error {
  readonly entity: string;
  readonly fields: readonly string[];

  constructor(entity: string, fields: readonly string[]) {
    super(`${entity}: rows share a value of (${fields.join(', ')}), which is to be unique`);
    this.entity = entity;
    this.fields = fields;
  }
}

/** Commits a turn; waits while the store is full. */
export type CommitTurn = (fill: (turn: Turn) => void) => Promise<void>;

/** Builds one index. An earlier try that stopped half way is cleared first. Throws DuplicateValues. */
export async function buildIndex(entity: StoredEntity, index: StoredIndex, commit: CommitTurn): Promise<void> {
  const model = indexModel(index, entity);
  await clear(tableRange(index.no), commit);
  const rows = tableRange(entity.table);
  let from: Bytes | null = rows.from;
  while (from !== null) {
    const start: Bytes = from;
    let next: Bytes | null = null;
    await commit((turn) => {
      next = fillBatch(turn, entity, model, { from: start, to: rows.to });
    });
    from = next;
  }
}

/** Enters one batch of rows. Gives the key at which the next batch begins, or null at the end. */
function fillBatch(turn: Turn, entity: StoredEntity, index: IndexModel, rows: KeyRange): Bytes | null {
  const pad = padderOf(entity.fields);
  const key = entity.fields.find((field) => field.name === KEY_FIELD)!;
  const entries: { readonly key: Bytes; readonly id: Bytes; readonly distinct: boolean }[] = [];
  let next: Bytes | null = null;
  for (const row of turn.range(rows.from, rows.to)) {
    if (entries.length === BATCH) {
      next = row.key;
      break;
    }
    const slots = pad(decodeSlots(row.value));
    const id = idKey(key.type, slots[positionOf(key.slot)]);
    entries.push({ key: indexKey(index, slots, id), id, distinct: isDistinct(index, slots) });
  }
  for (const entry of entries) {
    if (entry.distinct && getEntry(turn, entry.key) !== undefined) throw new DuplicateValues(entity.name, index.names);
    putEntry(turn, entry.key, entry.id);
  }
  return next;
}

/** Rows of one turn while a text index is built: each enters many words. */
const TEXT_BATCH = 100;

/** Builds one text index. An earlier try that stopped half way is cleared first. */
export async function buildText(entity: StoredEntity, text: StoredText, commit: CommitTurn): Promise<void> {
  const index = textIndexOf(text, entity);
  await clear(tableRange(text.no), commit);
  const rows = tableRange(entity.table);
  let from: Bytes | null = rows.from;
  while (from !== null) {
    const start: Bytes = from;
    let next: Bytes | null = null;
    await commit((turn) => {
      next = enterBatch(turn, entity, index, { from: start, to: rows.to });
    });
    from = next;
  }
}

/** Enters the words of one batch of rows. Gives the key at which the next batch begins, or null at the end. */
function enterBatch(turn: Turn, entity: StoredEntity, index: TextIndex, range: KeyRange): Bytes | null {
  const pad = padderOf(entity.fields);
  const key = entity.fields.find(({ name }) => name === KEY_FIELD)!;
  const rows: Slots[] = [];
  let next: Bytes | null = null;
  for (const row of turn.range(range.from, range.to)) {
    if (rows.length === TEXT_BATCH) {
      next = row.key;
      break;
    }
    rows.push(pad(decodeSlots(row.value)));
  }
  for (const slots of rows) enterRow(turn, index, idKey(key.type, slots[positionOf(key.slot)]), slots);
  return next;
}

async function clear(range: KeyRange, commit: CommitTurn): Promise<void> {
  for (;;) {
    const keys: Bytes[] = [];
    await commit((turn) => {
      keys.length = 0;
      for (const { key } of turn.range(range.from, range.to)) {
        keys.push(key);
        if (keys.length === limits.storage.commitPutsMax) break;
      }
      for (const key of keys) turn.del(key);
    });
    if (keys.length < limits.storage.commitPutsMax) return;
  }
}
