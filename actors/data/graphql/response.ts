/** Answers of GraphQL over HTTP, in the media type that the caller takes (GraphQL over HTTP, "Media Types", "Response"). */
import type { Call } from '#actors/host/call.ts';
import { replyText } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { GraphQLAnswer, NOT_BY_GET } from './answer.ts';

const GRAPHQL = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/**
 * 200 with what was run. What was not is 400 in GraphQL's own media type, whose statuses mean something, and 200 in plain JSON,
 * as older clients want it. 405 for a mutation by GET.
 */
export function rendered(call: Call, answer: GraphQLAnswer | typeof NOT_BY_GET): Reply<200 | 400 | 405> {
  const takesGraphQL = prefersGraphQL(call.header('accept') ?? '');
  const type = `${takesGraphQL ? GRAPHQL : JSON_TYPE}; charset=utf-8`;
  const headers = { Vary: 'Accept' };
  if (typeof answer === 'string') return replyText(405, BY_POST, type, { ...headers, Allow: 'POST' });
  const status = takesGraphQL && !('data' in answer) ? 400 : 200;
  return replyText(status, JSON.stringify(answer), type, headers);
}

const BY_POST = JSON.stringify({
  errors: [{ message: 'mutations are sent by POST', extensions: { code: 'v2.graphql_invalid' } }],
});

/** Whether GraphQL's media type is named, and at least as welcome as plain JSON. */
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
