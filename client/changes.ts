/** The changes of an entity's rows, followed across broken connections and restarts of the node (docs/contract/changes.md). */
import type { Change, Subscription } from './change.ts';
import { SkepError } from './errors.ts';
import { eventsIn, type StreamEvent } from './event-stream.ts';
import { passingMs, type Ask, type Transport } from './transport.ts';
import { backOffMs, pause } from './wait.ts';

/** The node says something every 15 seconds. */
const IDLE_MS = 45_000;
const WAIT_MS_MAX = 15_000;
/** Ends of a stream behind which it can go on: with another token, on another thread. All others are for good. */
export const GOES_ON: ReadonlySet<string> = new Set(['leaving', 'fault', 'session']);

/** Where a subscription is, between two connections. */
interface Place {
  /** The id of the last event; null before the first, and before a snapshot is whole. */
  position: string | null;
  /** Whether rows of a snapshot were given that is not whole yet. */
  halfway: boolean;
  failures: number;
  /** The first wait after a failure. */
  firstMs: number;
}

/**
 * Goes on until the caller leaves, the signal is aborted (its reason is thrown) or the node refuses: 401, 403, 404, 422, and `client.stream_ended`. All
 * that passes by itself is waited for, however long it takes.
 */
export async function* follow<R>(
  transport: Pick<Transport, 'send' | 'open'>,
  subscription: Subscription,
): AsyncGenerator<Change<R>, void> {
  const { after, snapshot, signal, onLive } = subscription;
  const place: Place = { position: after === null ? null : String(after), halfway: false, failures: 0, firstMs: 250 };
  for (;;) {
    let askedMs = 0;
    try {
      // A stream that begins now has no position before its first event: if it broke off before, what happened meanwhile would be lost.
      if (place.position === null && !snapshot) place.position = await positionOf(transport, subscription);
      const response = await transport.open(askOf(subscription, place.position));
      try {
        onLive?.(true);
        for await (const event of eventsIn(response.body!, IDLE_MS)) {
          const told = heard<R>(event, place, snapshot);
          if (told !== null) yield told;
        }
      } finally {
        onLive?.(false);
      }
    } catch (error) {
      askedMs = passingMs(error, signal);
    }
    if (place.halfway) {
      place.halfway = false;
      yield { type: 'reset', after: null };
    }
    await pause(Math.max(askedMs, backOffMs(++place.failures, place.firstMs, WAIT_MS_MAX)), signal);
  }
}

function askOf({ path, query, snapshot, signal }: Subscription, position: string | null): Ask {
  const headers = { Accept: 'text/event-stream', ...(position !== null && { 'Last-Event-ID': position }) };
  const whole = new URLSearchParams(query);
  if (position === null && snapshot) whole.set('snapshot', 'true');
  return { method: 'GET', path, query: whole, headers, signal };
}

/** The position of now. */
async function positionOf(transport: Pick<Transport, 'send'>, { path, query, signal }: Subscription): Promise<string> {
  const { json } = await transport.send({ method: 'GET', path, query, signal });
  return String((json as { after: number }).after);
}

/** What an event tells the caller; null for nothing. The place moves with it. */
function heard<R>({ id, event, data, retryMs }: StreamEvent, place: Place, snapshot: boolean): Change<R> | null {
  if (retryMs !== null) {
    place.firstMs = retryMs;
    return null;
  }
  place.failures = 0;
  if (id !== null) place.position = id;
  if (event === '') return null;
  const body = JSON.parse(data) as Record<string, unknown>;
  if (event === 'row') {
    place.halfway = true;
    return { type: 'row', row: body as R };
  }
  place.halfway = false;
  if (event === 'reset') {
    if (snapshot) place.position = null;
    return { type: 'reset', after: snapshot ? null : (body['after'] as number) };
  }
  if (event === 'end') return endOf(String(body['reason']), 'stream of changes');
  return { ...body, type: event } as Change<R>;
}

/** Null where what a caller follows can go on behind this end; else it throws. */
export function endOf(reason: string, what: string): null {
  if (GOES_ON.has(reason)) return null;
  const message = `the node ended the ${what}: ${reason}`;
  throw new SkepError(0, 'client.stream_ended', { message, details: { reason } });
}
