/**
 * A request of GraphQL whose answer is server-sent events (docs/contract/changes.md §10.2): a subscription by the change feed, and queries and mutations as one
 * event.
 */
import { OperationTypeNode } from 'graphql';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { replyStream, replyText, type Outcome } from '#actors/protocol/route.ts';
import type { Changes } from '../changes/changes.ts';
import { askedFor, EVENT_STREAM, openFor, refuseFull, snapshotOf, STREAM_HEADERS } from '../changes/subscribe.ts';
import type { Seen } from '../documents/handlers.ts';
import { busy } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { carriedOut, ready, type GraphQLAnswer, type GraphQLRequest, type Run, type Transaction } from './answer.ts';
import { costOver, refusedError } from './errors.ts';
import { onlyEvent } from './events.ts';
import { followedBy, Follower } from './follow.ts';
import { NOT_BY_GET } from './not-by-get.ts';

/** What both routes may answer with events. */
export type Streamed = Outcome<Routes['graphql']> & Outcome<Routes['graphql_get']>;

interface Asking {
  readonly call: Call;
  readonly changes: Changes;
  readonly seen: Seen;
  readonly transaction: Transaction;
  /** Values that an answer may hold. */
  readonly most: number;
}

export async function streamed(asking: Asking, request: GraphQLRequest): Promise<Streamed> {
  const { seen, transaction, most } = asking;
  const run = await ready(seen, request, most);
  if (run === NOT_BY_GET) return only(BY_POST);
  if (!('prepared' in run)) return only(run);
  if (run.operation.operation === OperationTypeNode.SUBSCRIPTION) return followed(asking, run);
  return only(await carriedOut(seen.session, transaction, run));
}

const only = (answer: GraphQLAnswer): Streamed => replyText(200, onlyEvent(answer), EVENT_STREAM, STREAM_HEADERS);

const BY_POST: GraphQLAnswer = {
  errors: [{ message: 'mutations are sent by POST', extensions: { code: 'v2.graphql_invalid' } }],
};

/** Each event fits a slice, and the rows of a snapshot together an answer. What only a moment forbids is refused as the feed refuses it. */
async function followed({ call, changes, seen, most }: Asking, run: Run): Promise<Streamed> {
  const { sliceCost } = limits.graphql;
  if (run.cost > sliceCost) return only({ errors: [costOver(run.cost, sliceCost)] });
  const following = followedBy(run);
  const asked = askedFor(call, changes, following.wish);
  if (isRefusal(asked))
    return asked.code === 'v2.engine_unavailable' ? busy(asked.message) : only({ errors: [refusedError(asked)] });
  const start = asked.wish.snapshot ? await snapshotOf(call, asked) : null;
  if (isRefusal(start)) return only({ errors: [refusedError(start)] });
  const cost = run.cost * (start?.rows.length ?? 0);
  if (cost > most) return only({ errors: [costOver(cost, most)] });
  const { hub } = asked.feed;
  const opened = openFor(call, asked, start, 'graphql');
  if (typeof opened === 'string') return refuseFull(opened);
  const follower = new Follower(call, seen, following, hub, opened);
  const pieces = follower.events(start, asked.reading.model);
  return replyStream(200, { length: null, pieces, left: () => hub.close(opened) }, EVENT_STREAM, STREAM_HEADERS);
}
