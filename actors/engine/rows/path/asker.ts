/** The caller that asks, and what of other entities a query of the asker may compare: what it may not read, it may not filter by either. */
import { grantOf, visibleTo, type Grant } from '../access.ts';
import type { Column, EntityModel } from '../model.ts';
import type { RequestView, Session } from '../session.ts';
import type { Reader } from '../store.ts';

export interface Asker {
  readonly session: Session;
  readonly request: RequestView;
}

/** An entity with the fields that the asker reads. */
export function fieldsSeen(asker: Asker | null, model: EntityModel): EntityModel {
  return asker === null ? model : model.seenBy(asker.session.principal);
}

/** The rows of another entity that the asker may see, as a list of that entity would show them; in a view, where one is given. */
export function seenOf({ session, request }: Asker, model: EntityModel, over: Reader | null = null): Grant {
  return visibleTo(session, model, requestOf(request, model), over);
}

/** Whether a query of the asker may compare a field of another entity, whose rows it may read: masked ones take the right to see them all. */
export function mayCompare({ session, request }: Asker, model: EntityModel, { mask }: Column): boolean {
  return mask === null || grantOf(session, model, 'unmask', requestOf(request, model)) === 'all';
}

function requestOf(request: RequestView, { name }: EntityModel): RequestView {
  return { ...request, operation: 'read', entity: name, id: null };
}
