/** GET /data/rest/{entity}/id/{id}: one row, in the same envelope as a list, or the bytes of one of its files. */
import type { Call } from '#actors/host/call.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import { renderedAs, type Rendered } from '#actors/protocol/body.ts';
import { reply, replyJson, type Outcome } from '#actors/protocol/route.ts';
import { admits } from '#actors/engine/rows/access.ts';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import { versionOf, type StoredRow } from '#actors/engine/rows/codec.ts';
import { denied, isDamaged, isFailure, noEntity, noRow, type Failure } from '#actors/engine/rows/failure.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import type { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { equals, query, type Query } from '#actors/engine/rows/query.ts';
import { findRow, findRows, type Found } from '#actors/engine/rows/read.ts';
import type { RequestView, Session } from '#actors/engine/rows/session.ts';
import { download, fileColumn } from '../file/download.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import type { Envelope } from '../shapes.ts';
import { versionTag } from './envelope.ts';
import { entityNotFound, failed } from './failed.ts';
import { foundEnvelope, type Shown as Enveloped } from './found.ts';
import { parametersOf, requestOf, sessionOf } from './session.ts';

type Shown = Outcome<Routes['read']>;
type Show = (found: Found, row: StoredRow) => Shown | Promise<Shown>;

export function read(call: Call): Shown | Promise<Shown> {
  const entity = call.param('entity');
  const id = call.param('id');
  if (entity === '' || id === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return entityNotFound(noEntity(entity));
  const request = requestOf(call, 'read', id, null);
  return call.rawQuery === '' && !model.isView
    ? plain(call, session, model, request, id)
    : asked(call, session, model, request, id);
}

/** The common read: one row, no parameters, so nothing to parse or to plan. */
function plain(call: Call, session: Session, model: EntityModel, request: RequestView, id: string): Shown {
  const row = findRow(session, model, request, model.idOf(FIELD_TYPES[model.key.type].of(id)));
  if (isFailure(row)) return failed('v2.query_failed', row);
  if (row === undefined) return absent(model, id);
  const known = call.header('if-none-match');
  if (known !== undefined && model.isUniform && names(known, versionOf(row.slots)))
    return reply(304, undefined, versionTag(row.slots));
  return replyJson(200, renderRow(model, row), versionTag(row.slots));
}

/** As `renderEnvelope` writes it of one row without flags. */
function renderRow(model: EntityModel, row: StoredRow): Rendered<Envelope> {
  return renderedAs(`{"data":[${model.jsonOf(row)}],"count":1}`);
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
  const show = parameters.flag('download')
    ? downloading(call, model, parameters)
    : enveloping(call, session, model, parameters);
  if (typeof show !== 'function') return show;
  const one = (found: Found | Failure): Shown | Promise<Shown> => {
    if (isFailure(found)) return failed('v2.query_failed', found);
    const row = found.rows[0];
    return row === undefined ? leftOut(session, model, request, id) : show(found, row);
  };
  const found = findRows(session, model, request, () =>
    oneRow(model, id, parseQuery(model, parameters, session, NO_CONDITIONS, { session, request })),
  );
  return found instanceof Promise ? found.then(one) : one(found);
}

function enveloping(call: Call, session: Session, model: EntityModel, parameters: Parameters): Show {
  const began = session.clock.now();
  return (found, row) => {
    const answer = (shown: Enveloped | Failure): Shown =>
      isFailure(shown)
        ? failed('v2.query_failed', shown)
        : replyJson(200, shown.text, model.isView ? undefined : versionTag(row.slots));
    const shown = foundEnvelope(call, session, model, parameters, found, began);
    return shown instanceof Promise ? shown.then(answer) : answer(shown);
  };
}

/** The file of one field. A masked one is given to callers who may unmask it, and ask to. */
function downloading(call: Call, model: EntityModel, parameters: Parameters): Show | Shown {
  const column = fileColumn(model, parameters.first('field'));
  if ('kind' in column) return column;
  return ({ unmasked }, { slots }) =>
    mayShow(column, () => admits(unmasked, slots))
      ? download(call, slots[column.at] as FileRecord | null)
      : failed('v2.query_failed', denied('unmask', model.name));
}

function mayShow({ mask }: Column, isUnmasked: () => boolean): boolean {
  return mask === null || isUnmasked();
}

/** Whether `If-None-Match` names the version; weak tags count as strong ones (RFC 9110 §13.1.2). */
function names(header: string, version: number): boolean {
  return header.split(',').some((tag) => {
    const bare = tag.trim().replace(/^W\//, '');
    return bare === '*' || bare === `"${version}"`;
  });
}

/** Where the query found nothing: 404, or the damage of the row, since queries leave out rows that cannot be read. */
function leftOut(session: Session, model: EntityModel, request: RequestView, id: string): Shown {
  if (model.isView) return absent(model, id);
  const one = findRow(session, model, request, model.idOf(FIELD_TYPES[model.key.type].of(id)));
  return isDamaged(one) ? failed('v2.query_failed', one) : absent(model, id);
}

function absent(model: EntityModel, id: string): Shown {
  return refuse('v2.row_not_found', { message: noRow(model.name, id).message });
}

/** A list's query narrowed to one key; order and page mean nothing then, further predicates still count. */
function oneRow(model: EntityModel, id: string, listed: Query | Failure): Query | Failure {
  if (isFailure(listed)) return listed;
  const key = equals(model.key.name, FIELD_TYPES[model.key.type].of(id) ?? null);
  const { where, select, deleted, include, unmask, counted, version } = listed;
  return query(model.name, { where: [key, ...where], select, deleted, include, unmask, counted, version, limit: 1 });
}
