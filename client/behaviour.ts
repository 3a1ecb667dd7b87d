/** What a tenant does beside rows: declared actions, scripted endpoints (docs/contract/data-behaviour.md §2, §3), GraphQL (docs/contract/data.md §8.2). */
import { SkepError } from './errors.ts';
import type { SchemaTypes } from './schema.ts';
import type { Ask, Transport } from './transport.ts';
import type { WriteOptions } from './entity.ts';

type AnyActions = Readonly<Record<string, Readonly<Record<string, { readonly params: Record<string, unknown> }>>>>;
type AnyEndpoints = Readonly<Record<string, string>>;
type ActionsOf<S extends SchemaTypes> = S extends { readonly actions: infer A } ? A : AnyActions;
type EndpointsOf<S extends SchemaTypes> = S extends { readonly endpoints: infer N } ? N : AnyEndpoints;

export type ActionName<S extends SchemaTypes> = keyof ActionsOf<S> & string;
export type Section<S extends SchemaTypes, A extends ActionName<S>> = keyof ActionsOf<S>[A] & string;
type Params<S extends SchemaTypes, A extends ActionName<S>, C extends Section<S, A>> = ActionsOf<S>[A][C] extends {
  readonly params: infer P extends object;
}
  ? P
  : never;
/** What a section of an action is called with; nothing where no parameter is required. */
export type ActionCall<S extends SchemaTypes, A extends ActionName<S>, C extends Section<S, A>> =
  {} extends Params<S, A, C>
    ? [params?: Params<S, A, C>, options?: WriteOptions]
    : [params: Params<S, A, C>, options?: WriteOptions];

export type EndpointPath<S extends SchemaTypes> = keyof EndpointsOf<S> & string;
export type EndpointVerb<S extends SchemaTypes, P extends EndpointPath<S>> = EndpointsOf<S>[P] & string;

export interface EndpointOptions extends WriteOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** Leaves as JSON. */
  readonly body?: object;
}

export interface ActionResult {
  /** The rows that its statement gave. */
  readonly rows: readonly Record<string, unknown>[];
  /** How many rows it gave, or changed. */
  readonly total: number;
}

const VERBS: Readonly<Record<string, string>> = { read: 'GET', create: 'POST', update: 'PATCH', delete: 'DELETE' };

export async function callAction(
  transport: Transport,
  name: string,
  section: string,
  params: object = {},
  { key, signal }: WriteOptions = {},
): Promise<ActionResult> {
  const ask = { method: VERBS[section]!, path: `/data/actions/${encodeURIComponent(name)}`, key, signal };
  const inQuery = section === 'read' || section === 'delete';
  const { json } = await transport.send(inQuery ? { ...ask, query: queryOf(params) } : { ...ask, body: params });
  const { data = [], total } = json as { readonly data?: ActionResult['rows']; readonly total: number };
  return { rows: data, total };
}

/** A list is a key that repeats; null is what an absent parameter is. */
function queryOf(params: object): URLSearchParams {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const one of [value].flat()) if (one !== undefined && one !== null) out.append(name, String(one));
  return out;
}

export async function callEndpoint(
  transport: Transport,
  method: string,
  path: string,
  { query = {}, body, key, signal }: EndpointOptions = {},
): Promise<unknown> {
  const whole = `/data/x/${path.split('/').map(encodeURIComponent).join('/')}`;
  return (await transport.send({ method, path: whole, query: new URLSearchParams(query), body, key, signal })).json;
}

/** The `data` of the answer. Throws `client.graphql` with `details.errors` where the answer has errors. */
export async function callGraphql(
  transport: Transport,
  query: string,
  variables: object = {},
  { key, signal }: WriteOptions = {},
): Promise<unknown> {
  // The answer to a key is kept for a day: only a document that may write has one.
  const again: Ask['again'] = /\bmutation\b/.test(query) ? 'once' : 'safe';
  const ask: Ask = { method: 'POST', path: '/data/graphql', body: { query, variables }, again, key, signal };
  const { status, json } = await transport.send(ask);
  const { data, errors = [] } = json as { readonly data?: unknown; readonly errors?: readonly { message: string }[] };
  if (errors.length === 0) return data;
  const message = errors.map((error) => error.message).join('; ');
  throw new SkepError(status, 'client.graphql', { message, details: { errors, data } });
}
