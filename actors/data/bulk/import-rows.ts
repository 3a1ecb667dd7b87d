/** Rows that the node itself brings in (the demo's loader), in chunks, by the importer that every caller's import uses. */
import type { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { partOf } from '../part.ts';
import { sessionAs } from '../rest/session.ts';
import { Importer } from './importer.ts';

export interface ImportWish {
  readonly entity: string;
  readonly rows: readonly Input[];
  /** What to do with a row whose key exists: `skip` leaves it as it is, `fail` reports it. */
  readonly present: 'skip' | 'fail';
}

export interface RowsReport {
  readonly imported: number;
  readonly skipped: number;
  /** One text per refused row, beginning with its place in the chunk. */
  readonly errors: readonly string[];
}

/** Imports one chunk; refused rows do not stop it. Throws StorageFull when the archive has no room: nothing of the chunk is kept then. */
export async function importRows(work: Work, wish: ImportWish): Promise<RowsReport> {
  const session = sessionAs(work, INTERNAL, partOf(work.activation).models);
  const model = session.model(wish.entity);
  if (model === undefined || model.isView) throw new Error(`no entity ${wish.entity}`);
  const skipPresent = wish.present === 'skip';
  const chunkRows = Math.max(1, wish.rows.length);
  const importer = new Importer(work, session, model, { chunkRows, skipErrors: true, dryRun: false, skipPresent });
  await importer.add(wish.rows.map((input, at) => ({ line: at + 1, input, fault: '' })));
  const { imported, skipped, errors, errorsOmitted } = importer.report;
  const texts = errors.map(({ line, error }) => `row ${line}: ${error}`);
  return { imported, skipped: skipped - errors.length - errorsOmitted, errors: texts };
}
