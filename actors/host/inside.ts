/**
 * How a service of a tenant asks another service of the same tenant: by the other's route row, within the activation and without HTTP. The
 * answer is what a caller over HTTP would get: the other service checks credential, shape and rules itself.
 */
import { limits } from '#config/limits.ts';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { refusedByStanding } from '#actors/protocol/standing.ts';
import { compileRouter, type Router } from '#actors/protocol/router.ts';
import type { Trace } from '#actors/kit/trace/trace.ts';
import type { Activation, Log } from './activation.ts';
import { BodyStream } from './body-stream.ts';
import { Call, type CompiledRoute } from './call.ts';
import { InsideAnswer } from './inside-answer.ts';
import { renderOutcome } from './render.ts';
import { refusedAtCommit } from './refused-at-commit.ts';
import { nextSlice } from './pace/slice-ring.ts';
import type { Service } from './service.ts';
import { whyOf } from './why.ts';
import type { Work } from './work.ts';

export interface InsideRequest {
  /** The service that is asked: paths of other services are not found. */
  readonly service: string;
  readonly method: Method;
  /** The public path, as on the gateway, percent-encoded. */
  readonly path: string;
  /** Without its question mark. */
  readonly query?: string;
  /** Lower-case names; those that the row does not name are dropped. Position and credential do not belong here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text (sent as UTF-8), or bytes. */
  readonly body?: string | Uint8Array;
  /** `caller`: with the credential of the call that asks. `internal`: as the node itself, which no credential maps to. */
  readonly as: 'caller' | 'internal';
}

export interface InsidePorts {
  readonly log: Log;
  readonly routes: readonly CompiledRoute[];
  readonly services: ReadonlyMap<string, Service>;
}

/** Answers from this status on are failures. */
const FAILED = 500;

const insides = new WeakMap<Activation, Inside>();

/**
 * Asks another service of the tenant on behalf of a work, whose own reply then waits for what the answer read or wrote. The work must have
 * nothing staged: as after any wait, what it read before may have changed. Rejects only for faults of the asking work: staged writes, a
 * tenant that it holds, services that ask one another in a circle.
 */
export function askInside(from: Work, request: InsideRequest): Promise<InsideAnswer> {
  const inside = insides.get(from.activation);
  if (inside === undefined)
    throw new Error('calls inside this tenant have no carrier: its activation was not made by a host');
  return inside.ask(from, request);
}

/** One per host: it carries the calls of the tenants that are awake there. */
export class Inside {
  readonly #ports: InsidePorts;
  #router: Router | null = null;

  constructor(ports: InsidePorts) {
    this.#ports = ports;
  }

  carryFor(activation: Activation): void {
    insides.set(activation, this);
  }

  /** See `askInside`. */
  async ask(from: Work, request: InsideRequest): Promise<InsideAnswer> {
    if (from.hasStaged) throw new Error('a work that asks inside commits first, or stages later');
    const depth = from instanceof Call ? from.depth + 1 : 1;
    if (depth > limits.host.insideDepthMax) throw new Error('services ask one another in circles');
    const bytes = request.body === undefined ? 0 : Buffer.byteLength(request.body);
    const found = this.#find(request);
    if (typeof found === 'number') return InsideAnswer.bare(found);
    if (bytes > (found.route.row.bodyBytesMax ?? limits.door.jsonBodyBytesMax)) return InsideAnswer.bare(413);
    const call = callOf(from, request, found.route, found.params, depth);
    await free(from, call);
    if (bytes >= limits.host.insideSliceMin) await nextSlice(call.tenantNo);
    const answer = await this.#run(from, call, request.as);
    if (answer.length >= limits.host.insideSliceMin) await nextSlice(call.tenantNo);
    return answer;
  }

