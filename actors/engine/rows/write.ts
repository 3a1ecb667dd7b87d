/**
 * The only way to change a row: the row, its index entries, its unique claims and the counters are staged together, so that a
 * turn holds either all of a change or nothing. Create, update and delete decide what changes; no other code stages rows.
 */
import type { FieldFault } from '#actors/kit/field-check.ts';
import { moveUses } from '../files/store.ts';
import { enqueueFeeds } from '../derived/enqueue.ts';
import { convertRow } from '../schema/convert.ts';
import { refuseMove, type Mover } from '../machines/move.ts';
import { isDeleted, type Slots } from './codec.ts';
import { invalid, type Failure } from './failure.ts';
import { indexKey, isDistinct, type Bytes } from './keys/store.ts';
import type { EntityModel, IndexModel } from './model.ts';
import { moveText } from '../search/store.ts';
import { recordChange } from './record-change.ts';
import { SchemaMoved } from './schema-moved.ts';
import { otherParts, type Part } from './shared-fields.ts';
import { dropSlots, getEntry, putEntry, putSlots, rewriteSlots, type Turn } from './store.ts';
import { addToCount } from './count/store.ts';
import { putVersion } from './versions/store.ts';

/** What a write did: the row before (null for a create) and after it (null for a physical delete). */
export interface Written {
  readonly kind: 'written';
  readonly model: EntityModel;
  readonly before: Slots | null;
  readonly after: Slots | null;
}

/**
 * Stages one change of one row. 422 for a state that a machine forbids, and for unique values that other rows hold, each named;
 * nothing is staged then. `mover`: the caller that sets fields, null for a write that sets none.
 */
export function writeRow(
  turn: Turn,
  model: EntityModel,
  id: Bytes,
  before: Slots | null,
  after: Slots | null,
  mover: Mover | null = null,
): Failure | null {
  if (model.retired) throw new SchemaMoved(model.name);
  const refused = refuseMove(model, before, after, mover);
  if (refused !== null) return refused;
  const faults: FieldFault[] = [];
  if (after !== null && model.conversions.length > 0) convertRow(model.conversions, after, faults);
  if (faults.length > 0) return invalid(faults);
  const parts = after === null || model.shared === null ? [] : otherParts(turn, model, id, before, after);
  const unfit = parts.length === 0 ? null : checkParts(turn, model, parts, mover);
  if (unfit !== null) return unfit;
  claimAndMove(turn, model, id, before, after, faults);
  if (faults.length > 0) return invalid(faults);
  stage(turn, model, id, before, after);
  for (const part of parts) {
    moveEntries(turn, model, part.id, part.before, part.after);
    stage(turn, model, part.id, part.before, part.after);
  }
  return null;
}

/** Checks all parts of a whole before any of them is staged. */
function checkParts(turn: Turn, model: EntityModel, parts: readonly Part[], mover: Mover | null): Failure | null {
  const faults: FieldFault[] = [];
  for (const { id, before, after } of parts) {
    const refused = refuseMove(model, before, after, mover);
    if (refused !== null) return refused;
    convertRow(model.conversions, after, faults);
    for (const index of model.kept) checkClaim(turn, index, id, after, faults);
  }
  return faults.length > 0 ? invalid(faults) : null;
}

/** Stages a change that was checked: the row, its files, its tasks of materialized fields, its record and its count. */
function stage(turn: Turn, model: EntityModel, id: Bytes, before: Slots | null, after: Slots | null): void {
  if (model.files.length > 0) moveUses(turn, model, id, before, after);
  const bytes =
    after === null ? dropSlots(turn, model.table, id) : putSlots(turn, model.table, id, after, before === null);
  if (model.versioned && before !== null && after !== null) putVersion(turn, model, before);
  const live = Number(isLive(after)) - Number(isLive(before));
  if (model.feeds.length > 0) enqueueFeeds(turn, model, before, after);
  recordChange(turn, model, before, after);
  addToCount(turn, model.table, live, Number(isGone(after)) - Number(isGone(before)), { id, bytes });
}

/**
 * Stages a row that stays the same for callers while a plan fills or converts one of its fields: no version, no event, no counter.
 * Materialized fields that depend on it are computed again. Gives faults for unique values that other rows hold; nothing is staged then.
 */
export function rewriteRow(turn: Turn, model: EntityModel, id: Bytes, before: Slots, after: Slots): FieldFault[] {
  const faults: FieldFault[] = [];
  claimAndMove(turn, model, id, before, after, faults);
  if (faults.length > 0) return faults;
  if (model.files.length > 0) moveUses(turn, model, id, before, after);
  rewriteSlots(turn, model.table, id, after);
  if (model.feeds.length > 0) enqueueFeeds(turn, model, before, after);
  return faults;
}

function claimAndMove(
  turn: Turn,
  model: EntityModel,
  id: Bytes,
  before: Slots | null,
  after: Slots | null,
  faults: FieldFault[],
): void {
  if (after !== null) for (const index of model.kept) checkClaim(turn, index, id, after, faults);
  if (faults.length === 0) moveEntries(turn, model, id, before, after);
}

function moveEntries(turn: Turn, model: EntityModel, id: Bytes, before: Slots | null, after: Slots | null): void {
  for (const index of model.kept) moveEntry(turn, index, id, before, after);
  if (model.texts.length > 0) for (const text of model.texts) moveText(turn, text, id, before, after);
}

/** Adds a fault for every unique value of a row that another row holds. Fields that already have a fault are not checked. */
export function checkClaims(turn: Turn, model: EntityModel, id: Bytes, after: Slots, faults: FieldFault[]): void {
  const wrong = new Set(faults.map(({ field }) => field));
  for (const index of model.kept)
    if (!index.names.some((name) => wrong.has(name))) checkClaim(turn, index, id, after, faults);
}

const isLive = (slots: Slots | null): boolean => slots !== null && !isDeleted(slots);
const isGone = (slots: Slots | null): boolean => slots !== null && isDeleted(slots);

function checkClaim(turn: Turn, index: IndexModel, id: Bytes, after: Slots, faults: FieldFault[]): void {
  if (!isDistinct(index, after)) return;
  const holder = getEntry(turn, indexKey(index, after, id));
  if (holder === undefined || holder === id) return;
  const together = index.names.length === 1 ? '' : ` together with ${index.names.join(', ')}`;
  for (const field of index.names)
    faults.push({ field, code: 'unique', message: `is taken by another row${together}` });
}

function moveEntry(turn: Turn, index: IndexModel, id: Bytes, before: Slots | null, after: Slots | null): void {
  const old = before === null ? null : indexKey(index, before, id);
  const now = after === null ? null : indexKey(index, after, id);
  if (old === now) return;
  // In a unique index that is being built the entry may belong to another row, which was entered before this one.
  if (old !== null && (!index.building || getEntry(turn, old) === id)) turn.del(old);
  if (now !== null) putEntry(turn, now, id);
}
