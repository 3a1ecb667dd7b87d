/** GET /data/rest/{entity}: rows of a query (docs/contract/data.md §5.1). */
import type { Call } from '#actors/host/call.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import { failure, isFailure, noEntity, type Failure } from '#actors/engine/rows/failure.ts';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import type { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { entityNotFound, failed } from './failed.ts';
import { foundEnvelope, type Shown } from './found.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';

type Listed = Outcome<Routes['list']>;

export function list(call: Call): Listed | Promise<Listed> {
  const entity = call.param('entity');
  if (entity === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return entityNotFound(noEntity(entity));
  const parameters = parametersOf(call);
  if (parameters.flag('download')) return refuse('v2.download_needs_id');
  const answer = (shown: Shown | Failure): Listed =>
    isFailure(shown) ? failed('v2.query_failed', shown) : replyJson(200, shown.text, shown.headers);
  const shown = showRows(call, session, model, parameters, (asker) =>
    parseQuery(model, parameters, session, NO_CONDITIONS, asker),
  );
  return shown instanceof Promise ? shown.then(answer) : answer(shown);
}

/** Finds the rows of a query and writes their envelope; at once, unless the query is long. */
export function showRows(
  call: Call,
  session: Session,
  model: EntityModel,
  parameters: Parameters,
  parse: (asker: Asker) => Query | Failure,
): Shown | Failure | Promise<Shown | Failure> {
  const began = session.clock.now();
  const show = (found: Found | Failure): Shown | Failure | Promise<Shown | Failure> =>
    isFailure(found) ? found : foundEnvelope(call, session, model, parameters, found, began);
  const request = requestOf(call, 'read', null, null);
  const found = findRows(session, model, request, () => ofNow(parse({ session, request })));
  return found instanceof Promise ? found.then(show) : show(found);
}

/** Refuses a `version`: lists show rows as they are now. */
function ofNow(parsed: Query | Failure): Query | Failure {
  if (isFailure(parsed) || parsed.version === null) return parsed;
  return failure(422, 'version is of one row: name its id in the path', { parameter: 'version' });
}
