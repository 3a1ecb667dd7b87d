/** GET /data/changes: one answer of changes, at once or when there are some, or a stream of them (docs/contract/changes.md §4). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { renderedAs } from '#actors/protocol/body.ts';
import { ON_SOCKET } from '#actors/protocol/frame.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { replyJson, replyStream, type Outcome } from '#actors/protocol/route.ts';
import { denied, isFailure, noEntity } from '#actors/engine/rows/failure.ts';
import { busy, refuse } from '../refusals.ts';
import { entityNotFound, failed } from '../rest/failed.ts';
import { sessionOf } from '../rest/session.ts';
import type { SubscriberKind } from '../live-counts.ts';
import type { EndReason } from '../live-wait.ts';
import type { Routes } from '../routes.ts';
import type { ChangesPage } from '../shapes.ts';
import type { Changes, Feed } from './changes.ts';
import { eventsOf } from './events.ts';
import { startOf } from './group/start.ts';
import { headNow } from './head-now.ts';
import type { Full } from './hub.ts';
import { readingOf, type Reading } from './judge.ts';
import { rowsAt, writtenRows, type Rows } from './snapshot.ts';
import type { Round } from './subscription.ts';
import { isHead, parseWish, wantsStream, type Wish } from './wish.ts';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';
export const STREAM_HEADERS = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' } as const;

type Answered = Outcome<Routes['changes']>;
type Refused =
  | 'v2.engine_unavailable'
  | 'v2.query_failed'
  | 'v2.missing_entity'
  | 'v2.entity_not_found'
  | 'v2.changes_not_declared';
type GroupRefused = 'v2.changes_group_not_found' | 'v2.changes_group_denied' | 'v2.changes_group_unplaced';

export interface Asked {
  readonly wish: Wish;
  readonly reading: Reading;
  readonly feed: Feed;
  /** The place of the group that is named; null where none is. */
  readonly from: number | null;
}

export async function subscribe(call: Call, changes: Changes): Promise<Answered> {
  const asked = askedOf(call, changes);
  if (isRefusal(asked)) return asked;
  const start = asked.wish.snapshot ? await snapshotOf(call, asked) : null;
  if (isRefusal(start)) return start;
  return wantsStream(call) ? stream(call, asked, start) : page(call, asked, start);
}

/** What a request asks for, or what it is refused with. */
export function askedOf(call: Call, changes: Changes): Asked | Refusal<Refused | GroupRefused> {
  const hasGroups = call.activation.product.settings.changes?.groups !== undefined;
  const wish = parseWish(call.query, call.header('last-event-id') ?? '', hasGroups);
  if (isFailure(wish)) return failed('v2.query_failed', wish);
  if (wish.entity === '') return refuse('v2.missing_entity');
  const asked = askedFor(call, changes, wish);
  if (isRefusal(asked)) return asked;
  const from = startOf(call, wish);
  return isRefusal(from) ? from : { ...asked, from };
}

/** What a wish that names no group comes to for the caller, or what it is refused with. */
export function askedFor(call: Call, changes: Changes, wish: Wish): Asked | Refusal<Refused> {
  if (changes.isRetiring) return busy('the node is about to stop');
  const session = sessionOf(call);
  const model = session.model(wish.entity);
  if (model === undefined) return entityNotFound(noEntity(wish.entity));
  const reading = readingOf(session, model, wish);
  if (isFailure(reading)) return failed('v2.query_failed', reading);
  if (model.definition.changes !== true) return refuse('v2.changes_not_declared');
  return { wish, reading, feed: changes.of(call.activation), from: null };
}

/** The head is there before the view is taken, so that the position of the rows is one of this log. */
export async function snapshotOf(call: Call, { reading, feed }: Asked): Promise<Rows | Refusal<'v2.query_failed'>> {
  headNow(call, feed);
  const rows = await rowsAt(reading.session, reading);
  return isFailure(rows) ? failed('v2.query_failed', rows) : rows;
}

export const openFor = (call: Call, { wish, feed, from }: Asked, start: Rows | null, kind: SubscriberKind) =>
  feed.hub.open(call, wish, kind, start?.after ?? from ?? wish.after ?? headNow(call, feed).seq);

function stream(call: Call, asked: Asked, start: Rows | null): Answered {
  const {
    reading,
    feed: { hub },
  } = asked;
  const opened = openFor(call, asked, start, call.header(ON_SOCKET) === '1' ? 'live' : 'sse');
  if (typeof opened === 'string') return refuseFull(opened);
  const first = start === null ? null : { ...start, session: reading.session, write: reading.write };
  const pieces = eventsOf(hub, opened, first);
  return replyStream(200, { length: null, pieces, left: () => hub.close(opened) }, EVENT_STREAM, STREAM_HEADERS);
}

async function page(call: Call, asked: Asked, start: Rows | null): Promise<Answered> {
  const {
    wish,
    reading,
    feed: { hub },
  } = asked;
  const opened = openFor(call, asked, start, 'poll');
  if (typeof opened === 'string') return refuseFull(opened);
  let round: Round;
  try {
    // Rows are an answer already: there is nothing to wait for.
    round = await hub.next(opened, start === null && !isHead(call) ? wish.waitMs : 0);
  } finally {
    hub.close(opened);
  }
  if (round.kind === 'reset') return refuse('v2.changes_position_over', { details: { after: round.after } });
  if (round.kind === 'end') {
    const refused = refusedAs(round.reason, wish);
    if (refused !== null) return refused;
  }
  return replyJson(200, renderedAs<ChangesPage>(await textOf(round, wish, reading, start)), {
    'Cache-Control': 'no-store',
  });
}

/** A subscription that ends since its tenant moves, or its node stops, is answered as far as it came. */
function refusedAs(reason: EndReason, { entity }: Wish): Answered | null {
  if (reason === 'session') return refuse('unauthorized');
  if (reason === 'access') return failed('v2.query_failed', denied('read', entity));
  if (reason === 'cost')
    return busy('judging one change takes more work than one turn may: ask for less, or simplify the rules');
  return reason === 'leaving' || reason === 'gone' ? null : busy();
}

async function textOf(
  round: Round,
  { entity }: Wish,
  { session, write }: Reading,
  start: Rows | null,
): Promise<string> {
  const told = round.kind === 'told' ? round.told : [];
  const more = round.kind === 'told' && round.more;
  const changes = told.map(({ text }) => text).join(',');
  let rows = '';
  if (start !== null) {
    const texts: string[] = [];
    for await (const some of writtenRows(session, start.rows, write)) texts.push(...some);
    rows = `"rows":[${texts.join(',')}],`;
  }
  return `{"entity":${JSON.stringify(entity)},${rows}"changes":[${changes}],"after":${round.after},"more":${more}}`;
}

const WHOSE: Readonly<Record<Full, string>> = {
  caller: `a caller has at most ${limits.changes.perCallerMax} subscriptions at once`,
  tenant: `a tenant has at most ${limits.changes.perTenantMax} subscribers at once`,
  node: 'this node has as many subscribers as it may',
};

export function refuseFull(full: Full): Refusal<'v2.changes_full'> {
  return refuse('v2.changes_full', { status: full === 'node' ? 503 : 429, message: WHOSE[full], headers: RETRY_SOON });
}
