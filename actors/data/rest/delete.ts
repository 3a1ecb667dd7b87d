/** DELETE /data/rest/{entity}/id/{id}: soft by default, `purge=true` removes the row physically. */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { replyText } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { deleteRow } from '../entity/delete.ts';
import { failure, isFailure } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { versionTag } from './envelope.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';
import { checkDatastore, shownSlots, writtenEnvelope } from './written.ts';

export function remove(call: Call): Outcome<Routes['delete']> {
  const entity = call.param('entity');
  const id = call.param('id');
  if (entity === '' || id === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return deleteFailed(failure(404, `no entity ${entity}`));
  const began = session.clock.now();
  const parameters = parametersOf(call);
  const request = requestOf(call, 'delete', id, null);
  const written = checkDatastore(parameters) ?? deleteRow(session, model, id, parameters.flag('purge'), request);
  if (isFailure(written)) return deleteFailed(written);
  return replyText(
    200,
    writtenEnvelope(session, parameters, written, began),
    undefined,
    versionTag(shownSlots(written)),
  );
}

function deleteFailed({ status, message, details }: Failure): Refusal<'v2.delete_failed'> {
  return refuse('v2.delete_failed', { status, message, ...(details !== undefined && { details }) });
}
