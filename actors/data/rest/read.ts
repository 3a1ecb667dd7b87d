/** GET /data/rest/{entity}/id/{id}: one row, in the same envelope as a list. */
import type { Call } from '#actors/host/call.ts';
import { FIELD_TYPES } from '#actors/kit/field-type.ts';
import type { FileRecord } from '#actors/kit/file-value.ts';
import { replyText } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { versionOf } from '../entity/codec.ts';
import { isFailure } from '../entity/failure.ts';
import type { EntityModel } from '../entity/model.ts';
import type { Failure } from '../entity/failure.ts';
import { parseQuery } from '../entity/parse-query.ts';
import { equals, query } from '../entity/query.ts';
import type { Query } from '../entity/query.ts';
import { findRow, findRows } from '../entity/read.ts';
import type { RequestView, Session } from '../entity/session.ts';
import type { Found } from '../entity/read.ts';
import { download, fileColumn } from '../file/download.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { versionTag } from './envelope.ts';
import { foundEnvelope } from './found.ts';
import type { Shown as Enveloped } from './found.ts';
import { queryFailed } from './list.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';

type Shown = Outcome<Routes['read']>;

export function read(call: Call): Shown | Promise<Shown> {
  const entity = call.param('entity');
  const id = call.param('id');
  if (entity === '' || id === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return refuse('v2.entity_not_found', { message: `no entity ${entity}` });
  const request = requestOf(call, 'read', id, null);
  return call.rawQuery === '' ? plain(call, session, model, request, id) : asked(call, session, model, request, id);
}

/** A read with parameters: the list's query, narrowed to one key. */
function asked(
  call: Call,
  session: Session,
  model: EntityModel,
  request: RequestView,
  id: string,
): Shown | Promise<Shown> {
  const parameters = parametersOf(call);
  if (parameters.flag('download')) return downloaded(call, session, model, request, id, parameters.first('field'));
  const began = session.clock.now();
  const show = (found: Found | Failure): Shown | Promise<Shown> => {
    if (isFailure(found)) return queryFailed(found);
    const row = found.rows[0];
    if (row === undefined) return absent(model, id);
    const answer = (shown: Enveloped | Failure): Shown =>
      isFailure(shown) ? queryFailed(shown) : replyText(200, shown.text, undefined, versionTag(row.slots));
    const shown = foundEnvelope(call, session, model, parameters, found, began);
    return shown instanceof Promise ? shown.then(answer) : answer(shown);
  };
  const found = findRows(session, model, request, () => oneRow(model, id, parseQuery(model, parameters, session)));
  return found instanceof Promise ? found.then(show) : show(found);
}

/** The common read: one row, no parameters, so nothing to parse or to plan. */
function plain(call: Call, session: Session, model: EntityModel, request: RequestView, id: string): Shown {
  const row = findRow(session, model, request, model.idOf(FIELD_TYPES[model.key.type].of(id)));
  if (isFailure(row)) return queryFailed(row);
  if (row === undefined) return absent(model, id);
  const known = call.header('if-none-match');
  if (known !== undefined && !model.masked && names(known, versionOf(row.slots)))
    return replyText(304, '', undefined, versionTag(row.slots));
  return replyText(200, `{"data":[${model.jsonOf(row)}],"count":1}`, undefined, versionTag(row.slots));
}

/** Whether `If-None-Match` names the version; weak tags count as strong ones (RFC 9110 §13.1.2). */
function names(header: string, version: number): boolean {
  return header.split(',').some((tag) => {
    const bare = tag.trim().replace(/^W\//, '');
    return bare === '*' || bare === `"${version}"`;
  });
}

/** The file of one field, by the rules of the plain read. */
function downloaded(
  call: Call,
  session: Session,
  model: EntityModel,
  request: RequestView,
  id: string,
  field: string | undefined,
): Shown | Promise<Shown> {
  const column = fileColumn(model, field);
  if ('kind' in column) return column;
  const row = findRow(session, model, request, model.idOf(FIELD_TYPES[model.key.type].of(id)));
  if (isFailure(row)) return queryFailed(row);
  if (row === undefined) return absent(model, id);
  return download(call, row.slots[column.at] as FileRecord | null);
}

function absent(model: EntityModel, id: string): Shown {
  return refuse('v2.row_not_found', { message: `${model.name} has no row ${id}` });
}

/** A list's query narrowed to one key; order and page mean nothing then, further predicates still count. */
function oneRow(model: EntityModel, id: string, listed: Query | Failure): Query | Failure {
  if (isFailure(listed)) return listed;
  const key = equals(model.key.name, FIELD_TYPES[model.key.type].of(id) ?? null);
  const { where, select, deleted, include, unmask, counted } = listed;
  return query(model.name, { where: [key, ...where], select, deleted, include, unmask, counted, limit: 1 });
}
