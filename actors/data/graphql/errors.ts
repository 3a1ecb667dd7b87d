/** Errors of GraphQL answers. Each carries a code of the service's refusals under `extensions` (GraphQL §7.1.2). */
import { GraphQLError } from 'graphql';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Failure } from '#actors/engine/rows/failure.ts';
import type { refusals } from '../refusals.ts';
import type { GraphqlError } from '../shapes.ts';

type Code = keyof typeof refusals;

function coded(code: Code, { status, message, details }: Failure): GraphQLError {
  return new GraphQLError(message, { extensions: { code, status, ...(details !== undefined && { details }) } });
}

export const queryError = (failure: Failure): GraphQLError => coded('v2.query_failed', failure);

export function writeError(verb: 'create' | 'update' | 'delete' | 'restore', failure: Failure): GraphQLError {
  return coded(`v2.${verb}_failed`, failure);
}

/** A document or request that cannot be run; nothing of it was run. */
export function invalidError(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'v2.graphql_invalid' } });
}

/** A document that asks for more than one answer may hold. */
export function tooComplex(message: string, details: Readonly<Record<string, number>>): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'v2.graphql_too_complex', details } });
}

/** An answer that would hold too many values. */
export const costOver = (cost: number, most: number): ShownError =>
  shown(tooComplex(`the answer may hold ${cost} values, at most ${most}`, { cost, most }), 'v2.graphql_too_complex');

export type ShownError = GraphqlError;

/** An error as it is answered. Errors of the library get the code of their stage. */
export function shown(error: GraphQLError, code: Code): ShownError {
  const { message, locations, path, extensions } = error;
  return {
    message,
    ...(locations !== undefined && locations.length > 0 && { locations }),
    ...(path !== undefined && { path }),
    extensions: { code, ...extensions },
  };
}

/** A refusal of the feed, as an error. */
export function refusedError({ code, status, message, details }: Refusal): ShownError {
  return { message, extensions: { code, status, ...(details !== undefined && { details }) } };
}
