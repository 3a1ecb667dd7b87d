/** A tenant that is awake on its host: its position, its product's definitions, its store, and each service's own part. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Store } from '#storage/port.ts';
import type { FineClock } from '#actors/kit/clock.ts';
import type { IdSource } from '#actors/kit/id.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { EventOutbox } from './outbox/event-outbox.ts';
import type { ChangeWatch, RowWatch, TriggerWatch } from './row-watch.ts';
import type { TokenRing } from '#actors/kit/token-ring.ts';
import type { Exclusive } from './exclusive.ts';
import type { Pulse } from './pulse.ts';
import type { TenantUse } from './tenant-use.ts';

export interface Log {
  /** Absent when debug lines are not logged. */
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a host gives an actor; an actor takes nothing from elsewhere, so that tests run it under a simulated clock. */
export interface Context {
  readonly clock: FineClock;
  readonly ids: IdSource;
  readonly log: Log;
  /** Random bytes from the system's CSPRNG (a seeded source in tests). */
  random(bytes: number): Buffer;
  /** Signing and verification keys of the token issuers that this node trusts. */
  readonly ring: TokenRing;
  /** `jwks.check_audience` of the platform file. */
  readonly checksAudience?: boolean;
  /** Where a service reports what works less than it should; absent where no main thread listens. */
  readonly degraded?: Degraded;
  /** Shows main's watchdog what the thread works on; absent in tests. */
  readonly pulse?: Pulse;
  /** Begins the measurement of a slice of long work, if slices are measured; the result is called at the slice's end, before any wait. */
  readonly beginSlice?: () => () => void;
}

/**
 * Compiles new definitions for its service, and gives the function that puts them to use. It changes nothing itself, since another follower
 * may refuse the same definitions. Throws DefinitionError naming the place.
 */
export type ProductFollower = (product: ProductDefinition) => () => void;

export interface Activation {
  readonly position: Position;
  readonly tenantNo: number;
  /** When the tenant was made here, in milliseconds; absent where no registry says. */
  readonly since?: number | undefined;
  readonly context: Context;
  /** The definitions that are served; only served-product.ts changes them, so a service that keeps something made from them follows. */
  product: ProductDefinition;
  /** The default datastore. */
  readonly store: Store;
  /** Where its events wait for the audit log; absent when nothing is recorded. */
  readonly outbox?: EventOutbox | undefined;
  /** Why only services that need no definitions answer; absent when all services do. */
  readonly withheld?: string | undefined;
  /** Whether its operators have made it read-only; the holder changes that while the tenant is awake. Absent where no registry says. */
  readonly standing?: { readonly isReadOnly: boolean } | undefined;
  /** What it uses, where that is counted. */
  readonly use?: TenantUse | undefined;
  /** Which work holds the tenant. */
  readonly exclusive: Exclusive;
  /** What watches changed rows; set by the watching service in its activate(). */
  rowWatch?: RowWatch | undefined;
  /** Where events of triggers are staged; set by the data service in its activate(). */
  triggerWatch?: TriggerWatch | undefined;
  /** Where changes are kept for subscribers; set by the data service in its activate(). */
  changeWatch?: ChangeWatch | undefined;
  /** Tasks of derived fields are committed; set in its activate() by the service that computes them, which looks soon. */
  deriveSoon?: () => void;
  /** Services that keep something made from the definitions (served-product.ts). */
  followers?: ProductFollower[];
}
