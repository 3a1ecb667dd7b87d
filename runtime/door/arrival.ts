/**
 * One request on its way through the gate, from its matched route to its answer. For a request without a body it is the only object that the
 * gate allocates, and all have the same fields in the same order, so that V8 gives them one shape.
 */
import type { CompiledRoute } from '#actors/host/call.ts';
import { NO_POSITION } from '#actors/protocol/frame.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { CallerAddress } from './caller-address.ts';
import { Desk } from './desk.ts';
import type { DoorTrace } from './door-trace.ts';
import type { DoorStream } from './door-stream.ts';
import type { Visit } from './port.ts';

/** Stands in until a request has its desk: it has no thread, so nothing can be sent to it. */
const NO_DESK = new Desk('none');

export class Arrival {
  /** The visit as the server gave it; for a form, the SubmissionVisit that open-doors.ts puts around it. */
  visit: Visit;
  readonly requestId: string;
  readonly route: CompiledRoute;
  /** The index in METHODS; METHODS.length for a verb that the route answers without declaring it. */
  readonly method: number;
  /** Path parameters, as the router gives them. */
  readonly params: string;
  /** The active tenant at the request's position. */
  tenant: TenantEntry | undefined = undefined;
  /** The tenant's number, or why there is none (NO_POSITION, MALFORMED_POSITION, …). */
  tenantNo: number = NO_POSITION;
  /** Its body crosses to the thread in pieces. */
  streams = false;
  /** The door of another node has sent it over a link: it is sent to no third one. */
  isSent = false;
  /** The Authorization header, or the bearer of a site's cookie; empty for routes that take no credential, and once it was sent to the thread. */
  authorization = '';
  /** Further headers for the thread (extra-headers.ts); empty once they were sent to it. */
  extra = '';
  /** A refusal that comes before every other; null unless the door's view of the request has one. */
  refusal: Refusal | null = null;
  desk: Desk = NO_DESK;
  /** Null unless its body or its answer crosses in pieces. */
  stream: DoorStream | null = null;
  /** Null unless it is traced. */
  trace: DoorTrace | null = null;
  readonly #addressOf: CallerAddress;
  #callerIp: string | null = null;

  constructor(
    visit: Visit,
    requestId: string,
    route: CompiledRoute,
    method: number,
    params: string,
    addressOf: CallerAddress,
  ) {
    this.visit = visit;
    this.requestId = requestId;
    this.route = route;
    this.method = method;
    this.params = params;
    this.#addressOf = addressOf;
  }

  /** The caller's address, kept after the first call: bucket, log line and thread all need it, and it costs a call into the server. */
  callerIp(): string {
    return (this.#callerIp ??= this.#addressOf(this.visit));
  }
}
