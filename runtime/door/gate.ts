/**
 * What the door decides by itself before a thread hears of a request: body cap 413, route bare 404, position 400, rate 429
 * (docs/contract/common.md §3.3). It parses no JSON; its own bodies are the refusal rows of refusals.ts.
 */
import { limits } from '#config/limits.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { renderOutcome } from '#actors/host/render.ts';
import type { Body, Flat } from '#actors/protocol/frame.ts';
import {
  INACTIVE_TENANT,
  MALFORMED_POSITION,
  NO_POSITION,
  REPLY_STRIDE,
  STREAM,
  STREAMED,
} from '#actors/protocol/frame.ts';
import { isSegment } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { METHODS } from '#actors/protocol/method.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { bySocket } from './caller-address.ts';
import type { CallerAddress } from './caller-address.ts';
import { preflightLines } from './cors.ts';
import type { Desk } from './desk.ts';
import { DoorStream } from './door-stream.ts';
import { extraHeaders } from './extra-headers.ts';
import type { GatePorts, ListenerRules } from './gate-ports.ts';
import { PendingVisits } from './pending.ts';
import type { Waiting } from './pending.ts';
import type { Visit, VisitHandler, VisitWatcher } from './port.ts';
import { refuseAtDoor, refuseTooLarge, refuseTooSlow } from './refusals.ts';
import type { Suspensions } from './suspensions.ts';
import type { PathMatch, Router } from '#actors/protocol/router.ts';

const JSON_LINES = 'Content-Type: application/json; charset=utf-8\n';
const methodIndex = new Map<string, number>(METHODS.map((method, i) => [method, i]));

const NONE_SUSPENDED = { active: 0, refusal: () => null };

export class Gate implements VisitWatcher {
  readonly #ports: GatePorts;
  readonly #pending = new PendingVisits();
  readonly #routes: readonly CompiledRoute[];
  readonly #suspensions: Pick<Suspensions, 'active' | 'refusal'>;
  /** By route: whether its profile limits anything. The others need no caller's address, which is not cheap. */
  readonly #limited: readonly boolean[];

  constructor(routes: readonly CompiledRoute[], ports: GatePorts) {
    this.#routes = routes;
    this.#ports = ports;
    this.#suspensions = ports.suspensions ?? NONE_SUSPENDED;
    this.#limited = routes.map(({ row }) => row.rate !== undefined && ports.rates.has(row.rate));
  }

  /** Requests that wait for a thread. */
  get inFlight(): number {
    return this.#pending.count;
  }

  /** The request that waits under a number, for people who ask what a thread is at; null when there is none. */
  waitingAt(no: number): { readonly path: string; readonly requestId: string } | null {
    const waiting = no < 0 ? null : this.#pending.at(no);
    return waiting === null ? null : { path: waiting.visit.path, requestId: waiting.requestId };
  }

  /** The handler of one listener, whose router gives route numbers of this gate. */
  handler(router: Router, rules: Partial<ListenerRules> = {}): VisitHandler {
    const all = { callerOf: bySocket, barred: null, probes: null, ...rules };
    return (visit) => this.#visit(router, all, visit);
  }

  /** Takes a batch of reply records, or one stream message. */
  replies(batch: Flat): void {
    if (batch[0] === STREAM) {
      this.#streamed(batch);
      return;
    }
    for (let i = 1; i < batch.length; i += REPLY_STRIDE) {
      if (typeof batch[i + 3] === 'number') {
        this.#beginPieces(batch, i);
        continue;
      }
      const waiting = this.#pending.settle(batch[i] as number);
      if (waiting === null) continue;
      waiting.stream?.answered();
      const status = batch[i + 1] as number;
      if (waiting.stream?.refused !== true) this.#ports.count(this.#routes[waiting.route]!, status, null);
      waiting.visit.answer(status, linesOf(batch[i + 2] as string), batch[i + 3] as Body, waiting.requestId);
    }
  }

