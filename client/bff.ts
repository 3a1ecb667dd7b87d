/** Endpoints of the BFF, each made of several calls: `bff(client, 'GET', 'city/{id}', { params: { id } })` (docs/contract/bff.md). */
import type { Client } from './create-client.ts';
import type { SchemaTypes } from './schema.ts';

type RoutesOf<S extends SchemaTypes> = S extends { readonly bff: infer B } ? B : Readonly<Record<string, string>>;
export type BffPath<S extends SchemaTypes> = keyof RoutesOf<S> & string;
export type BffVerb<S extends SchemaTypes, P extends BffPath<S>> = RoutesOf<S>[P] & string;

/** The names in the braces of a path. */
type NamesIn<P extends string> = P extends `${string}{${infer N}}${infer Rest}` ? N | NamesIn<Rest> : never;
export type BffParams<P extends string> = string extends P
  ? Readonly<Record<string, string>>
  : { readonly [N in NamesIn<P>]: string };

export type BffOptions<P extends string> = ({} extends BffParams<P>
  ? { readonly params?: BffParams<P> }
  : { readonly params: BffParams<P> }) & {
  readonly query?: Readonly<Record<string, string>>;
  /** Leaves as JSON. */
  readonly body?: object;
  /**
   * Leaves as `Idempotency-Key`, which the endpoint may hand to its calls. A write without one is sent once, whatever happens to its answer: the BFF
   * itself keeps no answers.
   */
  readonly key?: string;
  readonly signal?: AbortSignal;
};
type Call<P extends string> = {} extends BffParams<P> ? [options?: BffOptions<P>] : [options: BffOptions<P>];

export interface BffResult {
  readonly data: unknown;
  /** Names of the calls that failed, and that the answer goes without. */
  readonly degraded: readonly string[];
}

/** Throws 502 or 504 `bff.upstream_failed` where a call failed that the answer cannot go without; `details` has `call` and `reason`. */
export async function bff<S extends SchemaTypes, const P extends BffPath<S>>(
  { transport }: Client<S>,
  method: BffVerb<S, P>,
  path: P,
  ...[options]: Call<P>
): Promise<BffResult> {
  const { params, query = {}, body, key, signal } = (options ?? {}) as BffOptions<string>;
  const { headers, json } = await transport.send({
    method,
    path: `/bff/${filled(path, params ?? {})}`,
    query: new URLSearchParams(query),
    body,
    key,
    signal,
    again: method === 'GET' ? 'safe' : key === undefined ? 'never' : 'once',
  });
  const degraded = headers.get('x-degraded');
  return { data: json, degraded: degraded === null ? [] : degraded.split(/,\s*/) };
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new TypeError(`the path ${path} needs the parameter ${name}`);
    return encodeURIComponent(value);
  });
}
