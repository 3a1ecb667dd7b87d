/** What each kind of step does. Those that rewrite rows or build indexes work in slices while the tenant serves. */
import { positionOf } from '#actors/engine/rows/codec.ts';
import { indexKey, isDistinct, rowKey, tableRange } from '#actors/engine/rows/keys/store.ts';
import { indexModel, type IndexModel } from '#actors/engine/rows/model.ts';
import { decodeSlots, getEntry, putEntry, rewriteSlots } from '#actors/engine/rows/store.ts';
import { dropCount } from '#actors/engine/rows/count/store.ts';
import { rewriteRow } from '#actors/engine/rows/write.ts';
import { enterRow as enterWords } from '#actors/engine/search/store.ts';
import { textIndexOf } from '#actors/engine/search/text-index.ts';
import { moveUses } from '#actors/engine/files/store.ts';
import {
  addField,
  addIndex,
  addText,
  alterField,
  beginRetype,
  cancelRetype,
  completeIndex,
  completeText,
  createEntity,
  dropEntity,
  dropField,
  dropIndexes,
  dropTexts,
  endRetype,
  entityOf,
  fieldOf,
  findIndex,
  findText,
} from '#actors/engine/schema/alter.ts';
import type { AddIndex, AddText, Change, DropField, FillField, RetypeField } from '#actors/engine/schema/change.ts';
import type { FieldFault } from '#actors/kit/field-check.ts';
import { limits } from '#config/limits.ts';
import { KEY_FIELD } from '#actors/engine/schema/desired.ts';
import type { StoredEntity, StoredIndex } from '#actors/engine/schema/stored.ts';
import { prewarmed } from '../../prewarm.ts';
import { countOf, misfitsOf } from './misfits.ts';
import { visitSlice, type SeenRow } from './rows.ts';
import type { Alter, StepRun } from './step-run.ts';
import type { Bytes, Turn } from './store.ts';

/** Takes a step to its last commit. Throws StepFailed once what it had begun is undone. */
export async function takeStep(run: StepRun, change: Change): Promise<void> {
  switch (change.op) {
    case 'create_entity':
      return run.finish((schema) => createEntity(schema, change));
    case 'add_field':
      await refuseMisfits(run, change);
      return run.finish((schema) => addField(schema, change));
    case 'fill_field':
      return fill(run, change);
    case 'alter_field':
      await refuseMisfits(run, change);
      return run.finish((schema) => alterField(schema, change.entity, change.field, change.to));
    case 'retype_field':
      return retype(run, change);
    case 'add_index':
      return build(run, change);
    case 'drop_index':
      return run.finish((schema) => {
        const index = findIndex(entityOf(schema, change.entity), change);
        return dropIndexes(schema, change.entity, index === undefined ? [] : [index]);
      });
    case 'add_text':
      return buildText(run, change);
    case 'drop_text':
      return run.finish((schema) => {
        const text = findText(entityOf(schema, change.entity), change.text);
        return dropTexts(schema, change.entity, text === undefined ? [] : [text]);
      });
    case 'drop_field':
      return leaveField(run, change);
    case 'drop_entity': {
      const { table } = entityOf(run.schema, change.entity);
      return run.finish(
        (schema) => dropEntity(schema, change.entity),
        (turn) => dropCount(turn, table),
      );
    }
  }
}

async function refuseMisfits(run: StepRun, change: Change): Promise<void> {
  // A long scan renews the lock, and fails where an operator has released it.
  const misfits = await misfitsOf(run.work, run.schema, change, false, () => run.commit(() => undefined));
  if (misfits !== null) await run.fail(misfits);
}

/** Calls `rewrite` with the rows of an entity in slices, from where an earlier run stopped. */
function inSlices(
  run: StepRun,
  entity: StoredEntity,
  no: number,
  rewrite: (turn: Turn, row: SeenRow) => void,
): Promise<void> {
  return slices(run, entity, no, (turn, from) => visitSlice(run.work, turn, entity, from, (row) => rewrite(turn, row)));
}

