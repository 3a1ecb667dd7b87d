/** The envelope of a write: the row as it is now, or as it last existed. */
import type { Rendered } from '#actors/protocol/body.ts';
import { replyJson, type Reply } from '#actors/protocol/route.ts';
import type { Slots } from '#actors/engine/rows/codec.ts';
import { checkDatastore, type Failure } from '#actors/engine/rows/failure.ts';
import type { Parameters } from '#actors/engine/rows/parameters.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { deleteSql, insertSql, updateSql } from '#actors/engine/rows/sql.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import type { Envelope } from '../shapes.ts';
import { statesOf } from '#actors/engine/machines/possible.ts';
import { renderEnvelope, versionTag } from './envelope.ts';

/** The reply to a write of one row, its version as the ETag. */
export function writtenReply<S extends number>(
  status: S,
  session: Session,
  parameters: Parameters,
  written: Written,
  beganMs: number,
): Reply<S, Envelope> {
  const text = writtenEnvelope(session, parameters, written, beganMs);
  return replyJson(status, text, versionTag(shownSlots(written)));
}

function writtenEnvelope(
  session: Session,
  parameters: Parameters,
  written: Written,
  beganMs: number,
): Rendered<Envelope> {
  const { model } = written;
  const slots = shownSlots(written);
  const stats = () => ({
    sql: writtenSql(written),
    duration_ms: session.clock.now() - beganMs,
    total_count: 1,
    include_sql: [],
    rows_affected: written.before === written.after ? 0 : 1,
  });
  // A row that was removed has no state, and no event to fire.
  const states = () => [JSON.stringify(written.after === null ? {} : statesOf(session, model, slots))];
  return renderEnvelope(model, [model.json(slots)], null, parameters, stats, states);
}

function shownSlots({ before, after }: Written): Slots {
  return (after ?? before)!;
}

/** The statement of a write. */
export function writtenSql({ model, before, after }: Written): string {
  if (after === null) return deleteSql(model, before!);
  return before === null ? insertSql(model, after) : updateSql(model, before, after);
}

/** 422 when the parameters name another datastore. */
export function datastoreFailure(parameters: Parameters): Failure | null {
  return checkDatastore(parameters.first('datastore'));
}
