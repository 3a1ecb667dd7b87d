/** The file of one field of a row, under the rules of its caller: for signed URLs, when they are made and when they are used. */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import { admits } from '#actors/engine/rows/access.ts';
import { denied, isFailure, noEntity, noRow, type Failure } from '#actors/engine/rows/failure.ts';
import { equals, query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';
import { entityNotFound, failed } from '../rest/failed.ts';
import { requestOf, sessionOf } from '../rest/session.ts';
import type { ofFile } from '../route-refusals.ts';
import { fileColumn } from './download.ts';

type None = Refusal<(typeof ofFile)[number]>;

/** The file, or why this caller gets none. A masked field is given to callers who may unmask it. */
export async function findFile(call: Call, field: string | undefined): Promise<FileRecord | None> {
  const entity = call.param('entity');
  const id = call.param('id');
  if (entity === '' || id === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return entityNotFound(noEntity(entity));
  const column = fileColumn(model, field);
  if ('kind' in column) return column;
  const isMasked = column.mask !== null;
  const key = equals(model.key.name, FIELD_TYPES[model.key.type].of(id) ?? null);
  const one = query(model.name, { where: [key], unmask: isMasked, limit: 1 });
  const found: Found | Failure = await findRows(session, model, requestOf(call, 'read', id, null), () => one);
  if (isFailure(found)) return failed('v2.query_failed', found);
  const row = found.rows[0];
  if (row === undefined) return refuse('v2.row_not_found', { message: noRow(model.name, id).message });
  if (isMasked && !admits(found.unmasked, row.slots)) return failed('v2.query_failed', denied('unmask', model.name));
  return (row.slots[column.at] as FileRecord | null) ?? refuse('v2.field_empty');
}
