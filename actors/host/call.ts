/** One request as a handler sees it. */
import type { Personal } from '#actors/protocol/audit.ts';
import { CALLER_IP, type Body, type Flat } from '#actors/protocol/frame.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { METHODS, type Method } from '#actors/protocol/method.ts';
import { OTHER_VERB, type RouteRow } from '#actors/protocol/route.ts';
import { bodyText, parseExactJson, parseJson, type JsonResult } from '#actors/kit/json.ts';
import type { Turn } from '#storage/port.ts';
import type { BodyStream } from './body-stream.ts';
import { ReadOnlyTurn } from './read-only.ts';
import type { TurnTrace } from './turn-trace.ts';
import { Work, type Who } from './work.ts';

export interface CompiledRoute {
  readonly no: number;
  readonly name: string;
  readonly service: string;
  readonly row: RouteRow;
  readonly paramNames: readonly string[];
}

/** The user or thing that a call is about, as its audit events name it. What a caller typed for a user goes to `target` when it is an id, else to `email`. */
export interface Involved {
  /** The user whose identity is proven. */
  readonly actor?: string;
  /** The user or thing that the call acts on. */
  readonly target?: string;
  readonly session?: string;
  readonly email?: string;
  /** What the events of this flow say besides. */
  readonly data?: Readonly<Record<string, unknown>>;
}

function personalOf(ip: string | undefined, email: string | undefined): Personal | null {
  if (ip === undefined && email === undefined) return null;
  return { ...(ip === undefined ? {} : { ip }), ...(email === undefined ? {} : { email }) };
}

export class Call extends Work {
  /** The door's number of the request. */
  readonly no: number;
  readonly route: CompiledRoute;
  /** Above 0 a tenant number, else why there is none (frame.ts). */
  readonly tenantNo: number;
  readonly method: Method | 'HEAD' | typeof OTHER_VERB;
  authorization: string;
  readonly requestId: string;
  rawQuery: string;
  readonly body: Body;
  principal: Principal | null = null;
  /** What is known besides the credential, or without one, as in a login; null when the handler has said nothing. */
  involved: Involved | null = null;
  /** An operator makes it, from outside the tenant: the tenant's standing does not bind it. */
  isOperators = false;
  /** How many calls inside the node led here: 0 for a call from outside. */
  depth = 0;
  /** The body where it comes in pieces; `body` is empty then. */
  stream: BodyStream | null = null;
  /** Its spans on this host; null unless it came from the door and is traced. */
  turnTrace: TurnTrace | null = null;
  readonly #params: string;
  readonly #extra: string;
  #segments: string[] | null = null;
  #query: URLSearchParams | null = null;

  constructor(
    no: number,
    route: CompiledRoute,
    tenantNo: number,
    method: Method | 'HEAD' | typeof OTHER_VERB,
    params: string,
    rawQuery: string,
    authorization: string,
    requestId: string,
    extra: string,
    body: Body,
  ) {
    super(null);
    this.no = no;
    this.route = route;
    this.tenantNo = tenantNo;
    this.method = method;
    this.#params = params;
    this.rawQuery = rawQuery;
    this.authorization = authorization;
    this.requestId = requestId;
    this.#extra = extra;
    this.body = body;
  }

  /** What the request shows stands for a credential and a query that an earlier one had. */
  exchange(authorization: string, rawQuery: string): void {
    this.authorization = authorization;
    this.rawQuery = rawQuery;
    this.#query = null;
  }

  /** Adds what only the handler can know; a later value replaces an earlier one. */
  involve(more: Involved): void {
    this.involved = { ...this.involved, ...more };
  }