  /** A reply whose body follows in pieces: its number is taken until their end. */
  #beginPieces(batch: Flat, i: number): void {
    const no = batch[i] as number;
    const waiting = this.#pending.at(no);
    if (waiting === null) return;
    const status = batch[i + 1] as number;
    this.#ports.count(this.#routes[waiting.route]!, status, null);
    this.#streamOf(no, waiting).begin(status, linesOf(batch[i + 2] as string), batch[i + 3] as number);
  }

  #streamOf(no: number, waiting: Waiting): DoorStream {
    return (waiting.stream ??= new DoorStream(no, waiting.visit, waiting.desk, waiting.requestId));
  }

  #streamed(message: Flat): void {
    const no = message[1] as number;
    if (this.#pending.at(no)?.stream?.receive(message) === 'over') this.#pending.settle(no);
  }

  /** A caller left before its answer: a request that no thread has heard of yet is not carried out. */
  gone(no: number): void {
    if (this.#pending.at(no)?.desk.outbox?.takeBack(no) === true) this.#pending.settle(no);
  }

  /** A thread is gone: what waited on it settles as unavailable, outcome unknown. */
  lost(desk: Desk): void {
    for (const { visit, requestId, route, stream } of this.#pending.settleAll(desk)) {
      stream?.answered();
      if (stream !== null && visit.cutAnswer()) continue;
      const headers = { 'Retry-After': String(limits.host.retryAfterSeconds) };
      this.#refuse(visit, requestId, this.#routes[route]!, refuseAtDoor('unavailable', { headers }));
    }
  }

  #visit(router: Router, rules: ListenerRules, visit: Visit): void {
    const { callerOf, barred, probes } = rules;
    const requestId = this.#ports.ids.of(visit.header('x-request-id'));
    const match = router.find(visit.path, visit.method);
    const refusal = barred === null || this.#isForm(match, visit) ? null : barred(visit);
    if (refusal !== null) {
      this.#refuse(visit, requestId, null, refusal);
      return;
    }
    if (match === null) {
      if (probes?.(visit) !== true) this.#refuse(visit, requestId, null, refuseAtDoor('not_found'));
      return;
    }
    const method = visit.method === 'HEAD' ? 'GET' : visit.method;
    const no = match.methods[method];
    if ((no === undefined || method !== visit.method) && this.#enterOther(router, callerOf, visit, requestId, match))
      return;
    if (no === undefined) {
      this.#otherMethod(visit, requestId, match.methods);
      return;
    }
    this.#enter(visit, callerOf, requestId, this.#routes[no]!, methodIndex.get(method)!, match.params);
  }

  #isForm(match: PathMatch | null, { method }: Visit): boolean {
    const no = match?.methods[method];
    return no !== undefined && this.#routes[no]!.row.body === 'form';
  }

  /** Lets a verb that is not declared in where the service answers for it; false where it is the door's. */
  #enterOther(
    router: Router,
    callerOf: CallerAddress,
    visit: Visit,
    requestId: string,
    { methods }: PathMatch,
  ): boolean {
    const declared = METHODS.find((method) => methods[method] !== undefined);
    const route = declared === undefined ? undefined : this.#routes[methods[declared]!];
    if (route?.row.everyVerb !== true) return false;
    const { params } = router.find(visit.path, declared)!;
    this.#enter(visit, callerOf, requestId, route, METHODS.length, params);
    return true;
  }

  /** OPTIONS, and verbs that a known path does not have. */
  #otherMethod(visit: Visit, requestId: string, methods: Readonly<Partial<Record<string, number>>>): void {
    const allow = METHODS.filter((method: Method) => methods[method] !== undefined).flatMap((m) =>
      m === 'GET' ? ['GET', 'HEAD'] : [m],
    );
    const headers = { Allow: [...allow, 'OPTIONS'].join(', ') };
    if (visit.method === 'OPTIONS')
      visit.answer(204, `Allow: ${headers.Allow}\n${preflightLines(visit, this.#corsOf(methods))}`, '', requestId);
    else this.#refuse(visit, requestId, null, refuseAtDoor('method_not_allowed', { headers }));
  }

  /** Origins of the first verb at a path that has some. */
  #corsOf(methods: Readonly<Partial<Record<string, number>>>): readonly string[] | undefined {
    for (const no of Object.values(methods)) {
      const { cors } = this.#routes[no!]!.row;
      if (cors !== undefined) return cors;
    }
    return undefined;
  }

  #enter(
    arrived: Visit,
    addressOf: CallerAddress,
    requestId: string,
    route: CompiledRoute,
    method: number,
    params: string,
  ): void {
    const row = route.row;
    const callerOf = once(addressOf);
    const visit = this.#ports.dress?.(route, arrived, params, callerOf) ?? arrived;
    const barred = this.#ports.guard?.(route, visit) ?? null;
    if (barred !== null) {
      this.#refuse(visit, requestId, route, barred);
      return;
    }
    const bodyBytesMax = row.bodyBytesMax ?? limits.door.jsonBodyBytesMax;
    const streams = isStreamed(row, visit);
    if (row.body !== 'none' && !streams && Number(visit.header('content-length')) > bodyBytesMax) {
      this.#refuse(visit, requestId, route, refuseTooLarge(route, bodyBytesMax));
      return;
    }
    let tenant: TenantEntry | undefined;
    let tenantNo = NO_POSITION as number;
    if (row.position !== 'none') {
      tenant = this.#tenantOf(visit);
      tenantNo = tenant === undefined ? this.#reason : tenant.no;
      if (tenant === undefined && row.position === 'door') {
        this.#refuse(
          visit,
          requestId,
          route,
          refuseAtDoor(tenantNo === INACTIVE_TENANT ? 'v2.no_tenant' : 'invalid tenant'),
        );
        return;
      }
    }
    const authorization = row.callers.auth === 'none' ? '' : visit.header('authorization');
    const refused = this.#rate(visit, callerOf, route, tenantNo);
    if (refused !== null) {
      this.#refuse(visit, requestId, route, refused);
      return;
    }
    const desk = this.#ports.desk(route, tenant);
    const full = this.#ports.full?.(route, desk) ?? null;
    if (full !== null) {
      this.#refuse(visit, requestId, route, full);
      return;
    }
    const extra = extraHeaders(visit, callerOf, route, streams, this.#ports.rates);
    if (streams) {
      const { query } = visit;
      const no = this.#send(
        desk,
        visit,
        requestId,
        route,
        tenantNo,
        method,
        params,
        query,
        authorization,
        extra,
        STREAMED,
      );
      if (no >= 0) {
        const refuse = (): void => this.#refuse(visit, requestId, route, refuseTooSlow(route));
        this.#streamOf(no, this.#pending.at(no)!).read(refuse);
      }
      return;
    }
    if (row.body === 'none') {
      this.#send(desk, visit, requestId, route, tenantNo, method, params, visit.query, authorization, extra, '');
      return;
    }
    const query = visit.query;
    visit.readBody(
      bodyBytesMax,
      (body) => this.#send(desk, visit, requestId, route, tenantNo, method, params, query, authorization, extra, body),
      () => this.#refuse(visit, requestId, route, refuseTooLarge(route, bodyBytesMax)),
      () => this.#refuse(visit, requestId, route, refuseTooSlow(route)),
    );
  }

  #reason = NO_POSITION as number;

  /** The active tenant at the request's position; otherwise undefined, and #reason says why. */
  #tenantOf(visit: Visit): TenantEntry | undefined {
    const customer = visit.header('x-customer');
    const product = visit.header('x-product');
    const env = visit.header('x-env');
    const tenant = visit.header('x-tenant');
    const key = `${customer}:${product}:${env}:${tenant}`;
    const entry = this.#ports.directory.get(key);
    if (entry !== undefined && entry.state === 'active') return entry;
    if (customer === '' || product === '' || env === '' || tenant === '') this.#reason = NO_POSITION;
    else if (!isSegment(customer) || !isSegment(product) || !isSegment(env) || !isSegment(tenant))
      this.#reason = MALFORMED_POSITION;
    else this.#reason = this.#ports.directory.reasonFor(key);
    return undefined;
  }

  /**
   * A route that is suspended, then the bucket. A request with a tenant takes from its caller's bucket, with a credential or without one
   * (docs/contract/identity.md §7.2).
   */
  #rate(visit: Visit, callerOf: CallerAddress, route: CompiledRoute, tenantNo: number): Refusal | null {
    if (this.#suspensions.active > 0) {
      const suspended = this.#suspensions.refusal(tenantNo, route.no);
      if (suspended !== null) return suspended;
    }
    if (!this.#limited[route.no]! || (tenantNo < 1 && route.row.position !== 'none')) return null;
    return this.#ports.rates.take(route.row.rate!, tenantNo, callerOf(visit));
  }

  /** Sends a request to its desk; its number, or -1 when it was refused. */
  #send(
    desk: Desk,
    visit: Visit,
    requestId: string,
    route: CompiledRoute,
    tenantNo: number,
    method: number,
    params: string,
    query: string,
    authorization: string,
    extra: string,
    body: Body | number,
  ): number {
    const outbox = desk.outbox;
    if (outbox === null) {
      this.#refuse(
        visit,
        requestId,
        route,
        refuseAtDoor('unavailable', { headers: { 'Retry-After': String(limits.host.retryAfterSeconds) } }),
      );
      return -1;
    }
    if (this.#pending.count >= limits.door.inFlightMax) {
      this.#refuse(
        visit,
        requestId,
        route,
        refuseAtDoor('overloaded', { headers: { 'Retry-After': String(limits.host.retryAfterSeconds) } }),
      );
      return -1;
    }
    const no = this.#pending.open(visit, requestId, desk, route.no);
    if (body !== STREAMED) visit.watch(this, no);
    outbox.batch.push(no, route.no, tenantNo, method, params, query, authorization, requestId, extra, body);
    return no;
  }

  #refuse(visit: Visit, requestId: string, route: CompiledRoute | null, refusal: Refusal): void {
    this.#ports.count(route, refusal.status, { visit, requestId });
    renderOutcome(0, refusal, {
      send: (_no, status, headers, body) => {
        visit.answer(status, linesOf(headers), body, requestId);
      },
    });
  }
}

/** The address of one request, found out once: it costs a call into the server, and bucket, log line and thread all ask for it. */
function once(addressOf: CallerAddress): CallerAddress {
  let known: string | undefined;
  return (visit) => (known ??= addressOf(visit));
}

/** A reply record's headers as lines: `''` stands for JSON, a lone newline for none. */
function linesOf(headers: string): string {
  return headers === '' ? JSON_LINES : headers === '\n' ? '' : headers;
}

const MULTIPART = /^multipart\/form-data(?:;|\s|$)/i;

/** Whether the body crosses in pieces. */
function isStreamed(row: RouteRow, visit: Visit): boolean {
  return row.body === 'stream' || (row.multipart === true && MULTIPART.test(visit.header('content-type')));
}