/** Takes slices of an entity until none is left, from where an earlier run stopped. */
function slices(
  run: StepRun,
  entity: StoredEntity,
  no: number,
  take: (turn: Turn, from: Bytes | null) => Bytes | null,
): Promise<void> {
  return prewarmed(run.work, [entity.table], async () => {
    let from: Bytes | null = run.placeIn(no);
    do {
      const start = from;
      from = await run.slice(no, (turn) => take(turn, start));
    } while (from !== null);
  });
}

/** Sets nulls to the default; readers and indexes see the change row by row. */
async function fill(run: StepRun, { entity: name, field, value }: FillField): Promise<void> {
  const entity = entityOf(run.schema, name);
  const { slot } = fieldOf(entity, field);
  const at = positionOf(slot);
  const rewrite = (turn: Turn, { id, slots, shownId }: SeenRow): void => {
    if (slots[at] !== null) return;
    const after = slots.slice();
    after[at] = value;
    if (rewriteRow(turn, run.model, id, slots, after).length > 0)
      throw new Misfit(`${String(shownId)} cannot take the default of ${name}.${field}, which another row holds`);
  };
  await orFail(
    run,
    (schema) => schema,
    () => inSlices(run, entity, slot, rewrite),
  );
  await run.finish((schema) => schema);
}

/** A row does not allow the step. Its slice is dropped, so that a resumed step meets the row again. */
class Misfit extends Error {}

async function orFail(run: StepRun, undo: Alter, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    await run.fail(error.message, undo);
  }
}

const named = (ids: readonly string[]): string =>
  ids.slice(0, limits.plans.namedRowsMax).join(', ') + (ids.length > limits.plans.namedRowsMax ? ', …' : '');

/** Fills a second slot with the converted values, as every writer does meanwhile; at the end the field takes that slot. */
async function retype(run: StepRun, change: RetypeField): Promise<void> {
  const { entity: name, field } = change;
  const undo: Alter = (schema) =>
    fieldOf(entityOf(schema, name), field).next === undefined ? schema : cancelRetype(schema, name, field);
  // A long scan renews the lock, and fails where an operator has released it.
  const misfits = await misfitsOf(run.work, run.schema, change, false, () => run.commit(() => undefined));
  if (misfits !== null) await run.fail(misfits, undo);
  const begun = fieldOf(entityOf(run.schema, name), field).next;
  if (begun === undefined || run.placeIn(begun.slot) === null) {
    const slot = nextSlot(run, name);
    await run.begin(slot, tableRange(entityOf(run.schema, name).table).from, (schema) =>
      beginRetype(undo(schema), change),
    );
  }
  const entity = entityOf(run.schema, name);
  const { next } = fieldOf(entity, field);
  const rewrite = (turn: Turn, { id, slots, shownId }: SeenRow): void => {
    const conversion = run.model.conversions.find((one) => one.field === field)!;
    const faults: FieldFault[] = [];
    const after = slots.slice();
    after[conversion.nextAt] = conversion.convert(slots[conversion.at], faults);
    if (faults.length > 0) throw new Misfit(`${String(shownId)} does not fit ${name}.${field}: ${faults[0]!.message}`);
    rewriteSlots(turn, entity.table, id, after);
  };
  await orFail(run, undo, () => inSlices(run, entity, next!.slot, rewrite));
  await run.finish((schema) => endRetype(schema, name, field));
}

function nextSlot(run: StepRun, name: string): number {
  const { fields, nextSlot: next } = entityOf(run.schema, name);
  return next ?? fields.length;
}

/** Builds an index: writers keep it up from the step's first commit on; readers use it from its last. */
async function build(run: StepRun, change: AddIndex): Promise<void> {
  const { entity: name } = change;
  const isEmpty = countOf(run.work, entityOf(run.schema, name)) === 0;
  if (isEmpty) return run.finish((schema) => addIndex(withoutHalf(schema, change), change, false));
  const half = findIndex(entityOf(run.schema, name), change);
  if (half === undefined || run.placeIn(half.no) === null) {
    const from = tableRange(entityOf(run.schema, name).table).from;
    await run.begin(run.schema.nextTable, from, (schema) => addIndex(withoutHalf(schema, change), change, true));
  }
  const entity = entityOf(run.schema, name);
  const index = findIndex(entity, change)!;
  const undo: Alter = (schema) => dropIndexes(schema, name, [index]);
  await orFail(run, undo, () => enterRows(run, entity, index));
  await run.finish((schema) => completeIndex(schema, name, index.no));
}

