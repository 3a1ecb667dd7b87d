/** PATCH /data/bulk: rows of a query as a body of any length, made while the caller reads (docs/contract/data.md §7.1, §7.3). */
import type { Bound } from '#actors/kit/bound.ts';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { renderedInPieces } from '#actors/protocol/body.ts';
import { replyJsonStream, replyStream, type Outcome } from '#actors/protocol/route.ts';
import { PIECE_BYTES } from '#actors/protocol/stream.ts';
import type { Slots } from '#actors/engine/rows/codec.ts';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import { shownColumns, type ShownColumn } from '#actors/engine/rows/path/select.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { READ_SLICE } from '#actors/engine/rows/pace.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { walkRows, type Batches } from '#actors/engine/rows/walk.ts';
import { busy } from '../refusals.ts';
import { failed } from '../rest/failed.ts';
import { sessionOf } from '../rest/session.ts';
import type { Routes } from '../routes.ts';
import type { Exported } from '../shapes.ts';
import { CONTENT_TYPES, type Format } from './format.ts';
import { targetOf, type BulkParameters, type BulkTarget } from './parameters.ts';
import { csvHead, csvWriterOf } from './write-csv.ts';

/** `exports` bounds how many run at once on this thread. */
export async function exportBulk(call: Call, exports: Bound): Promise<Outcome<Routes['export']>> {
  const target = targetOf(call);
  if (isRefusal(target)) return target;
  const { parameters, model, format } = target;
  const session = sessionOf(call);
  const request = { method: 'PATCH', operation: 'read', entity: model.name, id: null, data: null };
  const query = queryOf(model, parameters, { session, request });
  if (isFailure(query)) return failed('v2.query_failed', query);
  if (exports.full) return busy('too many exports run now');
  const batches = await walkRows(session, model, request, query);
  if (isFailure(batches)) return failed('v2.query_failed', batches);
  const cut = parameters.limit === null && (await isCut(call, exports, model, query));
  const pieces = counted(textOf(writerOf(target, query), batches, pauseOf(session, model, query)), exports);
  const headers: Readonly<Record<string, string>> = {
    ...(format === 'csv' && { 'Content-Disposition': `attachment; filename=${model.name}.csv` }),
    ...(cut && { 'X-Truncated': 'true' }),
  };
  const stream = { length: null, pieces };
  return format === 'json'
    ? replyJsonStream(200, renderedInPieces<Exported>(stream), headers)
    : replyStream(200, stream, CONTENT_TYPES[format], headers);
}

/**
 * Whether an export without a limit leaves rows out. The header that says so is sent before the rows, so they are walked once beforehand, up to
 * the default limit; a caller that names a limit knows where the rows end.
 */
async function isCut(call: Call, exports: Bound, model: EntityModel, query: Query): Promise<boolean> {
  const request = { method: 'PATCH', operation: 'read', entity: model.name, id: null, data: null };
  exports.take();
  try {
    const batches = await walkRows(sessionOf(call), model, request, { ...query, limit: query.limit + 1 });
    if (isFailure(batches)) return false;
    let count = 0;
    for await (const rows of batches) count += rows.length;
    return count > query.limit;
  } finally {
    exports.give();
  }
}

/** The query of an export: it takes some of a list's parameters; its `limit` has another default and no upper bound. */
function queryOf(model: EntityModel, parameters: BulkParameters, asker: Asker): Query | Failure {
  const known = new URLSearchParams();
  for (const filter of parameters.all('filter')) known.append('filter', filter);
  const orderby = parameters.first('orderby', 'order_by');
  const fields = parameters.first('fields', 'select');
  if (orderby !== null) known.set('orderby', orderby);
  if (fields !== null) known.set('fields', fields);
  const { limit } = parameters;
  if (isFailure(limit)) return limit;
  const query = parseQuery(model, new Parameters(known), null, NO_CONDITIONS, asker);
  return isFailure(query) ? query : { ...query, limit: limit ?? limits.data.exportRows };
}

interface Writer {
  readonly head: string;
  readonly row: (slots: Slots) => string;
  /** Between two rows. */
  readonly between: string;
  readonly tail: string;
}

function writerOf({ format, model, parameters }: BulkTarget, { select }: Query): Writer {
  const columns = select === null ? model.columns : shownColumns(model, select);
  return WRITERS[format](columns, parameters.escapesFormulas);
}

const WRITERS: Readonly<Record<Format, (columns: readonly ShownColumn[], escapeFormulas: boolean) => Writer>> = {
  json: (columns) => ({ head: '[', row: jsonWriterOf(columns), between: ',', tail: ']' }),
  jsonl: (columns) => {
    const json = jsonWriterOf(columns);
    return { head: '', row: (slots) => `${json(slots)}\n`, between: '', tail: '' };
  },
  csv: (columns, escapeFormulas) => ({
    head: csvHead(columns),
    row: csvWriterOf(columns, { escapeFormulas }),
    between: '',
    tail: '',
  }),
};

/** Called after each row where rows have computed fields, which take their time: other turns run between the rows of a batch then. Null where there are none. */
function pauseOf(session: Session, model: EntityModel, { select }: Query): (() => Promise<void> | null) | null {
  if (select === null || !select.some((name) => model.computed.has(name))) return null;
  const pace = new Budget(session.clock, READ_SLICE);
  return () => (pace.spend(1) ? session.yieldTurn().then(() => pace.next()) : null);
}

/** Rows as pieces of text. Also after a fault only whole rows have been sent. */
async function* textOf(
  { head, row, between, tail }: Writer,
  batches: Batches,
  pause: (() => Promise<void> | null) | null,
): AsyncGenerator<Uint8Array> {
  let text = head;
  let first = true;
  for await (const rows of batches) {
    for (const { slots } of rows) {
      text += first ? row(slots) : between + row(slots);
      first = false;
      if (pause !== null) await pause();
    }
    if (text.length < PIECE_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + tail);
}

/** Counts an export from its first piece on: for an answer that is never read the end would not come either. */
async function* counted(pieces: AsyncGenerator<Uint8Array>, exports: Bound): AsyncGenerator<Uint8Array> {
  exports.take();
  try {
    yield* pieces;
  } finally {
    exports.give();
  }
}
