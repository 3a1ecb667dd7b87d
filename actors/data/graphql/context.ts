/** What the resolvers of one GraphQL request share. */
import type { AccessOperation } from '#config/definitions/product.ts';
import type { Row, StoredRow } from '#actors/engine/rows/codec.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { findRow } from '#actors/engine/rows/read.ts';
import type { RequestView, Session } from '#actors/engine/rows/session.ts';
import { findViewRow } from '#actors/engine/view/find-row.ts';
import { queryError } from './errors.ts';
import type { Slices } from './slices.ts';

/** What a point read costs, in values of an answer. */
const POINT_COST = 5;

const METHODS = {
  read: 'GET',
  unmask: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  purge: 'DELETE',
  restore: 'POST',
};

/** What rules see: the request that REST would have made, so that a rule decides the same on both ways. */
export function requestAs(operation: AccessOperation, model: EntityModel, id: unknown, data: unknown): RequestView {
  return { method: METHODS[operation], operation, entity: model.name, id, data };
}

export class Context {
  /** Where rows are read: all in one view. */
  readonly session: Session;
  /** The call's own session: where records for cursors are read and made. */
  readonly live: Session;
  readonly slices: Slices;
  /** What the mutations of the request wrote, by their key in the answer; null while they are being written. */
  written: ReadonlyMap<string, Row> | null = null;
  /** Where mutations put what they write. */
  readonly writing = new Map<string, Row>();
  /** The first fault of a resolver: the request then has no answer. */
  fault: unknown = null;
  readonly #rows = new Map<EntityModel, Map<unknown, Row | null | Promise<Row | null>>>();

  constructor(session: Session, live: Session, slices: Slices) {
    this.session = session;
    this.live = live;
    this.slices = slices;
  }

  /** The row under a key, read once in a request however many others refer to it; null when it is not there or hidden. */
  row(model: EntityModel, id: unknown): Row | null | Promise<Row | null> {
    let rows = this.#rows.get(model);
    if (rows === undefined) this.#rows.set(model, (rows = new Map()));
    let row = rows.get(id);
    if (row === undefined) rows.set(id, (row = this.slices.run(POINT_COST, () => this.#read(model, id))));
    return row;
  }

  #read(model: EntityModel, id: unknown): Row | null | Promise<Row | null> {
    const request = requestAs('read', model, id, null);
    const shaped = (found: StoredRow | undefined | Failure): Row | null => {
      if (isFailure(found)) throw queryError(found);
      return found === undefined ? null : model.shape(found.slots);
    };
    if (!model.isView) return shaped(findRow(this.session, model, request, model.idOf(id)));
    const found = findViewRow(this.session, model, request, id);
    return found instanceof Promise ? found.then(shaped) : shaped(found);
  }
}
