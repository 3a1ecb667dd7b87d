/**
 * Brings rows in as the node itself, through the same create that every caller uses: slices that end within a turn's budget,
 * each durable before the next chunk's answer. The demo's loader sends chunks today; bulk import will.
 */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { createRow } from '../entity/create.ts';
import { isFailure } from '../entity/failure.ts';
import type { EntityModel } from '../entity/model.ts';
import type { Session } from '../entity/session.ts';
import { getSlots } from '../entity/store.ts';
import { partOf } from '../part.ts';
import { sessionAs } from '../rest/session.ts';

export interface ImportWish {
  readonly entity: string;
  readonly rows: readonly Input[];
  /** `skip` leaves a row alone whose key is there; `fail` reports it. */
  readonly present: 'skip' | 'fail';
}

export interface ImportReport {
  readonly imported: number;
  readonly skipped: number;
  /** One text per refused row, beginning with its place in the chunk. */
  readonly errors: readonly string[];
}

type Counts = { -readonly [K in keyof ImportReport]: ImportReport[K] } & { errors: string[] };

/** Imports one chunk. Throws StorageFull when the archive has no room: what was taken before stays, and a retry skips it. */
export async function importRows(work: Work, wish: ImportWish): Promise<ImportReport> {
  const session = sessionAs(work, INTERNAL, partOf(work.activation).models);
  const model = session.model(wish.entity);
  if (model === undefined) throw new Error(`no entity ${wish.entity}`);
  const counts: Counts = { imported: 0, skipped: 0, errors: [] };
  for (let from = 0; from < wish.rows.length; from += limits.data.importSliceRows) {
    if (from > 0) await session.yieldTurn();
    const to = Math.min(from + limits.data.importSliceRows, wish.rows.length);
    for (let at = from; at < to; at++) importOne(session, model, wish, at, counts);
    work.commit();
  }
  return counts;
}

function importOne(session: Session, model: EntityModel, wish: ImportWish, at: number, counts: Counts): void {
  const row = wish.rows[at]!;
  if (wish.present === 'skip' && isPresent(session, model, row)) {
    counts.skipped++;
    return;
  }
  const request = { method: 'POST', operation: 'create', entity: model.name, id: null, data: row };
  const written = createRow(session, model, row, request);
  if (isFailure(written)) counts.errors.push(`row ${at + 1}: ${written.message}`);
  else counts.imported++;
}

function isPresent(session: Session, model: EntityModel, row: Input): boolean {
  const key = row[model.key.name];
  return key !== undefined && getSlots(session.turn(), model, model.idOf(key) ?? '') !== undefined;
}
