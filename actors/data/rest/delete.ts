/** DELETE /data/rest/{entity}/id/{id}: soft by default, `purge=true` removes the row physically. */
import type { Call } from '#actors/host/call.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { deleteRow } from '../entity/delete.ts';
import { isFailure, noEntity } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import type { Written } from '../entity/write.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { failed } from './failed.ts';
import { refuseStale } from './precondition.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';
import { datastoreFailure, writtenReply } from './written.ts';

type Deleted = Outcome<Routes['delete']>;

export function remove(call: Call): Deleted | Promise<Deleted> {
  const entity = call.param('entity');
  const id = call.param('id');
  if (entity === '' || id === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return failed('v2.delete_failed', noEntity(entity));
  const began = session.clock.now();
  const parameters = parametersOf(call);
  const request = requestOf(call, 'delete', id, null);
  const answer = (written: Written | Failure): Deleted =>
    isFailure(written)
      ? failed('v2.delete_failed', written)
      : (refuseStale(call, written) ?? writtenReply(200, session, parameters, written, began));
  const written = datastoreFailure(parameters) ?? deleteRow(session, model, id, parameters.flag('purge'), request);
  return written instanceof Promise ? written.then(answer) : answer(written);
}
