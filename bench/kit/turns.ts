/** Requests as a host's services answer them, without door, threads and fsync: one tenant on a store of its own on the disk. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import { BodyStream } from '#actors/host/body-stream.ts';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { Inside } from '#actors/host/inside.ts';
import type { Service } from '#actors/host/service.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { mintServiceToken } from '#actors/kit/token/mint.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Store } from '#storage/port.ts';
import { openBenchArchive } from './bench-archive.ts';

const TENANT_NO = 2;
const SCOPE = 'acme:dev:atlas:main';
const silent = (): void => undefined;

/** The principal of calls that are measured without authentication. */
const USER: Principal = { ...ANONYMOUS, type: 'user', subject: 'u1', roles: ['editor'] };

export interface Asked {
  readonly service?: 'data' | 'content' | 'bff';
  /** The route's name. */
  readonly route: string;
  readonly method: Method;
  /** Path parameters, one a line. */
  readonly params: string;
  readonly query?: string;
  readonly body?: object;
  /** A body that comes as a stream, with its `Content-Type`. */
  readonly stream?: { readonly type: string; readonly bytes: Uint8Array };
  readonly expect: number;
  /** Presents a service's token, which is judged; else a user is taken as read. */
  readonly withToken?: boolean;
}

export class Turns {
  readonly activation: Activation;
  readonly services: ReadonlyMap<string, Service>;
  readonly #inside: Inside;
  readonly #routes = new Map<string, CompiledRoute>();
  readonly #authorization: string;

  constructor(store: Store, product: ProductDefinition, servicesOf: (context: Context) => readonly Service[]) {
    const ring = ringOf([newSigningKey({ clock: systemClock, random: randomBytes })]);
    const log = { info: silent, warn: silent, error: silent };
    const context = { clock: systemClock, ids: new IdSource(systemClock), log, random: randomBytes, ring };
    const position = parsePosition('acme:atlas:dev:main')!;
    this.services = new Map(servicesOf(context).map((service) => [service.name, service]));
    const exclusive = new Exclusive();
    this.activation = { position, tenantNo: TENANT_NO, context, product, store, exclusive };
    let no = 0;
    for (const service of this.services.values())
      for (const [name, row] of Object.entries(service.routes)) {
        const paramNames = [...row.path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1]!);
        this.#routes.set(`${service.name} ${name}`, { no: no++, name, service: service.name, row, paramNames });
      }
    this.#inside = new Inside({ log, routes: [...this.#routes.values()], services: this.services });
    const claims = { keyId: '01J00000000000000000000000', tenant: position.key, scope: [SCOPE], audience: null };
    const lifetimeSeconds = limits.identity.serviceTokenSeconds;
    this.#authorization = `Bearer ${mintServiceToken(ring, systemClock.now(), { ...claims, lifetimeSeconds })}`;
  }

  /** Wakes the tenant as a host does. */
  async wake(): Promise<void> {
    await this.#woken(this.activation);
  }

  /** Wakes the tenant once more with these definitions; no call uses it. */
  async wakeAnother(product: ProductDefinition): Promise<Activation> {
    return this.#woken({ ...this.activation, product, exclusive: new Exclusive() });
  }

  async #woken(activation: Activation): Promise<Activation> {
    for (const service of this.services.values()) await service.activate(activation);
    this.#inside.carryFor(activation);
    return activation;
  }

  /** One request; its writes are dropped unless `keep`: the journal has cases of its own. */
  run(asked: Asked, keep = false): () => Reply | Promise<Reply> {
    const { service: name = 'data', route, method, params, query = '', body, stream, withToken = false } = asked;
    const text = body === undefined ? '' : JSON.stringify(body);
    const compiled = this.#routes.get(`${name} ${route}`)!;
    const service = this.services.get(name)!;
    const handler = service.handlers[route]!;
    const authorization = withToken ? this.#authorization : '';
    const extra = stream === undefined ? '' : `content-type:${stream.type}\n`;
    return () => {
      const call = new Call(0, compiled, TENANT_NO, method, params, query, authorization, 'r1', extra, text);
      call.tenant = this.activation;
      if (stream !== undefined) call.stream = streamOf(stream.bytes);
      const principal = withToken ? service.authenticate(call) : USER;
      if (isRefusal(principal)) throw new Error(`${route}: ${JSON.stringify(principal)}`);
      call.principal = principal;
      const end = (outcome: Reply | Refusal): Reply => {
        if (isRefusal(outcome) || outcome.status !== asked.expect)
          throw new Error(`${route}: ${JSON.stringify(outcome)}`);
        if (keep) call.commit();
        else call.abort();
        return outcome;
      };
      const outcome = handler(call);
      return outcome instanceof Promise ? outcome.then(end) : end(outcome);
    };
  }
}

function streamOf(bytes: Uint8Array): BodyStream {
  const stream = new BodyStream(silent);
  stream.push(bytes);
  stream.end();
  return stream;
}

export interface TurnsWish {
  readonly product: ProductDefinition;
  readonly services: (context: Context, dir: string) => readonly Service[];
}

/** Makes the store, applies the schema and wakes the tenant; all of it is removed afterwards. */
export async function withTurns<T>(
  dataDir: string,
  { product, services }: TurnsWish,
  work: (turns: Turns, drain: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(dataDir, 'turns-'));
  const archive = await openBenchArchive(dir);
  try {
    const store = archive.store(0, TENANT_NO);
    await provisionSchema(store, product);
    const turns = new Turns(store, product, (context) => services(context, dir));
    await turns.wake();
    return await work(turns, () => archive.drain());
  } finally {
    await archive.close();
    await rm(dir, { recursive: true, force: true });
  }
}
