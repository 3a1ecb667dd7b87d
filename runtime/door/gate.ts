/**
 * The refusals that the door makes by itself before a request reaches a thread: body cap 413, route bare 404, position 400, rate 429
 * (docs/contract/common.md §3.3). It parses no JSON; its only bodies are the refusal rows of refusals.ts.
 */
import { limits } from '#config/limits.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Body, Flat } from '#actors/protocol/frame.ts';
import {
  INACTIVE_TENANT,
  MALFORMED_POSITION,
  NO_POSITION,
  REPLY_STRIDE,
  STREAM,
  STREAM_STRIDE,
  STREAMED,
} from '#actors/protocol/frame.ts';
import { isSegment, parsePosition } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { METHODS } from '#actors/protocol/method.ts';
import type { StreamPart } from '#actors/protocol/stream.ts';
import { refusedByStanding } from '#actors/protocol/standing.ts';
import { answerRefusal, JSON_LINES, linesOf } from './answer-refusal.ts';
import { Arrival } from './arrival.ts';
import { bodyBytesMaxOf, isStreamed, refuseDeclaredLength } from './body-bounds.ts';
import { bySocket, type CallerAddress } from './caller-address.ts';
import { preflightLines } from './cors.ts';
import type { Desk } from './desk.ts';
import { DoorStream } from './door-stream.ts';
import { extraHeaders } from './extra-headers.ts';
import type { Answered, GatePorts, ListenerRules } from './gate-ports.ts';
import { KEPT_STATUS, KeptAnswers } from './kept-answers.ts';
import { verbsOf } from './methods.ts';
import { PendingVisits, type Waiting } from './pending.ts';
import type { Visit, VisitHandler, VisitWatcher } from './port.ts';
import { isContradicted, positionOfQuery, positionOfTicket } from './query-position.ts';
import { refuseAtDoor, refuseTooLarge, refuseTooSlow } from './refusals.ts';
import type { Suspensions } from './suspensions.ts';
import type { PathMatch, Router } from '#actors/protocol/router.ts';

const methodIndex = new Map<string, number>(METHODS.map((method, i) => [method, i]));
const NONE_SUSPENDED = { active: 0, refusal: () => null };

export class Gate implements VisitWatcher {
  readonly #ports: GatePorts;
  readonly #pending = new PendingVisits();
  readonly #routes: readonly CompiledRoute[];
  readonly #suspensions: Pick<Suspensions, 'active' | 'refusal'>;
  readonly #pages: NonNullable<GatePorts['pages']> | null;
  readonly #traces: NonNullable<GatePorts['traces']> | null;
  readonly #carries: NonNullable<GatePorts['carries']> | null;
  readonly #kept: KeptAnswers;
  /** By route: whether its profile limits anything. Where none does, the caller's address is not asked for, which saves time. */
  readonly #limited: readonly boolean[];

  constructor(routes: readonly CompiledRoute[], ports: GatePorts) {
    this.#routes = routes;
    this.#ports = ports;
    this.#suspensions = ports.suspensions ?? NONE_SUSPENDED;
    this.#pages = ports.pages ?? null;
    this.#traces = ports.traces ?? null;
    this.#carries = ports.carries ?? null;
    this.#kept = new KeptAnswers(ports.mayKeep ?? (() => true), () => performance.now());
    this.#limited = routes.map(({ row }) => row.rate !== undefined && ports.rates.has(row.rate));
  }

  /** Requests that wait for a thread. */
  get inFlight(): number {
    return this.#pending.count;
  }

  /** The request that waits under a number, so that the watchdog can name it; null when there is none. */
  waitingAt(no: number): { readonly path: string; readonly requestId: string } | null {
    const waiting = no < 0 ? null : this.#pending.at(no);
    return waiting === null ? null : { path: waiting.visit.path, requestId: waiting.requestId };
  }

  /** The handler of one listener, whose router gives route numbers of this gate. */
  handler(router: Router, rules: Partial<ListenerRules> = {}): VisitHandler {
    const all = { callerOf: bySocket, barred: null, probes: null, sites: null, files: null, ...rules };
    return (visit) => this.#visit(router, all, visit);
  }

  /** Takes a batch of reply records, or of stream messages. */
  replies(batch: Flat): void {
    if (batch[0] === STREAM) {
      for (let i = 1; i < batch.length; i += STREAM_STRIDE)
        this.#streamed(batch[i] as number, batch[i + 1] as StreamPart, batch[i + 2]!);
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
      if (waiting.stream?.refused !== true) this.#ports.answered(waiting, status, false);
      const lines = this.#linesFor(waiting, batch[i + 2]);
      this.#kept.saw(waiting.route.row, waiting.visit, status, lines, batch[i + 3] as Body);
      waiting.visit.answer(status, lines, batch[i + 3] as Body, waiting.requestId);
    }
  }

