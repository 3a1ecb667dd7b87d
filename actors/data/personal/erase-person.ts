/** Deletes or anonymizes rows of a person, up to a bound in each ask, between the turns of callers. Asked again it does the rest; repeating it changes nothing. */
import { limits } from '#config/limits.ts';
import { fieldsOfPerson } from '#config/definitions/person.ts';
import { commitWhenRoom, roomFor, untilFree } from '#actors/host/pace/own-turns.ts';
import type { Work } from '#actors/host/work.ts';
import { takeSteps, type StepBounds } from '#actors/kit/pace/steps.ts';
import type { ErasedStep, NamedPerson } from '#actors/protocol/person.ts';
import { removeWithDependents } from '#actors/engine/rows/references.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { getSlots } from '#actors/engine/rows/store.ts';
import { forgetChanges } from '../changes/changes.ts';
import { anonymize } from '../admin/retention/act.ts';
import { personalOf } from '../admin/retention/policy.ts';
import { sweepErased } from '../file/sweep.ts';
import { eraseSubmissions } from '../submission/erase.ts';
import { batchesOf, isOf, namingEntities, sessionFor, type Naming } from './find.ts';

/** Bounds for one row with the rows that depend on it. */
const STEPS: StepBounds = {
  turnStepsMax: limits.retention.turnStepsMax,
  sliceStepsMax: limits.retention.sliceRowsMax,
  sliceMsMax: limits.retention.sliceReadMsMax,
};

/** No entity has a name with a space. */
const OF_FORMS = 'form submissions';

type Counts = Record<'deleted' | 'anonymized' | 'kept' | 'blocked', number>;

export async function erasePerson(work: Work, wish: NamedPerson): Promise<ErasedStep> {
  const rows: Record<string, Counts> = {};
  const session = sessionFor(work);
  let left: number = limits.privacy.eraseRows;
  for (const naming of namingEntities(work, wish)) {
    const counts: Counts = { deleted: 0, anonymized: 0, kept: 0, blocked: 0 };
    rows[naming.model.name] = counts;
    for await (const batch of batchesOf(session, naming))
      for (const { slots } of batch) {
        if (left === 0) return ended(work, rows, true);
        const done = await eraseRow(work, session, naming, naming.model.idIn(slots));
        if (done !== null) counts[done]++;
        if (done === 'deleted' || done === 'anonymized') left--;
      }
  }
  sweepErased(work.activation);
  const deleted = await eraseSubmissions(work, { address: wish.email });
  if (deleted > 0) rows[OF_FORMS] = { deleted, anonymized: 0, kept: 0, blocked: 0 };
  return ended(work, rows, false);
}

/** What subscribers have yet to be told holds erased values. */
function ended({ activation }: Work, rows: Record<string, Counts>, more: boolean): ErasedStep {
  if (Object.values(rows).some(({ deleted, anonymized }) => deleted + anonymized > 0)) forgetChanges(activation);
  return { rows, more };
}

/** One row in a commit of its own: a delete that a reference refuses is half staged by then. Null where the row is gone, or another person's now. */
async function eraseRow(
  work: Work,
  session: Session,
  naming: Naming,
  id: ReturnType<Naming['model']['idIn']>,
): Promise<keyof Counts | null> {
  const { model, person } = naming;
  if (person.onErasure === 'keep') return 'kept';
  await untilFree(work);
  await roomFor(work, limits.retention.pressureMax);
  work.nextTurn();
  const slots = getSlots(session.turn(), model, id);
  if (slots === undefined || !isOf(naming, slots)) return null;
  const anonymizes = person.onErasure === 'anonymize';
  const steps = anonymizes
    ? anonymize(session, { model, personal: personalOf(model, fieldsOfPerson(model.definition)) }, id, slots)
    : removeWithDependents(session, model, id);
  const failed = await takeSteps(session, steps, STEPS);
  if (failed !== null) {
    work.abort();
    return 'blocked';
  }
  await commitWhenRoom(work);
  return anonymizes ? 'anonymized' : 'deleted';
}
