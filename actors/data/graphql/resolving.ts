/** Resolvers that tell refusals from faults: a refusal is an error of the answer, a fault ends the request. */
import { GraphQLError, type GraphQLFieldResolver } from 'graphql';
import type { Context } from './context.ts';

type Resolver<S, A> = (source: S, args: A, context: Context) => unknown;

/** The resolver, its faults noted in the context. The schema guarantees what types `source` and `args` have. */
export function resolving<S, A>(resolve: Resolver<S, A>): GraphQLFieldResolver<unknown, Context> {
  return (source, args, context) => {
    try {
      const result = resolve(source as S, args as A, context);
      return result instanceof Promise ? result.catch((error: unknown) => noted(context, error)) : result;
    } catch (error) {
      return noted(context, error);
    }
  };
}

function noted(context: Context, error: unknown): never {
  if (!(error instanceof GraphQLError)) context.fault ??= error;
  throw error;
}
