/** GET /data/rest/{entity}: rows of a query (data.md "List parameters"). */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { replyText } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { StoredRow } from '../entity/codec.ts';
import { jsonWriterOf } from '../entity/json-writer.ts';
import { isFailure } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import type { EntityModel } from '../entity/model.ts';
import type { Parameters } from '../entity/parameters.ts';
import { parseQuery } from '../entity/parse-query.ts';
import { describePlan } from '../entity/plan.ts';
import type { Query } from '../entity/query.ts';
import { findRows } from '../entity/read.ts';
import type { Found } from '../entity/read.ts';
import type { Session } from '../entity/session.ts';
import { selectSql } from '../entity/sql.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { envelopeText } from './envelope.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';

type Listed = Outcome<Routes['list']>;

export function list(call: Call): Listed | Promise<Listed> {
  const entity = call.param('entity');
  if (entity === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return refuse('v2.entity_not_found', { message: `no entity ${entity}` });
  const request = requestOf(call, 'read', null, null);
  const parameters = parametersOf(call);
  if (parameters.flag('download')) return refuse('v2.download_needs_id');
  const began = session.clock.now();
  const answer = (found: Found | Failure): Listed =>
    isFailure(found) ? queryFailed(found) : replyText(200, readEnvelope(session, model, parameters, found, began));
  const found = findRows(session, model, request, () => parseQuery(model, parameters));
  return found instanceof Promise ? found.then(answer) : answer(found);
}

/** The envelope of a read: projected rows, and what was found out on the way. */
export function readEnvelope(
  session: Session,
  model: EntityModel,
  parameters: Parameters,
  found: Found,
  beganMs: number,
): string {
  const data = found.rows.map(projection(model, found.query));
  return envelopeText(model, data, found.total, parameters, () => ({
    sql: selectSql(model, found.query),
    duration_ms: session.clock.now() - beganMs,
    total_count: found.total ?? data.length,
    include_sql: [],
    rows_affected: 0,
    plan: describePlan(found.plan),
  }));
}

/** The selected columns in the order in which they were asked for. */
function projection(model: EntityModel, { select }: Query): (row: StoredRow) => string {
  if (select === null) return model.jsonOf;
  const write = jsonWriterOf(select.map((name) => model.column(name)!));
  return ({ slots }) => write(slots);
}

export function queryFailed({ status, message, details }: Failure): Refusal<'v2.query_failed'> {
  return refuse('v2.query_failed', { status, message, ...(details !== undefined && { details }) });
}
