/** What the scratchpad asks of the tenant at its place, by the routes that programs have. */
import { queryOptions } from '@tanstack/react-query';
import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import { remember } from '../requests/history.ts';
import type { Place } from '../session/session.ts';
import { rowsAt } from './rows-at.ts';
import type { ExpressionSearch } from './search.ts';

const GRAPHQL = '/data/graphql';
const MINUTE_MS = 60_000;

export interface GraphqlFault {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string };
}

export interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlFault[];
}

export interface GraphqlWish {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string | undefined;
}

/** The schema as this login may see it. */
export const graphqlSchemaOf = (place: Place) =>
  queryOptions({
    queryKey: ['graphql', 'schema'],
    queryFn: async ({ signal }): Promise<GraphQLSchema> => {
      const body = { query: getIntrospectionQuery() };
      const { json } = await place.skep.transport.send({ method: 'POST', path: GRAPHQL, body, again: 'safe', signal });
      const { data, errors } = json as GraphqlAnswer;
      if (data === undefined || data === null) throw new Error(errors?.map(({ message }) => message).join('; '));
      return buildClientSchema(data as IntrospectionQuery);
    },
    staleTime: 10 * MINUTE_MS,
  });

/** Sent once: a mutation whose answer was lost may have been carried out, and its reader decides. */
export async function runGraphql({ skep }: Place, body: GraphqlWish): Promise<GraphqlAnswered> {
  const began = performance.now();
  const { status, json } = await skep.transport.send({ method: 'POST', path: GRAPHQL, body, again: 'never' });
  return { answer: json as GraphqlAnswer, status, ms: performance.now() - began };
}

interface GraphqlAnswered {
  readonly answer: GraphqlAnswer;
  readonly status: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** The envelope of rows as it is, and what the expression makes of it. */
export const expressedOf = (place: Place, search: ExpressionSearch) =>
  queryOptions({
    queryKey: ['expressed', search],
    queryFn: async ({ signal }): Promise<{ envelope: unknown; result: unknown }> => {
      const path = rowsAt(search);
      const ask = async (query: URLSearchParams): Promise<unknown> =>
        (await place.skep.transport.send({ method: 'GET', path, query, signal })).json;
      const query = new URLSearchParams(search.parameters);
      query.delete('expression');
      const envelope = await ask(query);
      query.set('expression', search.expression ?? '.');
      const began = performance.now();
      const result = await ask(query);
      const [ms, filled] = [performance.now() - began, { ...search }];
      remember(place, { kind: 'expression', title: `${path} · ${search.expression}`, status: 200, ms, filled });
      return { envelope, result };
    },
    enabled: search.entity !== undefined && search.expression !== undefined,
    staleTime: 0,
  });
