/** Identity without threads: a tenant awake over a plain store, and calls that run as the host runs them. */
import { Exclusive } from '#actors/host/exclusive.ts';
import { randomBytes } from 'node:crypto';
import type { Activation, Context } from '#actors/host/activation.ts';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import type { Service } from '#actors/host/service.ts';
import type { AuthEvent } from '#actors/identity/events.ts';
import type { Hook } from '#actors/identity/hooks.ts';
import type { IdentityOptions } from '#actors/identity/identity.ts';
import { routes } from '#actors/identity/routes.ts';
import { issueKeyInternally } from '#actors/identity/new-key.ts';
import { identityService } from '#actors/identity/service.ts';
import type { Capabilities } from '#actors/identity/shapes.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { mintToken } from '#actors/kit/token/mint.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import type { TokenRing } from '#actors/kit/token-ring.ts';
import type { AskNode } from '#actors/protocol/node-verbs.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { isRefusal, refusalBody, type Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { StorageFull } from '#storage/fault.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Store, Turn } from '#storage/port.ts';

export const POSITION = 'acme:atlas:dev:main';

export interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

export interface Ask {
  readonly authorization?: string;
  /** Serialised as JSON unless a string. */
  readonly body?: unknown;
  /** The path's parameter. */
  readonly id?: string;
  readonly query?: string;
  /** Lines `name:value\n` of headers that the row names. */
  readonly extra?: string;
  /** Below 1: why there is no tenant. */
  readonly tenantNo?: number;
}

export interface WorldOptions {
  readonly position?: string;
  readonly bootstrapToken?: string | null;
  readonly hooks?: readonly Hook[];
  readonly logEvent?: IdentityOptions['logEvent'];
  readonly store?: Store;
  /** `product.yaml`. */
  readonly settings?: ProductDefinition['settings'];
  readonly mails?: ProductDefinition['mails'];
  readonly outbound?: IdentityOptions['outbound'];
  readonly mail?: IdentityOptions['mail'];
  readonly askNode?: AskNode;
}

/** A store whose commits can be made to fail. */
export class FullStore extends MemoryStore {
  full: 'overlay' | 'disk' | null = null;

  override begin(): Turn {
    const turn = super.begin();
    const commit = turn.commit.bind(turn);
    turn.commit = () => {
      if (this.full !== null) throw new StorageFull(this.full);
      commit();
    };
    return turn;
  }
}

export class World {
  readonly clock = new SimulatedClock();
  readonly events: AuthEvent[] = [];
  readonly logged: string[] = [];
  readonly waiting: (() => void)[] = [];
  readonly store: Store;
  readonly context: Context;
  readonly activation: Activation;
  readonly service: Service;
  /** Settles when a tenant with much in its store is awake. */
  readonly woken: void | Promise<void>;
  ring: TokenRing;
  random: (bytes: number) => Buffer = randomBytes;

  constructor(options: WorldOptions = {}) {
    this.ring = ringOf([newSigningKey({ clock: this.clock, random: randomBytes })]);
    this.store = options.store ?? new MemoryStore();
    this.context = this.#makeContext();
    const position = parsePosition(options.position ?? POSITION)!;
    const { settings = {}, mails = [] } = options;
    const product = { name: 'atlas', entities: {}, settings, mails };
    const { context, store } = this;
    this.activation = { position, tenantNo: 7, context, product, store, exclusive: new Exclusive() };
    this.service = identityService({
      context,
      bootstrapToken: options.bootstrapToken ?? null,
      hooks: options.hooks ?? [],
      logEvent: options.logEvent ?? ((event) => void this.events.push(event)),
      later: (run) => void this.waiting.push(run),
      outbound: options.outbound ?? {},
      mail: options.mail ?? null,
      ...(options.askNode === undefined ? {} : { askNode: options.askNode }),
    });
    this.woken = this.service.activate(this.activation);
  }

  /** The `Authorization` header of a new key with these capabilities. */
  key(capabilities: Capabilities = {}): string {
    const turn = this.store.begin();
    const { key } = issueKeyInternally(turn, this.context, { capabilities, createdBy: 'test' });
    turn.commit();
    return `ApiKey ${key}`;
  }

  /** The `Authorization` header of a user token at this world's position. */
  bearer(roles: readonly string[] = [], claims: object = {}): string {
    const exp = '2999-01-01T00:00:00Z';
    const tenant = this.activation.position.key;
    return `Bearer ${mintToken(this.ring, { iss: 'iam', sub: 'U', type: 'user', tenant, roles, exp, ...claims })}`;
  }

  /** Runs what waits for the end of the turn. */
  settle(): void {
    for (const run of this.waiting.splice(0)) run();
  }

  /** One request, as the host runs it: authenticate, handler, commit. */
  async ask(name: keyof typeof routes, ask: Ask = {}): Promise<Answer> {
    return answerOf(await this.#run(name, this.call(name, ask)));
  }

  call(name: keyof typeof routes, ask: Ask = {}): Call {
    const row = routes[name];
    const paramNames = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
    const route: CompiledRoute = { no: 1, name: `identity.${name}`, service: 'identity', row, paramNames };
    const tenant = ask.tenantNo === undefined ? this.activation : null;
    const body = ask.body === undefined ? '' : typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body);
    const tenantNo = ask.tenantNo ?? this.activation.tenantNo;
    const { id = '', query = '', authorization = '', extra = '' } = ask;
    const call = new Call(0, route, tenantNo, row.methods[0], id, query, authorization, 'req-1', extra, body);
    call.tenant = tenant;
    return call;
  }

  async #run(name: keyof typeof routes, call: Call): Promise<Reply | Refusal> {
    try {
      if (routes[name].callers.auth !== 'none') {
        const who = this.service.authenticate(call);
        if (isRefusal(who)) return who;
        call.principal = who;
      }
      const outcome = await this.service.handlers[name]!(call);
      if (isRefusal(outcome)) call.abort();
      else call.commit();
      return outcome;
    } catch (error) {
      call.abort();
      if (error instanceof Busy) return this.service.unavailable(call, 'overloaded');
      if (!(error instanceof StorageFull)) throw error;
      return this.service.unavailable(call, error.why === 'disk' ? 'storage_full' : 'overloaded');
    }
  }

  #makeContext(): Context {
    const log = (_fields: object, message: string) => void this.logged.push(message);
    // oxlint-disable-next-line no-this-alias -- the ring of a world can be exchanged while it runs
    const world = this;
    return {
      clock: this.clock,
      ids: new IdSource(this.clock),
      log: { info: log, warn: log, error: log },
      random: (bytes) => this.random(bytes),
      get ring() {
        return world.ring;
      },
    };
  }
}

function answerOf(outcome: Reply | Refusal): Answer {
  const text = outcome.kind === 'refusal' ? refusalBody(outcome) : (outcome.text ?? JSON.stringify(outcome.body));
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return {
    status: outcome.status,
    code: body['code'] as string | undefined,
    body,
    text,
    headers: outcome.headers ?? {},
    cookies: outcome.kind === 'reply' ? (outcome.cookies ?? []) : [],
  };
}
