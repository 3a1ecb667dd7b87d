/** Where the rows of views come from: a model that has no table gets a source (actors/engine/view/). */
import type { Grant } from './access.ts';
import type { Failure } from './failure.ts';
import type { Found } from './found.ts';
import type { EntityModel } from './model.ts';
import type { Query } from './query.ts';
import type { RequestView, Session } from './session.ts';

export interface RowSource {
  /** As `findRows` (read.ts), whose rules it keeps. */
  find(
    session: Session,
    request: RequestView,
    parse: () => Query | Failure,
    also: Grant,
  ): Found | Failure | Promise<Found | Failure>;
}

const sources = new WeakMap<EntityModel, RowSource>();

export function giveSource(model: EntityModel, source: RowSource): void {
  sources.set(model, source);
}

/** The source of a whole model. */
export function sourceOf(model: EntityModel): RowSource {
  const source = sources.get(model);
  if (source === undefined) throw new Error(`the view ${model.name} has no source`);
  return source;
}
