/** One row of a view. */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { StoredRow } from '../rows/codec.ts';
import { isFailure, type Failure } from '../rows/failure.ts';
import type { Found } from '../rows/found.ts';
import type { EntityModel } from '../rows/model.ts';
import { equals, query } from '../rows/query.ts';
import { findRows } from '../rows/read.ts';
import type { RequestView, Session } from '../rows/session.ts';

type One = StoredRow | undefined | Failure;

/** The row of a view under a key, as `findRow` gives that of an entity; at once unless the statement is long. */
export function findViewRow(
  session: Session,
  model: EntityModel,
  request: RequestView,
  id: unknown,
): One | Promise<One> {
  const where = [equals(model.key.name, FIELD_TYPES[model.key.type].of(id) ?? null)];
  const one = (found: Found | Failure): One => (isFailure(found) ? found : found.rows[0]);
  const found = findRows(session, model, request, () => query(model.name, { where, limit: 1 }));
  return found instanceof Promise ? found.then(one) : one(found);
}
