/**
 * What one subscriber is told of a stretch of changes: those of its entity and its conditions of which it may see the row before or after, by the rules
 * of now. Both states are judged, so that a row that leaves its view is told as gone, and what it never could see is not told at all
 * (docs/contract/changes.md §5). Pure but for the rules' own reads.
 */
import { limits } from '#config/limits.ts';
import { PIECE_BYTES } from '#actors/protocol/stream.ts';
import { hasFuelForRow } from '#actors/kit/pace/fuel.ts';
import { admits, visibleTo, type Grant } from '#actors/engine/rows/access.ts';
import { isDeleted, type Slots, type StoredRow } from '#actors/engine/rows/codec.ts';
import { denied, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { filterOf, type Admits } from '#actors/engine/rows/filter.ts';
import { jsonText, jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { boundTo, crossingFault } from '#actors/engine/rows/path/bind.ts';
import { shownColumns } from '#actors/engine/rows/path/select.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { unmaskedFor } from '#actors/engine/rows/read.ts';
import type { RequestView, Session } from '#actors/engine/rows/session.ts';
import type { KeptChange, LogView } from './log-view.ts';
import type { Wish } from './wish.ts';

/** A wish as its caller may have it under the models and the principal of now. */
export interface Reading {
  readonly session: Session;
  readonly request: RequestView;
  /** The entity as the caller sees it. */
  readonly model: EntityModel;
  readonly query: Query;
  readonly write: (row: StoredRow) => string;
}

/** 403 and 422 as a list of the same conditions has them. */
export function readingOf(session: Session, model: EntityModel, wish: Wish): Reading | Failure {
  const request: RequestView = { method: 'GET', operation: 'read', entity: model.name, id: null, data: null };
  if (visibleTo(session, model.whole, request) === 'none') return denied('read', model.name);
  const query = wish.queryOf(model, { session, request });
  if (isFailure(query)) return query;
  const fault = crossingFault(query) ?? unmaskedFor(session, model, request, query);
  if (isFailure(fault)) return fault;
  return { session, request, model, query, write: writerOf(model, query) };
}

function writerOf(model: EntityModel, { select }: Query): (row: StoredRow) => string {
  if (select === null) return model.jsonOf;
  const write = jsonWriterOf(shownColumns(model, select));
  return ({ slots }) => write(slots);
}

/** One change as a subscriber is told of it, as JSON; and its row, null where the caller does not see it now. */
export interface Told {
  readonly seq: number;
  readonly text: string;
  readonly row: StoredRow | null;
}

export interface Stretch {
  readonly told: readonly Told[];
  /** Every change up to here was judged. */
  readonly scanned: number;
  /** Whether further ones follow. */
  readonly more: boolean;
}

/** What a reading shows of the changes behind `scanned`, at most `most` of them. Throws OutOfFuel where one change alone takes more than a slice has. */
export function stretchOf(reading: Reading, view: LogView, scanned: number, most: number): Stretch {
  const { session, request, model, query, write } = reading;
  const grant = visibleTo(session, model.whole, request, view.reader);
  const judge = (): Stretch => judged(reading, view, grant, scanned, most);
  // Those who see all rows in the same form are told the same.
  return grant === 'all' && asksForAll(query) ? view.once(write, `${scanned} ${most}`, judge) : judge();
}

const asksForAll = ({ where, any, far }: Query): boolean => where.length === 0 && any.length === 0 && far.length === 0;

function judged(
  { session, request, model, query, write }: Reading,
  view: LogView,
  grant: Grant,
  scanned: number,
  most: number,
): Stretch {
  const told: Told[] = [];
  const filter = filterOf(model.whole, boundTo(view.reader, { session, request }, model.whole, query, false));
  const sight: Admits = (slots) => !isDeleted(slots) && filter(slots) && admits(grant, slots);
  let at = scanned;
  let chars = 0;
  let looked = 0;
  for (const change of view.after(scanned)) {
    const isFull = told.length === most || chars >= PIECE_BYTES || looked === limits.changes.roundRows;
    if (isFull || !hasFuelForRow()) return { told, scanned: at, more: true };
    looked++;
    if (change.entry.entity === model.name) {
      const one = toldOf(change, view, sight, model.whole, write);
      if (one === undefined) return { told, scanned: at, more: true };
      if (one !== null) told.push(one);
      chars += one?.text.length ?? 0;
    }
    at = change.seq;
  }
  return { told, scanned: Math.max(at, view.seq), more: false };
}

/** The change as it is told, null for one that the caller does not see; undefined where too little fuel is left to say. */
function toldOf(
  change: KeptChange,
  view: LogView,
  sees: Admits,
  model: EntityModel,
  write: (row: StoredRow) => string,
): Told | null | undefined {
  const was = sightOfState(change.before(model), sees);
  if (!hasFuelForRow()) return undefined;
  const is = sightOfState(change.after(model), sees);
  if (!was && !is) return null;
  if (!hasFuelForRow()) return undefined;
  const { entity, id, version, tx, op } = change.entry;
  const row = is ? change.now(view.reader, model) : undefined;
  const shown = row !== undefined && sees(row.slots) ? row : null;
  const text =
    `{"seq":${change.seq},"op":"${is ? op : 'gone'}","entity":${JSON.stringify(entity)},"id":${jsonText(id)}` +
    `,"version":${version},"tx":${tx},"row":${shown === null ? 'null' : change.written(shown, write)}}`;
  return { seq: change.seq, text, row: shown };
}

const sightOfState = (slots: Slots | null, sees: Admits): boolean => slots !== null && sees(slots);
