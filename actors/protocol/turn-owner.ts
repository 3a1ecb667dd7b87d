/** What a changed row tells the piece of work that owns its turn: the engine writes rows without knowing the host that gives the turns. */
import type { NewAuditEvent } from './audit.ts';

/** Told how a turn ended: the newest journal number once its writes have joined the overlay, null when they were dropped. */
export type TurnEnd = (newest: number | null) => void;

export interface RowChange {
  readonly entity: string;
  /** The value of the field that the watch names for the entity. */
  readonly id: unknown;
  readonly verb: 'create' | 'update' | 'delete';
}

/** What an event tells beside who acted and when. */
export type What = Pick<NewAuditEvent, 'action' | 'target' | 'outcome' | 'data'>;

/** A class, so that one `instanceof` finds the owner of a turn: `recordChange` looks for it at every row that is written. */
export abstract class TurnOwner {
  /** What is gathered for one event of the present turn, by who records it; gone with the turn. */
  abstract gathered: unknown[] | null;

  /** Milliseconds by the tenant's clock. */
  abstract get now(): number;

  /** Whether anybody wants to know of changed rows; where not, nothing of them need be told. */
  abstract get wantsChanges(): boolean;

  /** Whether events are recorded. */
  abstract get recordsEvents(): boolean;

  /** The field by which a row of the entity is told of; undefined where nobody watches it. */
  abstract watchedKeyOf(entity: string): string | undefined;

  /** A row was changed in this turn; told to who watches its entity, in the same commit. */
  abstract changed(change: RowChange): void;

  /** Records an event, made when it is committed, in the commit of the turn. */
  abstract record(event: () => NewAuditEvent): void;

  /** An event of this work: when, by whom, on whose behalf and from where is filled in. */
  abstract event(what: What): NewAuditEvent;

  /** Calls `then` when the turn has ended. */
  abstract onEnd(then: TurnEnd): void;

  /** Tasks of derived fields are committed: who computes them looks soon. */
  abstract deriveSoon(): void;
}

/** Whose turn it is; undefined for one that no work began. */
export function ownerOf(turn: { readonly owner: object | null }): TurnOwner | undefined {
  return turn.owner instanceof TurnOwner ? turn.owner : undefined;
}