/** The schema without the part of the index that an earlier try left. */
function withoutHalf(schema: StepRun['schema'], change: AddIndex): StepRun['schema'] {
  const half = findIndex(entityOf(schema, change.entity), change);
  return half === undefined ? schema : dropIndexes(schema, change.entity, [half]);
}

function enterRows(run: StepRun, entity: StoredEntity, index: StoredIndex): Promise<void> {
  const model = indexModel(index, entity);
  return slices(run, entity, index.no, (turn, from) => {
    const pairs: string[] = [];
    const next = visitSlice(run.work, turn, entity, from, (row) => {
      const pair = enterRow(turn, entity, model, row);
      if (pair !== null) pairs.push(pair);
    });
    if (pairs.length > 0)
      throw new Misfit(`rows share a value of (${index.fields.join(', ')}), which is to be unique: ${named(pairs)}`);
    return next;
  });
}

/** Builds a text index as an index is built. The one that it replaces answers until its last commit, which drops that one. */
async function buildText(run: StepRun, change: AddText): Promise<void> {
  const { entity: name } = change;
  const clean: Alter = (schema) => {
    const half = findText(entityOf(schema, name), change.text);
    return half === undefined ? schema : dropTexts(schema, name, [half]);
  };
  if (countOf(run.work, entityOf(run.schema, name)) === 0)
    return run.finish((schema) => {
      const { nextTable } = clean(schema);
      return completeText(addText(clean(schema), change, false), name, nextTable);
    });
  const half = findText(entityOf(run.schema, name), change.text);
  if (half === undefined || run.placeIn(half.no) === null)
    await run.begin(run.schema.nextTable, tableRange(entityOf(run.schema, name).table).from, (schema) =>
      addText(clean(schema), change, true),
    );
  const entity = entityOf(run.schema, name);
  const stored = findText(entity, change.text)!;
  const index = textIndexOf(stored, entity);
  await inSlices(run, entity, stored.no, (turn, { id, slots }) => enterWords(turn, index, id, slots));
  await run.finish((schema) => completeText(schema, name, stored.no));
}

/** Enters a row; null, or the row and the other one that holds its unique value. */
function enterRow(turn: Turn, entity: StoredEntity, index: IndexModel, { slots, id, shownId }: SeenRow): string | null {
  const key = indexKey(index, slots, id);
  const holder = isDistinct(index, slots) ? getEntry(turn, key) : undefined;
  if (holder !== undefined && holder !== id) return `${String(shownId)} and ${shownHolder(turn, entity, holder)}`;
  putEntry(turn, key, id);
  return null;
}

/** The id of the row that holds a key, as callers know it. */
function shownHolder(turn: Turn, entity: StoredEntity, holder: Bytes): string {
  const value = turn.get(rowKey(entity.table, holder));
  return value === undefined ? '(gone)' : String(decodeSlots(value)[positionOf(fieldOf(entity, KEY_FIELD).slot)]);
}

/** Drops a field. Its uses of files end row by row before, so that the sweep finds those that no row uses. */
async function leaveField(run: StepRun, { entity: name, field }: DropField): Promise<void> {
  const entity = entityOf(run.schema, name);
  const { type, slot } = fieldOf(entity, field);
  const at = positionOf(slot);
  if (type === 'file')
    await inSlices(run, entity, slot, (turn, { id, slots }) => {
      if (slots[at] === null) return;
      const after = slots.slice();
      after[at] = null;
      moveUses(turn, { table: entity.table, files: [at], versioned: false }, id, slots, after);
      rewriteSlots(turn, entity.table, id, after);
    });
  await run.finish((schema) => dropField(schema, name, field));
}
