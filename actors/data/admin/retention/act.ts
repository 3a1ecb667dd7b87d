/** What each phase does to one row, which is read again in the turn that changes it and skipped where the phase is done. */
import { timestamp } from '#actors/kit/clock.ts';
import { ARCHIVED_AT } from '#config/definitions/retention.ts';
import { positionOf, UPDATED_AT, VERSION_AT, versionOf, type Slots } from '#actors/engine/rows/codec.ts';
import type { Failure } from '#actors/engine/rows/failure.ts';
import type { Bytes } from '#actors/engine/rows/keys/store.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { removeWithDependents } from '#actors/engine/rows/references.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { getSlots, type Reader } from '#actors/engine/rows/store.ts';
import { dropVersions } from '#actors/engine/rows/versions/store.ts';
import { writeRow } from '#actors/engine/rows/write.ts';
import { offer } from '../handoff/handoff.ts';
import { handoffOf } from '../handoff/store.ts';
import { limits } from '#config/limits.ts';
import type { Phase, Policy } from './policy.ts';

/** Whether a phase still has work on a row that is old enough. */
export function isOpen(reader: Reader, policy: Policy, phase: Phase, slots: Slots): boolean {
  if (phase === 'purge') return true;
  if (phase === 'anonymize')
    return policy.personal.some(({ column, valueFor }) => slots[column.at] !== valueFor(slots));
  const { companion } = policy;
  if (companion !== null) return isCopied(reader, policy.model, companion, slots) === (phase === 'archive_delete');
  const handoff = handoffOf(reader, policy.model.name, keyIn(policy.model, slots), versionOf(slots));
  return phase === 'archive' ? handoff === undefined || handoff.status === 'failed' : handoff?.status === 'confirmed';
}

/** Whether the companion holds this version of the row. */
function isCopied(reader: Reader, model: EntityModel, companion: EntityModel, slots: Slots): boolean {
  const copy = getSlots(reader, companion, model.idIn(slots));
  return copy !== undefined && versionOf(copy) === versionOf(slots);
}

const keyIn = ({ key }: EntityModel, slots: Slots): string | number => slots[key.at] as string | number;

/** The steps of a phase on one row. After a failure the caller must drop what is staged. */
export function actOn(session: Session, policy: Policy, phase: Phase, id: Bytes, slots: Slots): Steps<Failure | null> {
  if (phase === 'anonymize') return anonymize(session, policy, id, slots);
  if (phase === 'archive') return archive(session, policy, id, slots);
  return removeWithDependents(session, phase === 'purge' ? (policy.companion ?? policy.model) : policy.model, id);
}

/** Old versions hold the personal values too, so they are deleted with them. */
export function* anonymize(
  session: Session,
  { model, personal }: Pick<Policy, 'model' | 'personal'>,
  id: Bytes,
  before: Slots,
): Steps<Failure | null> {
  const after = before.slice();
  for (const { column, valueFor } of personal) after[column.at] = valueFor(before);
  after[VERSION_AT] = versionOf(before) + 1;
  if (model.timestamps) after[UPDATED_AT] = timestamp(session.clock.now());
  const failed = writeRow(session.turn(), model, id, before, after);
  if (failed !== null || !model.versioned) return failed;
  while (dropVersions(session.turn(), model, after, limits.data.referencePageRows)) yield;
  return null;
}

// oxlint-disable-next-line require-yield -- it is one step, as its callers count them
function* archive(session: Session, policy: Policy, id: Bytes, slots: Slots): Steps<Failure | null> {
  const { model, companion, elsewhere } = policy;
  const turn = session.turn();
  const now = session.clock.now();
  if (companion !== null) {
    const before = getSlots(turn, companion, id) ?? null;
    return writeRow(turn, companion, id, before, copyOf(model, companion, slots, timestamp(now)));
  }
  const { name: target_name, type: target_type } = elsewhere!;
  const row = { entity: model.name, row_pk: keyIn(model, slots), version: versionOf(slots), target_name, target_type };
  offer(turn, now, () => session.ids.next(), row);
  return null;
}

/** A row as the companion stores it: the service's own slots first, then fields by name. */
function copyOf(model: EntityModel, companion: EntityModel, slots: Slots, now: string): Slots {
  const copy = companion.pad(slots.slice(0, positionOf(0)));
  for (const { name, at, marker } of companion.columns) {
    const from = marker ? undefined : model.column(name);
    if (from !== undefined) copy[at] = slots[from.at];
  }
  copy[companion.column(ARCHIVED_AT)!.at] = now;
  return copy;
}
