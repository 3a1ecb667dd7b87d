/** POST /data/rest/{entity}. */
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { refusalOf } from '#actors/kit/refused.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { failure, isFailure, noEntity } from '#actors/engine/rows/failure.ts';
import { writeMultipart } from '../file/multipart.ts';
import { refuse } from '../refusals.ts';
import { routes, type Routes } from '../routes.ts';
import { rowsBody } from './body.ts';
import { createMany, keyAsked } from './create-many.ts';
import { entityNotFound, failed } from './failed.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';
import { datastoreFailure, writtenReply } from './written.ts';

export function create(call: Call): Outcome<Routes['create']> | Promise<Outcome<Routes['create']>> {
  const entity = call.param('entity');
  if (entity === '') return refuse('v2.bad_path');
  if (call.stream !== null) return multipart(call, entity);
  const input = rowsBody(call);
  if (isRefusal(input)) return input;
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return entityNotFound(noEntity(entity));
  const began = session.clock.now();
  const parameters = parametersOf(call);
  if (isList(input) || keyAsked(parameters) !== null) return createMany(call, session, model, parameters, input);
  const request = requestOf(call, 'create', null, input);
  const written = datastoreFailure(parameters) ?? createRow(session, model, input, request);
  if (isFailure(written)) return failed('v2.create_failed', written);
  return writtenReply(201, session, parameters, written, began);
}

function multipart(call: Call, entity: string): Outcome<Routes['create']> | Promise<Outcome<Routes['create']>> {
  const model = sessionOf(call).model(entity);
  if (model === undefined) return entityNotFound(noEntity(entity));
  if (keyAsked(parametersOf(call)) !== null)
    return failed('v2.create_failed', failure(422, '[on] goes with a JSON body', { parameter: '[on]' }));
  return writeMultipart<Outcome<Routes['create']>>(call, model, {
    action: 'create',
    id: null,
    stage: (session, input, request) => createRow(session, model, input, request),
    misplaced: () => null,
    stale: () => null,
    failed: (fault) => failed('v2.create_failed', fault),
    refused: (error) => refusalOf(error, routes.create.refusals),
    answer: (session, written, began) => writtenReply(201, session, parametersOf(call), written, began),
  });
}

function isList(input: Input | readonly Input[]): input is readonly Input[] {
  return Array.isArray(input);
}
