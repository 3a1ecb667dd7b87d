/** What a changed row tells the piece of work that owns its turn: the engine writes rows without knowing the host that gives the turns. */
import type { NewAuditEvent } from './audit.ts';

/** Called with how a turn ended: the newest journal number once its writes have joined the overlay, null when they were dropped. */
export type TurnEnd = (newest: number | null) => void;

export interface RowChange {
  readonly entity: string;
  /** The value of the field that the watch names for the entity. */
  readonly id: unknown;
  readonly verb: 'create' | 'update' | 'delete';
}

/** What happened to a row that a trigger watches (docs/contract/triggers.md §2). */
export interface FiredEvent {
  readonly trigger: string;
  readonly kind: 'webhook' | 'mail' | 'script';
  readonly entity: string;
  readonly event: 'created' | 'updated' | 'deleted' | 'restored';
  /** The row's id. */
  readonly key: unknown;
  /** The row's version after the change. */
  readonly version: number;
}

/**
 * What happened to a row whose entity declares `changes` (docs/contract/changes.md §2): the row's states before and after it as encoded
 * slots, null where it was not there. `lost`: a row that cannot be read was removed, so nothing is known of it.
 */
export interface FedChange {
  readonly op: 'create' | 'update' | 'delete' | 'restore' | 'lost';
  readonly entity: string;
  /** The row's id. */
  readonly id: unknown;
  /** The row's version after the change. */
  readonly version: number;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** Why a condition gave no answer, in words that hold nothing of the row. */
export interface ConditionFault {
  readonly where: string;
  readonly part: string;
  readonly why: string;
}

/** What an event says besides its actor and its time. */
export type What = Pick<NewAuditEvent, 'action' | 'target' | 'outcome' | 'data'>;

/** A class, so that one `instanceof` finds the owner of a turn: `recordChange` looks for it at every row that is written. */
export abstract class TurnOwner {
  /** Facts gathered for one event of the present turn, by the code that records it; dropped with the turn. */
  abstract gathered: unknown[] | null;

  /** How many triggers led to this work, each fired by what the one before it wrote. */
  abstract triggerDepth: number;
  /** The role as which a script changes rows now; null for changes by the caller itself. */
  runAs: string | null = null;

  /** Milliseconds by the tenant's clock. */
  abstract get now(): number;

  /** Whether a service watches changed rows; otherwise `changed` need not be called. */
  abstract get wantsChanges(): boolean;

  /** Whether events are recorded. */
  abstract get recordsEvents(): boolean;

  /** The field that names a changed row of the entity to its watcher; undefined for an entity without one. */
  abstract watchedKeyOf(entity: string): string | undefined;

  /** A row was changed in this turn; its entity's watcher stages what follows, in the same commit. */
  abstract changed(change: RowChange): void;

  /** A change of this turn fires a trigger; the event is staged in the same commit. */
  abstract fired(event: FiredEvent): void;

  /** A row was changed whose entity declares `changes`; the change is staged in the same commit. */
  abstract fed(change: FedChange): void;

  /** A trigger's condition gave no answer for a change, and so does not fire. */
  abstract conditionFailed(trigger: string, fault: ConditionFault): void;

  /** Records an event, made when it is committed, in the commit of the turn. */
  abstract record(event: () => NewAuditEvent): void;

  /** An event of this work: its time, actor, subject and origin are filled in. */
  abstract event(what: What): NewAuditEvent;

  /** The turn makes the tenant so many rows and bytes of rows larger; below 0 smaller. */
  abstract grew(rows: number, bytes: number): void;

  /** Calls `then` when the turn has ended. */
  abstract onEnd(then: TurnEnd): void;

  /** Tasks of derived fields are committed: the service that computes them looks soon. */
  abstract deriveSoon(): void;
}

/** The work whose turn it is; undefined for a turn that no work began. */
export function ownerOf(turn: { readonly owner: object | null }): TurnOwner | undefined {
  return turn.owner instanceof TurnOwner ? turn.owner : undefined;
}
