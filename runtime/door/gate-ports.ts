/** What the gate is given: the rest of the door and the node, as it needs them. */
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Arrival } from './arrival.ts';
import type { CallerAddress } from './caller-address.ts';
import type { Desk } from './desk.ts';
import type { Directory } from './directory.ts';
import type { Visit } from './port.ts';
import type { RequestIds } from './request-id.ts';
import type { Suspensions } from './suspensions.ts';

/** A caller's bucket decides; null when the profile is off. */
interface RateDecision {
  /** Whether the profile limits anything. */
  has(profile: string): boolean;
  /** Refusal to send, or null when granted. */
  take(profile: string, tenantNo: number, ip: string): Refusal | null;
  /** The caller's address as far as it counts for a bucket. */
  keyOf(ip: string): string;
}

/** A request that the door answers by itself. */
interface Refused {
  readonly visit: Visit;
  readonly requestId: string;
}

export interface GatePorts {
  readonly directory: Directory;
  readonly rates: RateDecision;
  readonly ids: RequestIds;
  /** The desk of a tenant's host, of the control plane when no tenant is given, of another thread by the route's destination. */
  desk(route: CompiledRoute, tenant: TenantEntry | undefined): Desk;
  /** Routes of tenants that are refused for a while (suspensions.ts). */
  readonly suspensions?: Pick<Suspensions, 'active' | 'refusal'>;
  /** Counts an answer, for /metrics; `refused`: the visit and its id, when no thread heard of the request. */
  count(route: CompiledRoute | null, status: number, refused: Refused | null): void;
  /** The visit to go on with, where a route wants more of one (submissions). */
  dress?(arrival: Arrival): Visit;
  /** A refusal that comes before every other on a route, such as that of a missing gateway secret. */
  guard?(route: CompiledRoute, visit: Visit): Refusal | null;
  /** A refusal when the desk has no room for one more request of the route, although its rates would let it through. */
  full?(route: CompiledRoute, desk: Desk): Refusal | null;
}

/** What one listener does in its own way. */
export interface ListenerRules {
  readonly callerOf: CallerAddress;
  /** A refusal that comes before everything else on this listener, a path that nobody knows included; forms have `guard`, since theirs are counted. */
  readonly barred: ((visit: Visit) => Refusal | null) | null;
  /** What the door itself answers at paths that no route has; false when it is none of them. */
  readonly probes: ((visit: Visit) => boolean) | null;
}
