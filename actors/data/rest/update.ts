/** PUT and PATCH of a row, its key in the body or in the path: the same partial update (docs/contract/data.md §6.3). */
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import { refusalOf } from '#actors/kit/refused.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Outcome, Reply } from '#actors/protocol/route.ts';
import { isFailure, noEntity } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { refuse } from '../refusals.ts';
import { writeMultipart } from '../file/multipart.ts';
import { routes, type Routes } from '../routes.ts';
import type { Envelope } from '../shapes.ts';
import { KEY_FIELD } from '#actors/engine/schema/desired.ts';
import { objectBody } from './body.ts';
import { isByFilter, updateFound } from './by-filter.ts';
import { failed } from './failed.ts';
import { refuseStale } from './precondition.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';
import { datastoreFailure, writtenReply } from './written.ts';

/** The key in the body; with `If-Count` a filter in the query string. */
export function update(call: Call): Outcome<Routes['update']> | Promise<Outcome<Routes['update']>> {
  if (call.param('entity') === '') return refuse('v2.bad_path');
  const input = objectBody(call);
  if (isRefusal(input)) return input;
  if (isByFilter(call)) return updateFound(call, input);
  const id = Object.hasOwn(input, KEY_FIELD) ? input[KEY_FIELD] : null;
  if (id === null || id === '') return refuse('v2.missing_id', { message: `the body must hold ${KEY_FIELD}` });
  return updated(call, id, input);
}

/** The key in the path; one in the body must be the same. */
export function updateById(call: Call): UpdatedById | Promise<UpdatedById> {
  const id = call.param('id');
  if (call.param('entity') === '' || id === '') return refuse('v2.bad_path');
  const model = sessionOf(call).model(call.param('entity'));
  if (call.stream !== null)
    return model === undefined ? failed('v2.update_failed', noEntity(call.param('entity'))) : parts(call, model, id);
  const input = objectBody(call);
  if (isRefusal(input)) return input;
  return (model === undefined ? null : otherKey(model, input, id)) ?? updated(call, id, input);
}

/** New values and new files of a row, as the parts of a body. */
function parts(call: Call, model: EntityModel, id: string): Promise<UpdatedById> {
  return writeMultipart<UpdatedById>(call, model, {
    action: 'update',
    id,
    stage: (session, input, request) => updateRow(session, model, id, input, request),
    misplaced: (input) => otherKey(model, input, id),
    stale: (written) => refuseStale(call, written),
    failed: (fault) => failed('v2.update_failed', fault),
    refused: (error) => refusalOf(error, routes.update_by_id.refusals),
    answer: (session, written, began) => writtenReply(200, session, parametersOf(call), written, began),
  });
}

/** The refusal of a body that names the key of another row than the path. */
function otherKey(model: EntityModel, input: Input, id: string): Refusal<'v2.id_mismatch'> | null {
  if (!Object.hasOwn(input, KEY_FIELD) || isSameKey(model, input[KEY_FIELD], id)) return null;
  return refuse('v2.id_mismatch', { details: { path: shown(id), body: shown(input[KEY_FIELD]) } });
}

function isSameKey(model: EntityModel, body: unknown, path: string): boolean {
  return body === path || (model.idOf(body) !== null && model.idOf(body) === model.idOf(path));
}

type UpdatedById = Outcome<Routes['update_by_id']>;
type Updated = Reply<200, Envelope> | Refusal<'v2.update_failed' | 'v2.precondition_failed'>;

function updated(call: Call, id: unknown, input: Input): Updated {
  const session = sessionOf(call);
  const entity = call.param('entity');
  const model = session.model(entity);
  if (model === undefined) return failed('v2.update_failed', noEntity(entity));
  const began = session.clock.now();
  const parameters = parametersOf(call);
  const request = requestOf(call, 'update', id, input);
  const written = datastoreFailure(parameters) ?? updateRow(session, model, id, input, request);
  if (isFailure(written)) return failed('v2.update_failed', written);
  return refuseStale(call, written) ?? writtenReply(200, session, parameters, written, began);
}
