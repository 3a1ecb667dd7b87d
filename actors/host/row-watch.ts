/** A watch over changed rows: the watching service stages what follows (such as deliveries of webhooks) in the commit that changes them. */
import type { Turn } from '#storage/port.ts';
import type { ConditionFault, FedChange, FiredEvent, RowChange } from '#actors/protocol/turn-owner.ts';

export interface RowWatch {
  /** The field that names a changed row of the entity; undefined for an entity that is not watched. */
  keyOf(entity: string): string | undefined;
  /** Stages what follows from the changes of one commit, in that commit. */
  stage(turn: Turn, changes: readonly RowChange[]): void;
  /** The commit is made; `newest` is its journal number. */
  committed(newest: number): void;
}

/** Where events of triggers are staged. */
export interface TriggerWatch {
  /** Stages the events of one commit, in that commit. */
  stage(turn: Turn, fired: readonly FiredEvent[]): void;
  conditionFailed(trigger: string, fault: ConditionFault): void;
}

/** Where changes are kept for subscribers. */
export interface ChangeWatch {
  /** Stages the changes of one commit, in that commit and in their order. */
  stage(turn: Turn, changes: readonly FedChange[]): void;
}