  #find({ service, method, path }: InsideRequest): { route: CompiledRoute; params: string } | 404 | 405 {
    const found = this.#compiled().find(path, method);
    if (found === null) return 404;
    const no = found.methods[method];
    const route = no === undefined ? undefined : this.#ports.routes[no];
    if (route === undefined) return 405;
    return route.service === service ? { route, params: found.params } : 404;
  }

  /** Routes of the services on this thread; compiled when first needed. */
  #compiled(): Router {
    const { routes, services } = this.#ports;
    const here = routes.filter(({ service }) => services.has(service));
    this.#router ??= compileRouter(
      here.map(({ no, row: { methods, path, emptyParams = false } }) => ({ no, methods, path, emptyParams })),
    );
    return this.#router;
  }

  async #run(from: Work, call: Call, as: InsideRequest['as']): Promise<InsideAnswer> {
    const service = this.#ports.services.get(call.route.service)!;
    let outcome: Reply | Refusal;
    let newest: number;
    // The asking request accounts for the cost: the watchdog sees its route and number.
    if (from instanceof Call) from.activation.context.pulse?.call(from.tenantNo, from.route.no, from.no);
    try {
      const begun = this.#outcome(call, service, as);
      // An outcome without a wait is committed without one: during a wait another could read what this turn is about to change.
      outcome = begun instanceof Promise ? await begun : begun;
      newest = isRefusal(outcome) ? call.abort() : call.commit();
    } catch (error) {
      newest = call.abort();
      outcome = this.#fault(call, service, error);
    }
    if (call.trace !== null) endSpan(call, call.trace, outcome);
    from.saw(newest);
    if (call.wrote) from.wrote = true;
    return answerOf(from, call, outcome);
  }

  #outcome(call: Call, service: Service, as: InsideRequest['as']): Promise<Reply | Refusal> | Reply | Refusal {
    if (call.activation.standing?.isReadOnly === true) {
      const refused = refusedByStanding('read-only', call.route.row, call.method);
      if (refused !== null) return refused;
    }
    if (as === 'internal') call.principal = INTERNAL;
    else if (call.route.row.callers.auth !== 'none') {
      const principal = service.authenticate(call);
      if (isRefusal(principal)) return principal;
      call.principal = principal;
    }
    return fuelled(limits.host.turnUnits, () => service.handlers[call.route.name]!(call));
  }

  #fault(call: Call, service: Service, error: unknown): Refusal {
    const refused = refusedAtCommit(error);
    if (refused !== null) return refused;
    const why = whyOf(error);
    if (why === 'fault') this.#ports.log.error({ err: error, route: call.route.name, ...call.named }, 'handler failed');
    return service.unavailable(call, why);
  }
}

function endSpan({ route: { service, name } }: Call, trace: Trace, outcome: Reply | Refusal): void {
  const { status } = outcome;
  const code = isRefusal(outcome) ? outcome.code : null;
  const refusal = code === null ? [] : [['skep.refusal', code] as const];
  const attributes = [['skep.service', service] as const, ['skep.route', name] as const, ...refusal];
  trace.end(`${service} ${name}`, status >= FAILED ? (code ?? String(status)) : null, attributes);
}

function callOf(from: Work, request: InsideRequest, route: CompiledRoute, params: string, depth: number): Call {
  const { method, query = '', headers = {}, body = '' } = request;
  const caller = from instanceof Call ? from : null;
  const authorization = request.as === 'caller' ? (caller?.authorization ?? '') : '';
  const names = [...(route.row.headers ?? []), ...(query === '' ? [] : (route.row.queryHeaders ?? []))];
  const type = headers['content-type'] ?? '';
  const isStream = route.row.body === 'stream' || (route.row.multipart === true && /^multipart\//i.test(type));
  if (isStream) names.push('content-type');
  const ip = caller?.header(CALLER_IP);
  const address = ip === undefined || !names.includes(CALLER_IP) ? '' : `${CALLER_IP}:${ip}\n`;
  const sent = names.flatMap((name) => (name in headers ? [`${name}:${oneLine(headers[name]!)}\n`] : [])).join('');
  const tenantNo = from.activation.tenantNo;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const inline = isStream ? '' : bytes;
  const requestId = from.who.request_id;
  const call = new Call(-1, route, tenantNo, method, params, query, authorization, requestId, address + sent, inline);
  call.depth = depth;
  call.trace = from.trace === null ? null : from.trace.begin();
  call.carried = from.carried;
  call.beside = from.carried;
  call.tenant = from.tenant;
  if (isStream) call.stream = whole(bytes);
  return call;
}

/** A header's value ends where its line ends: a value cannot add another header. */
const oneLine = (value: string): string => value.replaceAll(/[\r\n]+/g, ' ');

function whole(bytes: Uint8Array): BodyStream {
  const stream = new BodyStream(() => undefined);
  stream.push(bytes);
  stream.end();
  return stream;
}

/** No call begins while another work holds the tenant; a work that holds it itself would wait for ever. */
async function free(from: Work, call: Call): Promise<void> {
  const { exclusive } = call.activation;
  if (exclusive.isHeldBy(from)) throw new Error('a work that holds its tenant may not ask another service');
  while (exclusive.held) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
}

function answerOf(from: Work, call: Call, outcome: Reply | Refusal): InsideAnswer {
  if (outcome.kind === 'reply' && outcome.stream !== undefined) {
    const { length, pieces } = outcome.stream;
    const { status, type, headers } = outcome;
    const stream = { length, pieces: seen(from, call, pieces) };
    return new InsideAnswer(status, { ...(type !== undefined && { 'Content-Type': type }), ...headers }, '', stream);
  }
  let answer: InsideAnswer | null = null;
  renderOutcome(call.no, outcome, {
    send: (_no, status, lines, body) => void (answer = InsideAnswer.rendered(status, lines, body)),
  });
  return answer!;
}

/** Reads of the source, piece by piece, count for the reply of the asking work. */
async function* seen(from: Work, call: Call, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    from.saw(call.commit());
    yield piece;
  }
}
