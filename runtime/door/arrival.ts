/**
 * One request on its way through the gate: from the route that it has found to its answer. It is the only object that the gate makes of a
 * request that needs no body, and every one has the same fields in the same order, so that the code that handles them stays fast.
 */
import type { CompiledRoute } from '#actors/host/call.ts';
import { NO_POSITION } from '#actors/protocol/frame.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { CallerAddress } from './caller-address.ts';
import { Desk } from './desk.ts';
import type { DoorStream } from './door-stream.ts';
import type { Visit } from './port.ts';

/** The desk of a request that has none yet: it has no thread, so that nothing could be sent to it. */
const NO_DESK = new Desk('none');

export class Arrival {
  /** The visit as the server gave it; of a form, the one that open-doors.ts puts around it. */
  visit: Visit;
  readonly requestId: string;
  readonly route: CompiledRoute;
  /** Its place among METHODS; their number for a verb that the route answers without declaring it. */
  readonly method: number;
  /** Path parameters, as the router gives them. */
  readonly params: string;
  /** The active tenant at the request's position. */
  tenant: TenantEntry | undefined = undefined;
  /** The tenant's number, or why there is none (NO_POSITION, MALFORMED_POSITION, …). */
  tenantNo: number = NO_POSITION;
  /** Its body crosses to the thread in pieces. */
  streams = false;
  /** The credential; empty for routes that take none, and once it was sent. */
  authorization = '';
  /** Further headers for the thread (extra-headers.ts); empty once they were sent. */
  extra = '';
  desk: Desk = NO_DESK;
  /** Its body or its answer goes in pieces. */
  stream: DoorStream | null = null;
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

  /** The caller's address, found out once: it costs a call into the server, and bucket, log line and thread all ask for it. */
  callerIp(): string {
    return (this.#callerIp ??= this.#addressOf(this.visit));
  }
}
