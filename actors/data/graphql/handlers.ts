/** `/data/graphql` and the schema's SDL. The library is loaded by the first request that needs it: callers of most tenants never do. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, replyText, type Outcome } from '#actors/protocol/route.ts';
import type { Changes } from '../changes/changes.ts';
import { seenBy } from '../documents/handlers.ts';
import { documentOf, headersOf, isKnown } from '../documents/kept.ts';
import { claimKey } from '#actors/host/idempotency/replay.ts';
import { partOf } from '../part.ts';
import { sessionOf } from '../rest/session.ts';
import type { Routes } from '../routes.ts';
import { enact } from '../script/enacting.ts';
import { NOT_BY_GET } from './not-by-get.ts';
import type { GraphQLAnswer, GraphQLRequest, Transaction } from './answer.ts';
import type { Streamed } from './stream.ts';
import { getRequest, postRequest } from './request.ts';
import { onlyByPost, rendered } from './response.ts';

const loadAnswer = () => import('./answer.ts');
const loadStream = () => import('./stream.ts');
const loadSchema = () => import('./tenant-schema.ts');

/** Loads the library and all that needs it: 4 MB, and a tenth of a second. */
export function loadGraphql(): Promise<unknown> {
  return Promise.all([loadAnswer(), loadStream(), loadSchema()]);
}

/** Queries and mutations. */
export async function graphql(call: Call, changes: Changes): Promise<Outcome<Routes['graphql']>> {
  const request = postRequest(call);
  if (isRefusal(request)) return request;
  if (takesEvents(call)) return inEvents(call, changes, request);
  const answer = await answered(call, request);
  if (answer === NOT_BY_GET) throw new Error('a mutation that was sent by POST was taken for one by GET');
  return rendered(call, answer);
}

/** Queries only (GraphQL over HTTP, "GET"). */
export async function graphqlGet(call: Call, changes: Changes): Promise<Outcome<Routes['graphql_get']>> {
  const request = getRequest(call);
  if (isRefusal(request)) return request;
  if (takesEvents(call)) return inEvents(call, changes, request);
  const answer = await answered(call, request);
  return answer === NOT_BY_GET ? onlyByPost(call) : rendered(call, answer);
}

async function answered(call: Call, request: GraphQLRequest): Promise<GraphQLAnswer | typeof NOT_BY_GET> {
  const { answer } = await loadAnswer();
  return answer(seenBy(call), transactionOf(call), request, mostOf(call));
}

const transactionOf = (call: Call): Transaction => ({
  enact: (write, isKept) => enact(call, () => write(sessionOf(call)), isKept),
  commit: () => (claimKey(call), void call.commit()),
  abort: () => void call.abort(),
});

const mostOf = (call: Call): number => partOf(call.activation).languages.graphqlCostMax;

/** Whether a request asks for server-sent events. A HEAD has no body that could go on. */
const takesEvents = (call: Call): boolean =>
  call.method !== 'HEAD' && (call.header('accept') ?? '').toLowerCase().includes('text/event-stream');

async function inEvents(call: Call, changes: Changes, request: GraphQLRequest): Promise<Streamed> {
  const { streamed } = await loadStream();
  return streamed({ call, changes, seen: seenBy(call), transaction: transactionOf(call), most: mostOf(call) }, request);
}

const SDL = 'text/plain; charset=utf-8';

/** The schema that the caller sees, in the schema definition language. */
export async function sdl(call: Call): Promise<Outcome<Routes['schema_graphql']>> {
  const { sdlOf } = await loadSchema();
  const seen = seenBy(call);
  const kept = await documentOf(seen.models, `sdl ${seen.visible.signature}`, () => sdlOf(seen));
  return isKnown(call, kept) ? reply(304, undefined, headersOf(kept)) : replyText(200, kept.text, SDL, headersOf(kept));
}
