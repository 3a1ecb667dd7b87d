/** DELETE /data/rest/{entity}/id/{id}: soft by default, `purge=true` removes the row physically. */
import type { Call } from '#actors/host/call.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import type { Slots } from '#actors/engine/rows/codec.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isDamaged, isFailure, noEntity, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { RequestView } from '#actors/engine/rows/session.ts';
import { setAsideRow } from '#actors/engine/rows/set-aside/set-aside.ts';
import { deleteSql } from '#actors/engine/rows/sql.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { renderEnvelope } from './envelope.ts';
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
  const answer = (written: Written | Failure): Deleted | Promise<Deleted> => {
    if (isDamaged(written)) return removeDamaged(call, model, written, request);
    return isFailure(written)
      ? failed('v2.delete_failed', written)
      : (refuseStale(call, written) ?? writtenReply(200, session, parameters, written, began));
  };
  const written = datastoreFailure(parameters) ?? deleteRow(session, model, id, parameters.flag('purge'), request);
  return written instanceof Promise ? written.then(answer) : answer(written);
}

/** A row that cannot be read has no version that `If-Match` could name, and nothing of it can be shown: the answer says how many went. */
function removeDamaged(
  call: Call,
  model: EntityModel,
  damaged: Failure,
  request: RequestView,
): Deleted | Promise<Deleted> {
  const wanted = call.header('if-match');
  if (wanted !== undefined && wanted.trim() !== '*')
    return refuse('v2.precondition_failed', { details: damaged.details ?? {} });
  const parameters = parametersOf(call);
  const session = sessionOf(call);
  const began = session.clock.now();
  const slots: Slots = [];
  slots[model.key.at] = call.param('id');
  const stats = () => ({
    sql: deleteSql(model, slots),
    duration_ms: session.clock.now() - began,
    total_count: 1,
    include_sql: [],
    rows_affected: 1,
  });
  const answer = (failure: Failure | null): Deleted =>
    failure === null
      ? replyJson(
          200,
          renderEnvelope(model, [], 1, parameters, stats, () => []),
        )
      : failed('v2.delete_failed', failure);
  const staged = setAsideRow(session, model, call.param('id'), parameters.flag('purge'), request);
  return staged instanceof Promise ? staged.then(answer) : answer(staged);
}
