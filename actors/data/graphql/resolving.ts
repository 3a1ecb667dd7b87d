/** Resolvers that tell what a caller did wrong from what we did: the one is an error of the answer, the other ends the request. */
import { GraphQLError } from 'graphql';
import type { GraphQLFieldResolver } from 'graphql';
import type { Context } from './context.ts';

type Resolver<S, A> = (source: S, args: A, context: Context) => unknown;

/** The resolver, its faults noted in the context. What it is given is what the schema says where it stands. */
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
