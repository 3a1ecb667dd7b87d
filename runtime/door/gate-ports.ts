/** What the gate needs of the rest of the door and of the node. */
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Arrival } from './arrival.ts';
import type { CallerAddress } from './caller-address.ts';
import type { Desk } from './desk.ts';
import type { Directory } from './directory.ts';
import type { DoorTrace } from './door-trace.ts';
import type { PageOrigins } from './page-origins.ts';
import type { Visit } from './port.ts';
import type { RequestIds } from './request-id.ts';
import type { Sites } from './sites.ts';
import type { Suspensions } from './suspensions.ts';

/** The rate limits, as the gate asks them. */
export interface RateDecision {
  /** Whether the profile limits anything. */
  has(profile: string): boolean;
  /** Refusal to send, or null when granted. */
  take(profile: string, tenantNo: number, ip: string): Refusal | null;
  /** The part of a caller's address that shares a bucket. */
  keyOf(ip: string): string;
}

/** Which requests are traced, as the gate asks it. */
interface Traces {
  /** Null for a request that is not traced. */
  begin(visit: Visit): DoorTrace | null;
  /** The pseudo header for the request's thread. */
  lineOf(trace: DoorTrace): string;
}

/** A request as it is answered. */
export interface Answered {
  readonly visit: Visit;
  readonly requestId: string;
  /** Null where its path or verb has none. */
  readonly route: CompiledRoute | null;
  /** The active tenant at its position; undefined where there is none, or where the door refused it before it looked. */
  readonly tenant: TenantEntry | undefined;
  /** Its span; null unless it is traced. */
  readonly trace: DoorTrace | null;
}

export interface GatePorts {
  readonly directory: Pick<Directory, 'get' | 'reasonFor'>;
  readonly rates: RateDecision;
  readonly ids: RequestIds;
  /** `isSent`: the door of another node has sent the request here. The desk of a tenant's host, of the control plane when no tenant is given, of another thread by the route's destination. */
  desk(route: CompiledRoute, tenant: TenantEntry | undefined, isSent: boolean): Desk;
  /** Routes of tenants that are refused for a while (suspensions.ts). */
  readonly suspensions?: Pick<Suspensions, 'active' | 'refusal'>;
  /** Counts a request that a tenant is about to get, or gives the refusal of its quota; absent where nothing is counted. */
  readonly usage?: { request(tenant: TenantEntry): Refusal | null };
  /** Told of each answer as it leaves, or of its head when its body follows in pieces. `byDoor`: the request reached no thread. */
  answered(request: Answered, status: number, byDoor: boolean): void;
  /** Which requests are traced; null where none is. */
  readonly traces?: Traces | null;
  /** The origins whose pages may call routes; null where there are none. */
  readonly pages?: Pick<PageOrigins, 'dressOther' | 'kept' | 'preflight'> | null;
  /** Whether words of the threads reach this door, on which answers that it keeps depend (kept-answers.ts); absent: they do. */
  readonly mayKeep?: () => boolean;
  /** Wraps the visit, where a route needs more of one (submissions, pages of other origins). */
  dress?(arrival: Arrival): Visit;
  /** A refusal that comes before every other on a route, such as that of a missing gateway secret. */
  guard?(route: CompiledRoute, visit: Visit): Refusal | null;
  /** Further lines ahead of those for the thread, where the request may go to another node (runtime/link/). Asked once for each request that is sent on, within the handler's synchronous part. */
  readonly carries?: ((arrival: Arrival) => string) | null;
  /** A refusal when the desk has no room for one more request of the route; asked after the rate limits. */
  full?(route: CompiledRoute, desk: Desk): Refusal | null;
}

/** The rules in which listeners differ. */
export interface ListenerRules {
  readonly callerOf: CallerAddress;
  /** A refusal before everything else on this listener, even at unknown paths. Forms have `guard` instead, since their refusals are counted. */
  readonly barred: ((visit: Visit) => Refusal | null) | null;
  /** Answers at paths that belong to the door and to no route; false for every other path. */
  readonly probes: ((visit: Visit) => boolean) | null;
  /** Hosts that are one tenant's each; null where none is declared, or where they do not count. */
  readonly sites: Pick<Sites, 'at'> | null;
  /** Answers requests at paths without a route; null where no site has files. */
  readonly files: { answer(visit: Visit, requestId: string, callerOf: CallerAddress): boolean } | null;
}