  /** Begins a reply whose body follows in pieces; its number stays taken until the last one. */
  #beginPieces(batch: Flat, i: number): void {
    const no = batch[i] as number;
    const waiting = this.#pending.at(no);
    if (waiting === null) return;
    const status = batch[i + 1] as number;
    this.#ports.answered(waiting, status, false);
    this.#streamOf(no, waiting).begin(status, this.#linesFor(waiting, batch[i + 2]), batch[i + 3] as number);
  }

  #linesFor({ route }: Waiting, headers: Flat[number] | undefined): string {
    const lines = linesOf(headers as string);
    return this.#pages === null || lines === JSON_LINES || lines === '' ? lines : this.#pages.kept(route, lines);
  }

  #streamOf(no: number, waiting: Waiting): DoorStream {
    return (waiting.stream ??= new DoorStream(no, waiting.visit, waiting.desk, waiting.requestId));
  }

  #streamed(no: number, part: StreamPart, payload: Flat[number]): void {
    if (this.#pending.at(no)?.stream?.receive(part, payload) === 'over') this.#pending.settle(no);
  }

  /** A caller left before its answer: a request that has not been sent to a thread yet is not carried out. */
  gone(no: number): void {
    if (this.#pending.at(no)?.desk.outbox?.takeBack(no) === true) this.#pending.settle(no);
  }

  /** What answers that the door keeps say is not true any more. */
  forgetKept(): void {
    this.#kept.forget();
  }

  #answerKept(arrival: Arrival): boolean {
    const { requestId, route, visit } = arrival;
    const kept = this.#kept.of(route.row, visit);
    if (kept === null) return false;
    this.#ports.answered(arrival, KEPT_STATUS, true);
    visit.answer(KEPT_STATUS, kept.lines, kept.body, requestId);
    return true;
  }

  /** A thread is gone: requests that waited on it are answered as unavailable, outcome unknown; an answer that has begun is cut. */
  lost(desk: Desk): void {
    this.#kept.forget();
    for (const waiting of this.#pending.settleAll(desk)) {
      waiting.stream?.answered();
      if (waiting.stream?.isAnswered === true) waiting.visit.cutAnswer();
      else this.#refuse(waiting, refuseAtDoor('unavailable'));
    }
  }

  #visit(router: Router, rules: ListenerRules, bare: Visit): void {
    const { callerOf, barred, probes, sites, files } = rules;
    const visit = sites === null ? bare : sites.at(bare);
    const requestId = this.#ports.ids.of(visit.header('x-request-id'));
    const match = router.find(visit.path, visit.method);
    const refusal = barred === null || this.#isForm(match, visit) ? null : barred(visit);
    if (refusal !== null) {
      this.#refuseUnrouted(visit, requestId, refusal);
      return;
    }
    if (match === null) {
      if (probes?.(visit) === true || files?.answer(visit, requestId, callerOf) === true) return;
      this.#refuseUnrouted(visit, requestId, refuseAtDoor('not_found'));
      return;
    }
    const method = visit.method === 'HEAD' ? 'GET' : visit.method;
    const no = match.methods[method];
    if (no === undefined || method !== visit.method) {
      if (method === 'OPTIONS' && this.#answerPreflight(visit, requestId, match)) return;
      if (this.#enterOther(router, callerOf, visit, requestId, match)) return;
    }
    if (no === undefined) {
      this.#otherMethod(this.#pages?.dressOther(visit, match.methods) ?? visit, requestId, match.methods);
      return;
    }
    const place = methodIndex.get(method)!;
    this.#enter(new Arrival(visit, requestId, this.#routes[no]!, place, match.params, callerOf));
  }

  #isForm(match: PathMatch | null, { method }: Visit): boolean {
    const no = match?.methods[method];
    return no !== undefined && this.#routes[no]!.row.body === 'form';
  }

  /** Lets an undeclared verb in where the service answers it by itself; false where the door has to answer. */
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
    this.#enter(new Arrival(visit, requestId, route, METHODS.length, params, callerOf));
    return true;
  }

  /** Answers a page's question whether it may send a request; false where it is none, or of an origin that no product lists. */
  #answerPreflight(visit: Visit, requestId: string, { methods }: PathMatch): boolean {
    const lines = this.#pages?.preflight(visit, methods) ?? null;
    if (lines !== null) visit.answer(204, `Allow: ${allowAt(methods)}\n${lines}`, '', requestId);
    return lines !== null;
  }

  /** Answers OPTIONS, and verbs that a known path does not have. */
  #otherMethod(visit: Visit, requestId: string, methods: PathMatch['methods']): void {
    const headers = { Allow: allowAt(methods) };
    if (visit.method === 'OPTIONS')
      visit.answer(204, `Allow: ${headers.Allow}\n${preflightLines(visit, this.#corsOf(methods))}`, '', requestId);
    else this.#refuseUnrouted(visit, requestId, refuseAtDoor('method_not_allowed', { headers }));
  }

  /** The origins of the first verb at a path that declares some. */
  #corsOf(methods: PathMatch['methods']): readonly string[] | undefined {
    for (const no of Object.values(methods)) {
      const { cors } = this.#routes[no!]!.row;
      if (cors !== undefined) return cors;
    }
    return undefined;
  }

  /** Lets a request that has a route in, or refuses it. */
  #enter(arrival: Arrival): void {
    const { row } = arrival.route;
    if (this.#traces !== null) arrival.trace = this.#traces.begin(arrival.visit);
    arrival.visit = this.#ports.dress?.(arrival) ?? arrival.visit;
    arrival.streams = isStreamed(row, arrival.visit);
    const refusal =
      arrival.refusal ??
      this.#ports.guard?.(arrival.route, arrival.visit) ??
      refuseDeclaredLength(arrival) ??
      this.#place(arrival) ??
      this.#rate(arrival) ??
      this.#seat(arrival);
    if (refusal !== null) {
      this.#refuse(arrival, refusal);
      return;
    }
    if (this.#answerKept(arrival)) return;
    if (row.callers.auth !== 'none' && arrival.authorization === '')
      arrival.authorization = arrival.visit.header('authorization');
    arrival.extra += extraHeaders(arrival, this.#ports.rates);
    this.#sendOn(arrival);
  }

  /** Lets a request in whose head the door of another node has read. `key`: the position that it names; where that is '', the arrival's number says why there is none. */
  forwarded(arrival: Arrival, key: string): void {
    if (this.#traces !== null) arrival.trace = this.#traces.begin(arrival.visit);
    if (key !== '' && arrival.route.row.position !== 'none') this.#findKey(arrival, key);
    const refusal = this.#refusedAt(arrival) ?? this.#rate(arrival) ?? this.#seat(arrival);
    if (refusal === null) this.#sendOn(arrival);
    else this.#refuse(arrival, refusal);
  }

  #sendOn(arrival: Arrival): void {
    if (this.#carries !== null) arrival.extra = this.#carries(arrival) + arrival.extra;
    if (arrival.trace !== null) arrival.extra = this.#traces!.lineOf(arrival.trace) + arrival.extra;
    if (arrival.streams) this.#sendPieces(arrival);
    else if (arrival.route.row.body === 'none') this.#send(arrival, '');
    else this.#sendWhole(arrival);
  }

  /** Finds the tenant, and refuses what its operators do not let it serve. Without an active tenant only routes whose position the door checks are refused. */
  #place(arrival: Arrival): Refusal | null {
    if (arrival.route.row.position === 'none') return null;
    this.#findTenant(arrival);
    return this.#refusedAt(arrival);
  }

  #refusedAt(arrival: Arrival): Refusal | null {
    const { position } = arrival.route.row;
    if (position === 'none') return null;
    const standing = arrival.tenant?.standing;
    if (standing !== undefined) return refusedByStanding(standing, arrival.route.row, arrival.visit.method);
    if (arrival.tenant !== undefined || position !== 'door') return null;
    return refuseAtDoor(arrival.tenantNo === INACTIVE_TENANT ? 'v2.no_tenant' : 'invalid tenant');
  }

  /** The active tenant at the request's position and its number; where there is none, the number says why. */
  #findTenant(arrival: Arrival): void {
    const { visit, route } = arrival;
    if (route.row.positionIn === 'query') {
      this.#findNamed(arrival, positionOfQuery(visit.query));
      return;
    }
    const beside = route.row.ticketed === true ? positionOfTicket(visit) : '';
    if (beside !== '') {
      this.#findNamed(arrival, beside);
      return;
    }
    const customer = visit.header('x-customer');
    const product = visit.header('x-product');
    const env = visit.header('x-env');
    const tenant = visit.header('x-tenant');
    const key = `${customer}:${product}:${env}:${tenant}`;
    const entry = this.#ports.directory.get(key);
    if (entry !== undefined && entry.state === 'active') {
      arrival.tenant = entry;
      arrival.tenantNo = entry.no;
    } else if (customer === '' || product === '' || env === '' || tenant === '') arrival.tenantNo = NO_POSITION;
    else if (!isSegment(customer) || !isSegment(product) || !isSegment(env) || !isSegment(tenant))
      arrival.tenantNo = MALFORMED_POSITION;
    else arrival.tenantNo = this.#ports.directory.reasonFor(key);
  }

  /** The same for a position that is written as one text; a signature, which the service checks, covers it. Headers, or the host of a site, may name no other. */
  #findNamed(arrival: Arrival, key: string): void {
    const entry = this.#ports.directory.get(key);
    const position = entry?.position ?? parsePosition(key);
    if (position === null) arrival.tenantNo = key === '' ? NO_POSITION : MALFORMED_POSITION;
    else if (isContradicted(arrival.visit, position)) arrival.tenantNo = MALFORMED_POSITION;
    else this.#findKey(arrival, key);
  }

  #findKey(arrival: Arrival, key: string): void {
    const entry = this.#ports.directory.get(key);
    if (entry !== undefined && entry.state === 'active') {
      arrival.tenant = entry;
      arrival.tenantNo = entry.no;
    } else arrival.tenantNo = this.#ports.directory.reasonFor(key);
  }

  /** Refuses by suspension, then by rate. A request with a tenant takes from its caller's bucket, with or without a credential (docs/contract/identity.md §7.2). */
  #rate(arrival: Arrival): Refusal | null {
    const { route, tenantNo } = arrival;
    if (this.#suspensions.active > 0) {
      const suspended = this.#suspensions.refusal(tenantNo, route.no);
      if (suspended !== null) return suspended;
    }
    if (!this.#limited[route.no]! || (tenantNo < 1 && route.row.position !== 'none')) return null;
    return this.#ports.rates.take(route.row.rate!, tenantNo, arrival.callerIp());
  }

  /** The desk that answers, unless it is full or the tenant's quota is used up. A request is counted here: all that refuses without a thread came before. */
  #seat(arrival: Arrival): Refusal | null {
    const { route, tenant } = arrival;
    arrival.desk = this.#ports.desk(route, tenant, arrival.isSent);
    const full = this.#ports.full?.(route, arrival.desk) ?? null;
    return full !== null || tenant === undefined ? full : (this.#ports.usage?.request(tenant) ?? null);
  }

  #sendPieces(arrival: Arrival): void {
    const no = this.#send(arrival, STREAMED);
    if (no >= 0) this.#streamOf(no, arrival).read(() => this.#refuse(arrival, refuseTooSlow(arrival.route)));
  }

  #sendWhole(arrival: Arrival): void {
    const { route, visit } = arrival;
    const bytesMax = bodyBytesMaxOf(route.row);
    visit.readBody(
      bytesMax,
      (body) => this.#send(arrival, body),
      () => this.#refuse(arrival, refuseTooLarge(route, bytesMax)),
      () => this.#refuse(arrival, refuseTooSlow(route)),
    );
  }

  /** Sends a request to its desk and gives its number, or -1 when it was refused. */
  #send(arrival: Arrival, body: Body | number): number {
    const { isClosed, outbox } = arrival.desk;
    if (outbox === null || isClosed || this.#pending.count >= limits.door.inFlightMax) {
      const why = outbox === null || isClosed ? 'unavailable' : 'overloaded';
      this.#refuse(arrival, refuseAtDoor(why));
      return -1;
    }
    const no = this.#pending.open(arrival);
    const { visit, route, tenantNo, method, params, authorization, requestId, extra } = arrival;
    if (body !== STREAMED) visit.watch(this, no);
    outbox.batch.push(no, route.no, tenantNo, method, params, visit.query, authorization, requestId, extra, body);
    // The record contains them now; a request that waits for its answer shall not keep a credential in memory.
    arrival.authorization = '';
    arrival.extra = '';
    return no;
  }

  #refuseUnrouted(visit: Visit, requestId: string, refusal: Refusal): void {
    this.#refuse({ visit, requestId, route: null, tenant: undefined, trace: null }, refusal);
  }

  #refuse(request: Answered, refusal: Refusal): void {
    const { visit, requestId } = request;
    this.#ports.answered(request, refusal.status, true);
    answerRefusal(visit, requestId, refusal);
  }
}

const allowAt = (methods: PathMatch['methods']): string =>
  [...verbsOf((method) => methods[method] !== undefined), 'OPTIONS'].join(', ');
