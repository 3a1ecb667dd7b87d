/** `/data/graphql` and the schema's SDL. GraphQL is loaded when the first request wants it: most tenants' callers never do. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome, Reply } from '#actors/protocol/route.ts';
import { seenBy } from '../documents/handlers.ts';
import { documentOf, replyDocument } from '../documents/kept.ts';
import { claimKey } from '#actors/host/idempotency/replay.ts';
import { partOf } from '../part.ts';
import { sessionOf } from '../rest/session.ts';
import type { Routes } from '../routes.ts';
import { enact } from '../script/enacting.ts';
import type { GraphQLRequest, Transaction } from './answer.ts';
import { getRequest, postRequest } from './request.ts';
import { rendered } from './response.ts';

const loadAnswer = () => import('./answer.ts');
const loadSchema = () => import('./tenant-schema.ts');

/** The library and all that stands on it: 4 MB, and a tenth of a second. */
export function loadGraphql(): Promise<unknown> {
  return Promise.all([loadAnswer(), loadSchema()]);
}

/** Queries and mutations. */
export async function graphql(call: Call): Promise<Outcome<Routes['graphql']>> {
  const request = postRequest(call);
  return isRefusal(request) ? request : ((await answered(call, request)) as Outcome<Routes['graphql']>);
}

/** Queries only (GraphQL over HTTP, "GET"). */
export async function graphqlGet(call: Call): Promise<Outcome<Routes['graphql_get']>> {
  const request = getRequest(call);
  return isRefusal(request) ? request : answered(call, request);
}

async function answered(call: Call, request: GraphQLRequest): Promise<Reply<200 | 400 | 405>> {
  const { answer } = await loadAnswer();
  const transaction: Transaction = {
    enact: (write, isKept) => enact(call, () => write(sessionOf(call)), isKept),
    commit: () => (claimKey(call), void call.commit()),
    abort: () => void call.abort(),
  };
  return rendered(
    call,
    await answer(seenBy(call), transaction, request, partOf(call.activation).languages.graphqlCostMax),
  );
}

const SDL = 'text/plain; charset=utf-8';

/** The schema that the caller sees, in the schema definition language. */
export async function sdl(call: Call): Promise<Reply<200 | 304>> {
  const { sdlOf } = await loadSchema();
  const { models, session, visible } = seenBy(call);
  const make = (): Promise<string> => sdlOf(models, visible, () => session.yieldTurn());
  return replyDocument(call, await documentOf(models, `sdl ${visible.signature}`, make), SDL);
}