  /** Under an impersonation the operator is the actor and the user the subject. Without a credential the actor is the one in `involved`. */
  override get who(): Who {
    const { principal, involved } = this;
    const proven = principal?.subject ?? involved?.actor ?? '';
    const operator = principal?.actor ?? null;
    const session = principal?.sid ?? involved?.session ?? null;
    const personal = personalOf(this.header(CALLER_IP), involved?.email);
    return {
      actor: operator ?? proven,
      ...(operator === null ? {} : { subject: proven }),
      ...(session === null ? {} : { session }),
      ...(personal === null ? {} : { personal }),
      request_id: this.requestId,
    };
  }

  /** What a log line names it by. */
  get named(): { readonly request_id: string; readonly trace_id?: string } {
    const { requestId: request_id } = this;
    const trace_id = this.trace?.traceId ?? this.turnTrace?.traceId;
    return trace_id === undefined ? { request_id } : { request_id, trace_id };
  }

  override get frees(): boolean {
    return this.method === 'DELETE';
  }

  /** A delete is let in, though a record of what was deleted may take more bytes than the row did. */
  protected override get isBounded(): boolean {
    return !this.isOperators && !this.frees;
  }

  /** What a call of a read-only tenant stages is judged at its commit, unless an operator makes it. */
  protected override begin(): Turn {
    const turn = super.begin();
    return this.tenant?.standing?.isReadOnly === true && !this.isOperators ? new ReadOnlyTurn(turn) : turn;
  }

  /** A call that waited goes on: the watchdog sees it again as what the thread works on. */
  override nextTurn(): Turn {
    this.tenant?.context.pulse?.call(this.tenantNo, this.route.no, this.no);
    return super.nextTurn();
  }

  /** The path parameters as the door gave them, joined by newlines. */
  get rawParams(): string {
    return this.#params;
  }

  /** A path parameter, percent-decoded (as it came, when it does not decode). */
  param(name: string): string {
    const raw = this.rawParam(name);
    if (!raw.includes('%')) return raw;
    try {
      return decodeURIComponent(raw);
    } catch {
      return raw;
    }
  }

  /** A path parameter as it came: of several segments, what is encoded in one stays in it. */
  rawParam(name: string): string {
    const { paramNames } = this.route;
    return paramNames.length === 1 ? this.#params : this.#segment(paramNames.indexOf(name));
  }

  #segment(at: number): string {
    this.#segments ??= this.#params.split('\n');
    return this.#segments[at] ?? '';
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.rawQuery));
  }

  /** A request header that frame.ts lets travel, by its lower-case name. */
  header(name: string): string | undefined {
    if (this.#extra === '') return undefined;
    const start = this.#extra.startsWith(`${name}:`) ? 0 : this.#extra.indexOf(`\n${name}:`) + 1;
    if (start === 0 && !this.#extra.startsWith(`${name}:`)) return undefined;
    return this.#extra.slice(start + name.length + 1, this.#extra.indexOf('\n', start));
  }

  /** The body as strict JSON. An empty body is the fault `empty body`. */
  json(): JsonResult {
    return this.#parsed(parseJson);
  }

  /** As `json`, with the digits of numbers that a double would round: for values of an entity's fields. */
  exactJson(): JsonResult {
    return this.#parsed(parseExactJson);
  }

  #parsed(parse: (text: string) => JsonResult): JsonResult {
    const text = bodyText(this.body);
    if (text === null) return { ok: false, fault: 'body is not valid UTF-8' };
    return text === '' ? { ok: false, fault: 'empty body' } : parse(text);
  }
}

/** The call of a request record (frame.ts) that stands at `at`; a body in pieces is opened by its host. */
export function callOf(batch: Flat, at: number, route: CompiledRoute, body: Body | number): Call {
  return new Call(
    batch[at] as number,
    route,
    batch[at + 2] as number,
    METHODS[batch[at + 3] as number] ?? OTHER_VERB,
    batch[at + 4] as string,
    batch[at + 5] as string,
    batch[at + 6] as string,
    batch[at + 7] as string,
    batch[at + 8] as string,
    typeof body === 'number' ? '' : body,
  );
}
