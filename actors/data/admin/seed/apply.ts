/**
 * Writes the rows of one seed through the writes that every caller uses, by its strategy:
 * `insert` creates what is not there (a row whose key is taken stays as it is), `upsert` also changes the given fields of a row
 * that is there, `replace` makes such a row as the seed has it: fields that are not given get their default, or null.
 */
import type { SeedDefinition } from '#config/definitions/product.ts';
import type { Input } from '#actors/kit/field-check.ts';
import type { Line } from '../../bulk/line.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { getSlots } from '#actors/engine/rows/store.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { placeOf } from './lines.ts';

/** Stages all rows; gives how many it wrote. The first refused row refuses the seed and names its place: the caller must drop the turn. */
export function* seedSteps(
  session: Session,
  seed: SeedDefinition,
  model: EntityModel,
  lines: readonly Line[],
): Steps<number | Failure> {
  let rows = 0;
  for (const { line, input, fault } of lines) {
    const written = input === null ? failure(422, fault) : writeOne(session, seed, model, input);
    if (written !== null && isFailure(written))
      return failure(written.status, `${placeOf(seed, line)}: ${written.message}`, written.details);
    if (written !== null && written.before !== written.after) rows++;
    yield;
  }
  return rows;
}

/** Null where the row stays as it is. */
function writeOne(
  session: Session,
  { strategy }: SeedDefinition,
  model: EntityModel,
  input: Input,
): Written | Failure | null {
  const key = Object.hasOwn(input, model.key.name) ? input[model.key.name] : undefined;
  const request = { method: 'POST', operation: 'create', entity: model.name, id: key ?? null, data: input };
  if (strategy !== 'insert' && key === undefined) return failure(422, `${model.key.name} is required`);
  const id = key === undefined ? null : model.idOf(key);
  if (id === null || getSlots(session.turn(), model, id) === undefined)
    return createRow(session, model, input, { ...request, id: null });
  if (strategy === 'insert') return null;
  const whole = strategy === 'replace' ? replacing(model, input) : input;
  return updateRow(session, model, key, whole, { ...request, method: 'PUT', operation: 'update' });
}

/** The input with every other field at its default. A field that a stateflow governs is left out: only events change it. */
function replacing(model: EntityModel, input: Input): Input {
  const governed = new Set(model.machines.map(({ field }) => field));
  const whole: Record<string, unknown> = {};
  for (const { name, default: value } of model.check.fields)
    if (name !== model.key.name && !governed.has(name)) whole[name] = value ?? null;
  return { ...whole, ...input };
}
