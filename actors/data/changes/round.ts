/** What one subscriber is told now: its credential, its rules and its position are judged anew each time (docs/contract/changes.md §5). */
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { SchemaMoved } from '#actors/engine/rows/schema-moved.ts';
import { servedModels } from '../part.ts';
import type { EndReason } from '../live-wait.ts';
import { sessionAs } from '../rest/session.ts';
import { readingOf, stretchOf, type Reading, type Stretch } from './judge.ts';
import type { LogView } from './log-view.ts';
import { idlePosition, isKnown } from './position.ts';
import { isCorruption, type ChangeHead } from './store.ts';
import type { Round, Subscription } from './subscription.ts';

/** The principal that the credential of a call stands for now. */
export type Authorize = (call: Call) => Principal | null | Refusal;

interface Service {
  readonly authorize: Authorize;
  /** Whether it is the first that this slice serves, and so has the slice's whole fuel. */
  readonly isFirst: boolean;
}

/** Null: there is nothing to tell yet. `more`: further changes are to be judged first, in another slice. */
export function roundOf(
  subscription: Subscription,
  work: Work,
  head: ChangeHead,
  view: LogView,
  { authorize, isFirst }: Service,
): Round | null | 'more' {
  const { clock } = work.activation.context;
  const principal = authorize(subscription.call);
  if (principal === null || isRefusal(principal)) return over(subscription, 'session');
  if (!isKnown(subscription.scanned, head, clock.now())) return { kind: 'reset', after: head.seq };
  const found = attempt(work, () => judged(subscription, work, principal, view));
  if (found === 'damaged') return { kind: 'reset', after: head.seq };
  if (found === 'cost' && !isFirst) return 'more';
  if (typeof found === 'string') return over(subscription, found);
  subscription.scanned = found.scanned;
  const last = found.told.at(-1);
  if (last !== undefined) {
    subscription.told = last.seq;
    return { kind: 'told', told: found.told, after: last.seq, more: found.more };
  }
  if (found.more) return 'more';
  if (!subscription.isDue(clock.fine())) return null;
  subscription.told = idlePosition(subscription.told, clock.now());
  return { kind: 'idle', after: subscription.told };
}

function over(subscription: Subscription, reason: EndReason): Round {
  return { kind: 'end', reason, after: subscription.told };
}

function judged(subscription: Subscription, work: Work, principal: Principal, view: LogView): Stretch | EndReason {
  const reading = prepared(subscription, work, principal);
  if (typeof reading === 'string') return reading;
  // Each view has a session of its own: rules read in its turn.
  const session = sessionAs(work, principal, servedModels(work.activation));
  return stretchOf({ ...reading, session }, view, subscription.scanned, subscription.wish.limit);
}

/** The reading of before, where models and principal are those of before. */
function prepared(subscription: Subscription, work: Work, principal: Principal): Reading | EndReason {
  const models = servedModels(work.activation);
  const known = subscription.prepared;
  if (known !== null && known.models === models && known.principal === principal) return known.reading;
  const session = sessionAs(work, principal, models);
  const model = session.model(subscription.wish.entity);
  if (model?.definition.changes !== true) return 'definitions';
  const reading = readingOf(session, model, subscription.wish);
  if (isFailure(reading)) return reading.status === 422 ? 'definitions' : 'access';
  subscription.prepared = { models, principal, reading };
  return reading;
}

/** A fault of one subscriber, or of one kept change, ends that subscriber alone. */
function attempt({ activation }: Work, judge: () => Stretch | EndReason): Stretch | EndReason | 'damaged' {
  try {
    return judge();
  } catch (error) {
    if (error instanceof OutOfFuel) return 'cost';
    if (error instanceof SchemaMoved) return 'definitions';
    if (isCorruption(error)) return 'damaged';
    const { context, position } = activation;
    context.log.error(
      { err: error, tenant: position.key },
      'a subscriber of changes could not be served: it is ended, and may come back where it was',
    );
    return 'fault';
  }
}
