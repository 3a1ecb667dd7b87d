/** A client of one tenant. */
import { callAction, callEndpoint, callGraphql } from './behaviour.ts';
import type {
  ActionCall,
  ActionName,
  ActionResult,
  EndpointOptions,
  EndpointPath,
  EndpointVerb,
  Section,
} from './behaviour.ts';
import { Entity, type WriteOptions } from './entity.ts';
import { givenToken, type TokenSource } from './given-token.ts';
import { Login, type Password } from './login.ts';
import type { AnySchema, EntityName, SchemaTypes } from './schema.ts';
import { inMemory, TokenPlace, type TokenStorage } from './tokens.ts';
import { Transport, type Ask, type RetryOptions } from './transport.ts';

/** The tenant: its key `customer:product:env:tenant`, or the four segments. */
export type Position =
  | `${string}:${string}:${string}:${string}`
  | { readonly customer: string; readonly product: string; readonly env: string; readonly tenant: string };

/** Where the tenant is served: at a position of a node, or at a site of its own, which needs none. */
export type Place =
  | { readonly url: string; readonly position: Position; readonly site?: undefined; readonly cookies?: undefined }
  | {
      readonly site: string;
      /** The page is one of the site, which has `cookies: true`: its login is in cookies that no script can read. */
      readonly cookies?: boolean;
      readonly url?: undefined;
      readonly position?: undefined;
    };

interface CommonOptions {
  /** The bearer of a program, in place of a login. */
  readonly token?: TokenSource;
  /**
   * Where the tokens of a login are kept: `localStorage` for a login that outlives the page and that its tabs share. In memory unless set. With `cookies` it
   * keeps no token, only that there is a login, and is `localStorage` unless set.
   */
  readonly storage?: TokenStorage;
  readonly retry?: RetryOptions;
  /** How long an answer may take: 30,000 ms unless set. */
  readonly timeoutMs?: number;
  /** Sends the requests; the global `fetch` unless set. */
  readonly fetch?: typeof fetch;
}

export type ClientOptions = Place & CommonOptions;

/** Logins of users. */
export interface Auth {
  /** Whether there are tokens. That they still count is known by the next answer. */
  readonly isLoggedIn: boolean;
  login(password: Password): Promise<void>;
  /** Logs in by any other request that is answered as a login is: `enter({ method: 'POST', path: '/auth/guest' })`. */
  enter(ask: Ask): Promise<void>;
  logout(): Promise<void>;
  /** Of this login, made at random: the same in all tabs that share it, another after the next login, null without one. It is no credential. */
  readonly loginId: string | null;
  /** Calls `listener` with every login and every end of one, in this client and in tabs that share its `localStorage`; gives the function that ends that. */
  onChange(listener: (isLoggedIn: boolean) => void): () => void;
}

export interface Client<S extends SchemaTypes> {
  /** Sends any request of this tenant, with its credential, its key and its retries: `transport.send({ method: 'GET', path: '/auth/me' })`. */
  readonly transport: Transport;
  readonly auth: Auth;
  /** The rows of an entity or a view. */
  from<E extends EntityName<S>>(entity: E): Entity<S, E>;
  /** Calls a section of a declared action: `action('report', 'read', { since })`. */
  action<A extends ActionName<S>, C extends Section<S, A>>(
    name: A,
    section: C,
    ...call: ActionCall<S, A, C>
  ): Promise<ActionResult>;
  /** Calls a scripted endpoint: `endpoint('POST', 'stamps', { body })`. Gives what its script returns. */
  endpoint<P extends EndpointPath<S>>(verb: EndpointVerb<S, P>, path: P, options?: EndpointOptions): Promise<unknown>;
  /** Gives the `data` of the answer; an answer with errors is thrown as `client.graphql`. */
  graphql(query: string, variables?: object, options?: WriteOptions): Promise<unknown>;
}

/** A client of the tenant at this place. `S` is what `skep types` wrote; without it every name is a text and every field unknown. Nothing is sent yet. */
export function createClient<S extends SchemaTypes = AnySchema>(options: ClientOptions): Client<S> {
  const { token, cookies = false, retry = {}, timeoutMs = 30_000 } = options;
  const { storage = cookies ? localStorage : inMemory() } = options;
  const base = new URL(options.site ?? options.url).origin;
  const headers = options.site === undefined ? headersOf(options.position) : {};
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  const credential = token === undefined ? null : givenToken(token);
  const transport = new Transport({ base, headers, credential, retry, timeoutMs, fetch: send });
  const listeners = new Set<(isLoggedIn: boolean) => void>();
  const changed = (isLoggedIn: boolean): void => {
    seen = login.id;
    listeners.forEach((listener) => listener(isLoggedIn));
  };
  const place = new TokenPlace(storage, `skep ${transport.place}`);
  const login = new Login(transport, place, cookies, changed);
  // A renewal is written, too, and is no news.
  let seen: string | null = null;
  let stopHearing = (): void => undefined;
  transport.credential ??= login;
  const auth: Auth = {
    get isLoggedIn() {
      return login.isLoggedIn;
    },
    get loginId() {
      return login.id;
    },
    login: (password) => login.login(password),
    enter: (ask) => login.enter(ask),
    logout: () => login.logout(),
    onChange: (listener) => {
      if (listeners.size === 0) {
        seen = login.id;
        stopHearing = place.onForeignWrite(() => login.id !== seen && changed(login.isLoggedIn));
      }
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stopHearing();
      };
    },
  };
  return {
    transport,
    auth,
    from: (entity) => new Entity(transport, entity),
    action: (action, section, ...[params, how]) => callAction(transport, action, section, params, how),
    endpoint: (verb, path, how) => callEndpoint(transport, verb, path, how),
    graphql: (query, variables, how) => callGraphql(transport, query, variables, how),
  };
}

/** The four headers of a position (docs/contract/common.md §1.1). */
function headersOf(position: Position): Record<string, string> {
  const { customer, product, env, tenant } = typeof position === 'string' ? segmentsOf(position) : position;
  return { 'X-Customer': customer, 'X-Product': product, 'X-Env': env, 'X-Tenant': tenant };
}

function segmentsOf(key: string): Exclude<Position, string> {
  const [customer, product, env, tenant, ...rest] = key.split(':');
  if (!customer || !product || !env || !tenant || rest.length > 0)
    throw new TypeError(`"${key}" is no tenant key: write customer:product:env:tenant`);
  return { customer, product, env, tenant };
}
