/** A tenant of the data service in memory, and requests to it, without threads: what a host does, in a few lines. */
import { Exclusive } from '#actors/host/exclusive.ts';
import type { BodyStream } from '#actors/host/body-stream.ts';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import type { Service } from '#actors/host/service.ts';
import { dataService } from '#actors/data/service.ts';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import { fuelled, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { positionOf } from '#actors/protocol/position.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import { isRefusal, refusalBody, type Refusal } from '#actors/protocol/refusal.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { EntityDefinition, FieldDefinition, ProductDefinition } from '#config/definitions/product.ts';

export type EntityOptions = Partial<Omit<EntityDefinition, 'name' | 'fields' | 'access'>> & {
  readonly access?: Readonly<Record<string, string>> | 'open';
  readonly rowRule?: string;
};

const OPERATIONS = ['create', 'read', 'update', 'delete', 'purge', 'restore'];

/** An entity definition; `access: 'open'` (the default) lets every caller do everything. */
export function entityOf(
  name: string,
  fields: Readonly<Record<string, FieldDefinition>>,
  { access = 'open', rowRule, ...options }: EntityOptions = {},
): EntityDefinition {
  const rules = access === 'open' ? Object.fromEntries(OPERATIONS.map((operation) => [operation, 'true'])) : access;
  return {
    name,
    fields,
    traits: [],
    unique: [],
    index: [],
    where: `entities/${name}.yaml:1:1`,
    ...options,
    access: Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, { language: 'cel', rule }])),
    ...(rowRule !== undefined && { row_rule: { language: 'cel', rule: rowRule } }),
  };
}

export function productOf(
  entities: readonly EntityDefinition[],
  settings: ProductDefinition['settings'] = {},
): ProductDefinition {
  return { name: 'atlas', entities: Object.fromEntries(entities.map((entity) => [entity.name, entity])), settings };
}

export const USER: Principal = { ...ANONYMOUS, type: 'user', subject: 'u1', roles: ['editor'] };
export const SUPERADMIN: Principal = { ...USER, subject: 'root', roles: ['superadmin'], superadmin: true };

export interface Answer {
  readonly status: number;
  /** The parsed body; text where it is no JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly headers: Readonly<Record<string, string>>;
}

interface Request {
  readonly authorization?: string;
  readonly extra?: string;
  readonly principal?: Principal;
  /** A body in pieces. */
  readonly stream?: BodyStream;
}

export class DataTenant {
  readonly clock = new SimulatedClock();
  readonly store: MemoryStore;
  readonly service: Service;
  readonly activation: Activation;
  readonly warnings: string[] = [];
  /** The log lines that an operator would read, with their fields. */
  readonly told: { readonly level: 'debug' | 'warn'; readonly fields: object; readonly message: string }[] = [];

  private constructor(product: ProductDefinition, store: MemoryStore, service: Service) {
    const warn = (fields: object, message: string): void => {
      this.warnings.push(message);
      this.told.push({ level: 'warn', fields, message });
    };
    const debug = (fields: object, message: string): void => void this.told.push({ level: 'debug', fields, message });
    const context: Context = {
      clock: this.clock,
      ids: new IdSource(this.clock),
      log: { debug, info: () => undefined, warn, error: () => undefined },
      random: (bytes) => Buffer.alloc(bytes, 7),
      ring: ringOf([]),
    };
    this.store = store;
    this.service = service;
    const position = positionOf('acme', 'atlas', 'dev', 'main')!;
    this.activation = { position, tenantNo: 1, context, product, store, exclusive: new Exclusive() };
  }

  /** A tenant over a store whose schema is brought up to the product first, unless `provision` is false. */
  static async open(
    product: ProductDefinition,
    { store = new MemoryStore(), provision = true, service = dataService() } = {},
  ): Promise<DataTenant> {
    if (provision) await provisionSchema(store, product);
    const tenant = new DataTenant(product, store, service);
    await service.activate(tenant.activation);
    return tenant;
  }

  /** Sends a request as `principal` (no credential is read), or through authenticate() when there is none. */
  async send(method: Method, target: string, body?: unknown, request: Request = { principal: USER }): Promise<Answer> {
    const { outcome } = await this.begin(method, target, body, request);
    if (isRefusal(outcome) || outcome.stream === undefined) return answerOf(outcome);
    const pieces: Uint8Array[] = [];
    for await (const piece of outcome.stream.pieces) pieces.push(piece);
    return { status: outcome.status, body: Buffer.concat(pieces).toString(), headers: outcome.headers ?? {} };
  }

  /** As `send`, with the outcome as the handler gave it: a body in pieces is the caller's to read. */
  async begin(
    method: Method,
    target: string,
    body?: unknown,
    request: Request = { principal: USER },
  ): Promise<{ readonly call: Call; readonly outcome: Reply | Refusal }> {
    const [path = '', rawQuery = ''] = target.split('?', 2);
    const { route, params } = this.#route(method, path);
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const { authorization = '', extra = '' } = request;
    const latin1 = Buffer.from(text).toString('latin1');
    const call = new Call(0, route, 1, method, params, rawQuery, authorization, 'r1', extra, latin1);
    call.tenant = this.activation;
    call.stream = request.stream ?? null;
    const who = request.principal ?? this.service.authenticate(call);
    if (isRefusal(who)) return { call, outcome: who };
    call.principal = who;
    const outcome = await this.#answer(call);
    if (isRefusal(outcome)) call.abort();
    else call.commit();
    return { call, outcome };
  }

  /** A turn burns as at a host. */
  async #answer(call: Call): Promise<Reply | Refusal> {
    try {
      return await fuelled(limits.host.turnUnits, () => this.service.handlers[call.route.name]!(call));
    } catch (error) {
      if (error instanceof OutOfFuel) return this.service.unavailable(call, 'too_costly');
      throw error;
    }
  }

  #route(method: Method, path: string): { route: CompiledRoute; params: string } {
    let no = 0;
    for (const [name, row] of Object.entries(this.service.routes)) {
      const paramNames = [...row.path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1]!);
      const match = new RegExp(`^${row.path.replace(/\{\w+\}/g, '([^/]*)').replace(/\{\w+\*\}/, '(.+)')}$`).exec(path);
      if (match !== null && row.methods.includes(method))
        return { route: { no, name, service: 'data', row, paramNames }, params: match.slice(1).join('\n') };
      no++;
    }
    throw new Error(`no route ${method} ${path}`);
  }
}

/** What goes over the wire: the body through JSON, so that tests see what callers see. */
function answerOf(outcome: Reply | Refusal): Answer {
  const headers = outcome.headers ?? {};
  if (!isRefusal(outcome)) {
    const isJson = outcome.type === undefined || /\bjson/.test(outcome.type);
    const text = outcome.text ?? (outcome.body === undefined ? '' : JSON.stringify(outcome.body));
    const body = isJson && text !== '' ? JSON.parse(text) : text;
    return { status: outcome.status, body, headers };
  }
  const text = refusalBody(outcome);
  return { status: outcome.status, body: outcome.family === 'coded' ? JSON.parse(text) : text, headers };
}
