/** Keys that the service makes. */
import type { EntityModel } from './model.ts';
import type { Session } from './session.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { IdMaker } from '#config/values/type-row.ts';

const MAKERS: Readonly<Record<IdMaker, (session: Session) => string>> = {
  ulid: ({ ids }) => ids.next(),
  uuid7: (session) => uuid7(session.clock.now(), session.random(16)),
};

/** A new key of the entity's type; undefined for types whose keys the caller must choose. */
export function newId(session: Session, model: EntityModel): string | undefined {
  const { makesIds } = FIELD_TYPES[model.key.type];
  return makesIds === null ? undefined : MAKERS[makesIds](session);
}

/** A UUID of version 7: milliseconds first, so that new rows are stored next to each other (RFC 9562 §5.7). */
function uuid7(nowMs: number, bytes: Buffer): string {
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
