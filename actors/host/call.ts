/** One request as a handler sees it. */
import type { Turn } from '#storage/port.ts';
import type { Body } from '#actors/protocol/frame.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Method, RouteRow } from '#actors/protocol/route.ts';
import { bodyText, parseJson } from '#actors/kit/json.ts';
import type { JsonResult } from '#actors/kit/json.ts';
import type { Activation } from './activation.ts';

export interface CompiledRoute {
  readonly no: number;
  readonly name: string;
  readonly service: string;
  readonly row: RouteRow;
  readonly paramNames: readonly string[];
}

export class Call {
  /** The door's number of the request. */
  readonly no: number;
  readonly route: CompiledRoute;
  /** The tenant's activation, set by the host before the turn; null on routes that take no position. */
  tenant: Activation | null = null;
  /** Above 0 a tenant number, else why there is none (frame.ts). */
  readonly tenantNo: number;
  readonly method: Method | 'HEAD';
  readonly authorization: string;
  readonly requestId: string;
  readonly rawQuery: string;
  readonly body: Body;
  principal: Principal | null = null;
  readonly #params: string;
  readonly #extra: string;
  #turn: Turn | null = null;
  #seen = 0;
  #query: URLSearchParams | null = null;

  constructor(
    no: number,
    route: CompiledRoute,
    tenantNo: number,
    method: Method | 'HEAD',
    params: string,
    rawQuery: string,
    authorization: string,
    requestId: string,
    extra: string,
    body: Body,
  ) {
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

  /** The tenant's activation; a fault where the route's position rule lets none through. */
  get activation(): Activation {
    if (this.tenant === null) throw new Error(`${this.route.name}: no tenant at this position`);
    return this.tenant;
  }

  /** A path parameter, percent-decoded (as it came, when it does not decode). */
  param(name: string): string {
    const at = this.route.paramNames.indexOf(name);
    const raw = this.route.paramNames.length === 1 ? this.#params : (this.#params.split('\n')[at] ?? '');
    if (!raw.includes('%')) return raw;
    try {
      return decodeURIComponent(raw);
    } catch {
      return raw;
    }
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
    const text = bodyText(this.body);
    if (text === null) return { ok: false, fault: 'body is not valid UTF-8' };
    if (text === '') return { ok: false, fault: 'empty body' };
    return parseJson(text);
  }

  /** The current turn on the tenant's default datastore; the host commits it when the handler has answered with a reply. */
  turn(): Turn {
    return (this.#turn ??= this.activation.store.begin());
  }

  /** For a handler that waited: what was staged is dropped, what was read still counts for the reply rule. */
  nextTurn(): Turn {
    this.abort();
    return this.turn();
  }

  /** Commits what is staged; the newest journal number that this call read or wrote. */
  commit(): number {
    if (this.#turn === null) return this.#seen;
    if (this.#turn.dirty) this.#turn.commit();
    this.#seen = Math.max(this.#seen, this.#turn.newest);
    this.#turn = null;
    return this.#seen;
  }

  /** Drops what is staged; the newest journal number that this call read. */
  abort(): number {
    if (this.#turn === null) return this.#seen;
    this.#turn.abort();
    this.#seen = Math.max(this.#seen, this.#turn.newest);
    this.#turn = null;
    return this.#seen;
  }

  /** Counts a read made outside the turn (a snapshot) for the reply rule. */
  saw(newest: number): void {
    this.#seen = Math.max(this.#seen, newest);
  }
}
