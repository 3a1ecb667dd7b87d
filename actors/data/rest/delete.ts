/** DELETE /data/rest/{entity}/id/{id}: soft by default, `purge=true` removes the row physically. */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { deleteRow } from '../entity/delete.ts';
import { failure, isFailure } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import type { Written } from '../entity/write.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { refuseStale } from './precondition.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';
import { checkDatastore, writtenReply } from './written.ts';

type Deleted = Outcome<Routes['delete']>;

export function remove(call: Call): Deleted | Promise<Deleted> {
  const entity = call.param('entity');
  const id = call.param('id');
  if (entity === '' || id === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return deleteFailed(failure(404, `no entity ${entity}`));
  const began = session.clock.now();
  const parameters = parametersOf(call);
  const request = requestOf(call, 'delete', id, null);
  const answer = (written: Written | Failure): Deleted =>
    isFailure(written)
      ? deleteFailed(written)
      : (refuseStale(call, written) ?? writtenReply(200, session, parameters, written, began));
  const written = checkDatastore(parameters) ?? deleteRow(session, model, id, parameters.flag('purge'), request);
  return written instanceof Promise ? written.then(answer) : answer(written);
}

function deleteFailed({ status, message, details }: Failure): Refusal<'v2.delete_failed'> {
  return refuse('v2.delete_failed', { status, message, ...(details !== undefined && { details }) });
}
