/**
 * Cursors: a place in an order, as the values of a row and its key, signed (docs/contract/data.md §5.5). A place does not move when rows
 * are added or removed, so paging by cursors neither repeats nor omits a row that was there all the time.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Slots } from '../codec.ts';
import { failure, type Failure } from '../failure.ts';
import { columnOf, termsOf } from '../filter.ts';
import type { EntityModel } from '../model.ts';
import type { OrderTerm } from '../query.ts';
import type { Session } from '../session.ts';
import { cursorKey, ensureCursorKey } from './store.ts';

const MAC_BYTES = 16;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** The cursor of a row in an order; 422 when the values of the row are too long to travel in a URL. */
export function cursorOf(
  session: Session,
  model: EntityModel,
  order: readonly OrderTerm[],
  slots: Slots,
): string | Failure {
  const terms = termsOf(model, order);
  const values = terms.map((term) => slots[columnOf(model, term).at]);
  const payload = Buffer.from(JSON.stringify(values));
  const mac = macOf(ensureCursorKey(session), model, terms, payload);
  const text = Buffer.concat([mac, payload]).toString('base64url');
  if (text.length <= limits.data.cursorCharsMax) return text;
  return failure(422, 'a value of this order is too long for a cursor: order by a shorter field', {
    parameter: 'orderby',
  });
}

/** The place of a cursor in this order; 422 for one that was made for another list, or that this tenant did not sign. */
export function placeOf(
  session: Session,
  model: EntityModel,
  order: readonly OrderTerm[],
  parameter: string,
  cursor: string,
): Slots | Failure {
  const refused = failure(422, `${parameter} is no cursor of ${model.name} in this order`, { parameter });
  if (cursor.length > limits.data.cursorCharsMax || !BASE64URL.test(cursor)) return refused;
  const key = cursorKey(session);
  const bytes = Buffer.from(cursor, 'base64url');
  if (key === undefined || bytes.length <= MAC_BYTES) return refused;
  const payload = bytes.subarray(MAC_BYTES);
  const terms = termsOf(model, order);
  if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(key, model, terms, payload))) return refused;
  return slotsOf(model, terms, JSON.parse(payload.toString()) as unknown[]);
}

/** The signed values as slots. The signature proves that they were taken from these columns, so they are not checked. */
function slotsOf(model: EntityModel, terms: readonly OrderTerm[], values: readonly unknown[]): Slots {
  const slots: Slots = model.pad([]).fill(null);
  for (const [i, term] of terms.entries()) slots[columnOf(model, term).at] = values[i];
  return slots;
}

function macOf(key: Uint8Array, model: EntityModel, terms: readonly OrderTerm[], payload: Buffer): Buffer {
  const order = terms.map((term) => [term.field, columnOf(model, term).type, term.descending]);
  return createHmac('sha256', key)
    .update(JSON.stringify([model.name, order]))
    .update('\0')
    .update(payload)
    .digest()
    .subarray(0, MAC_BYTES);
}
