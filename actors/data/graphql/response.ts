/** Answers of GraphQL over HTTP, in the media type that the caller takes (GraphQL over HTTP, "Media Types", "Response"). */
import type { Call } from '#actors/host/call.ts';
import { rendered as asJson } from '#actors/protocol/body.ts';
import { replyJson, type Reply } from '#actors/protocol/route.ts';
import type { GraphqlAnswer as GraphqlBody } from '../shapes.ts';
import type { GraphQLAnswer } from './answer.ts';

const GRAPHQL = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/**
 * 200 for a request that was run. One that was not is 400 in GraphQL's own media type, whose statuses mean something, and 200 in plain JSON, as
 * older clients want it.
 */
export function rendered(call: Call, answer: GraphQLAnswer): Reply<200 | 400, GraphqlBody> {
  const takesGraphQL = prefersGraphQL(call.header('accept') ?? '');
  const status = takesGraphQL && !('data' in answer) ? 400 : 200;
  return replyJson(status, asJson<GraphqlBody>(answer), VARY, typeFor(takesGraphQL));
}

/** 405 for a mutation by GET. */
export function onlyByPost(call: Call): Reply<405, GraphqlBody> {
  const type = typeFor(prefersGraphQL(call.header('accept') ?? ''));
  return replyJson(405, BY_POST, { ...VARY, Allow: 'POST' }, type);
}

const VARY = { Vary: 'Accept' } as const;
const BY_POST = asJson<GraphqlBody>({
  errors: [{ message: 'mutations are sent by POST', extensions: { code: 'v2.graphql_invalid' } }],
});

const typeFor = (takesGraphQL: boolean) => `${takesGraphQL ? GRAPHQL : JSON_TYPE}; charset=utf-8` as const;

/** Whether `Accept` names GraphQL's media type with at least the quality of plain JSON. */
function prefersGraphQL(accept: string): boolean {
  const quality = (type: string): number => {
    const range = accept.split(',').find((part) => part.split(';', 1)[0]!.trim().toLowerCase() === type);
    if (range === undefined) return 0;
    const q = /;\s*q=([0-9.]+)/i.exec(range);
    return q === null ? 1 : Number(q[1]);
  };
  const wanted = quality(GRAPHQL);
  return wanted > 0 && wanted >= quality(JSON_TYPE);
}
