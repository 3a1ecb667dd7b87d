/** What the readers of a trigger's parts share: where it stands, what it may refer to, and how a problem is said. */
import type { Path, Problem } from '../problem.ts';
import type { Tree } from '../tree.ts';
import type { ActionDefinition, EntityDefinition } from './product.ts';
import type { RoleCatalogue } from './roles-section.ts';
import type { TriggerTarget } from './trigger-shapes.ts';

export type SayTrigger = (path: Path, message: string, mend: string) => void;

/** For what a trigger does. */
export interface TargetPlace {
  readonly file: string;
  readonly tree: Tree;
  /** Undefined where product.yaml declares none, null where it has problems of its own. */
  readonly roles: RoleCatalogue | undefined | null;
  /** Null where some have problems of their own. */
  readonly actions: readonly ActionDefinition[] | null;
  /** Entities without problems, and the names of all that are declared. */
  readonly entities: readonly EntityDefinition[];
  readonly names: readonly string[];
  readonly say: SayTrigger;
  readonly problems: Problem[];
}

/** For what fires a trigger. */
export interface TriggerHead {
  readonly name: string;
  /** Null where it has a problem, which was said. */
  readonly target: TriggerTarget | null;
  readonly tree: Tree;
  readonly say: SayTrigger;
}
