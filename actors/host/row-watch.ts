/** Who is told of changed rows in the commit that changes them: a service that owes others word of it, whoever writes. */
import type { Turn } from '#storage/port.ts';
import type { RowChange } from '#actors/protocol/turn-owner.ts';

export interface RowWatch {
  /** The field by which a row of the entity is told of; undefined where nobody wants to know. */
  keyOf(entity: string): string | undefined;
  /** Stages what follows from the changes of one commit, in that commit. */
  stage(turn: Turn, changes: readonly RowChange[]): void;
  /** The commit is made; `newest` is its journal number. */
  committed(newest: number): void;
}
