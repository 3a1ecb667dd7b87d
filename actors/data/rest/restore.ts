/** POST /data/rest/{entity}/id/{id}/restore: undoes a soft delete. A body is not read. */
import type { Call } from '#actors/host/call.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { isFailure, noEntity } from '#actors/engine/rows/failure.ts';
import { restoreRow } from '#actors/engine/rows/restore.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { failed } from './failed.ts';
import { refuseStale } from './precondition.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';
import { datastoreFailure, writtenReply } from './written.ts';

export function restore(call: Call): Outcome<Routes['restore']> {
  const entity = call.param('entity');
  const id = call.param('id');
  if (entity === '' || id === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return failed('v2.restore_failed', noEntity(entity));
  const began = session.clock.now();
  const parameters = parametersOf(call);
  const request = requestOf(call, 'restore', id, null);
  const written = datastoreFailure(parameters) ?? restoreRow(session, model, id, request);
  if (isFailure(written)) return failed('v2.restore_failed', written);
  return refuseStale(call, written) ?? writtenReply(200, session, parameters, written, began);
}
