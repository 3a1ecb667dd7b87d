/** What a service room gives to the host. */
import type { Store } from '#storage/port.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Outcome, Reply, RouteRow, RouteTable } from '#actors/protocol/route.ts';
import type { Activation } from './activation.ts';
import type { Call } from './call.ts';
import type { Outboxes } from './outbox/outboxes.ts';
import type { Why } from './why.ts';
import type { Work } from './work.ts';

export type Handler<R extends RouteRow> = (call: Call) => Outcome<R> | Promise<Outcome<R>>;

/** One handler per route row: a missing handler, an undeclared status and an undeclared refusal are compile errors. */
export type Handlers<T extends RouteTable> = { readonly [K in keyof T]: Handler<T[K]> };

export type AnyHandler = (call: Call) => Reply | Refusal | Promise<Reply | Refusal>;

export interface Service {
  readonly name: string;
  readonly routes: RouteTable;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Checks the credential. Runs before the handler on routes whose `auth` is not `none`; null stands for no credential. */
  authenticate(call: Call): Principal | null | Refusal;
  /** What the caller gets when the service's turn could not run: a full overlay or mailbox, more work than one turn may do, an unknown fault. */
  unavailable(call: Call, why: Why): Refusal;
  /** What the node itself may ask of a tenant's actor (topic `actor.ask`), by verb; never reachable over HTTP. */
  readonly asks?: Readonly<Record<string, (work: Work, body: never) => unknown>>;
  /** Outboxes: what has to leave the node because its tenants have committed it. */
  readonly outboxes?: Outboxes;
  /** Whether it answers although the tenant's definitions cannot be used (`Activation.withheld`). */
  readonly needsNoDefinitions?: true;
  /** Called when a host has opened a tenant's store: looks for work that a crash left, without waking the tenant. */
  readonly resume?: (store: Store, tenantNo: number) => void;
  /** The node is about to stop: answers that last end now, and there are no further ones. */
  readonly retire?: () => void;
  /**
   * Loads code that only some requests need. A thread loads it once it has opened, or earlier while it is the spare: loading holds a thread
   * for a tenth of a second, longer when the files are not in memory, and every tenant of the thread would wait for the first of these
   * requests.
   */
  readonly loads?: () => Promise<unknown>;
  /**
   * Builds the service's part of a tenant's activation (definitions compiled, checkers ready). Called once per activation;
   * what takes more than a turn's time is done in slices, and the tenant's calls wait for it.
   */
  activate(activation: Activation): void | Promise<void>;
}

/** Keeps the literal types of a service's rows while it is handed over as data. */
export function defineService<T extends RouteTable>(
  service: Omit<Service, 'routes' | 'handlers'> & { readonly routes: T; readonly handlers: Handlers<T> },
): Service {
  return service;
}
