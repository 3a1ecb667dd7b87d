/** One WebSocket of `/data/live` under a clock of the test's: what its messages open, what it holds for a slow caller, what ends it. docs/contract/changes.md §7 */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import { Drain } from '#runtime/door/drain.ts';
import { LiveConnection } from '#runtime/door/live/live-connection.ts';
import { LiveDialect } from '#runtime/door/live/live-dialect.ts';
import type { DoorState } from '#runtime/door/moving-visit.ts';
import type { AnswerSink, Visit } from '#runtime/door/port.ts';
import { Transfers, NO_PACE } from '#runtime/door/transfers.ts';

const { liveAheadBytesMax, liveBurst, liveIdleMs, liveOpenMs, livePerSecond } = limits.changes;

/** Of the events below. */
const EVENT_BYTES = 'id: 1\nevent: change\ndata: {"seq":1}\n\n'.length;

/** An entity at which the handler throws. */
const BROKEN = 'broken';

let faults: number;
let now: number;
let unread: number;
let sent: Record<string, unknown>[];
let closed: number | null;
let visits: Visit[];
let drain: Drain;
let unsent: Unsent;
let live: LiveConnection;

const sink = () => {
  const seen = { taken: 0, gone: 0 };
  const of: AnswerSink = { taken: (bytes) => void (seen.taken += bytes), gone: () => void seen.gone++ };
  return { seen, of };
};

beforeEach(() => {
  faults = 0;
  now = 1000;
  unread = 0;
  sent = [];
  closed = null;
  visits = [];
  drain = new Drain();
  unsent = new Unsent(limits.door.unsentBytesMax);
  const door: DoorState = {
    drain,
    onFault: () => void faults++,
    onSlow: () => undefined,
    transfers: new Transfers(NO_PACE),
    late: null,
    unsent,
  };
  const fields = new Map([
    ['host', 'shop.example'],
    ['x-tenant', 'main'],
    ['cookie', 'a=b'],
  ]);
  const handler = (visit: Visit): void => {
    if (visit.query.includes(BROKEN)) throw new Error('as a fault would be');
    visits.push(visit);
  };
  live = new LiveConnection(new LiveDialect('/data/changes'), '192.0.2.1', fields, { handler, door, now: () => now });
  live.opened({
    send: (texts) => void sent.push(...texts.map((text) => JSON.parse(text) as Record<string, unknown>)),
    get unsent() {
      return unread;
    },
    end: (code) => {
      closed = code;
      live.closed();
    },
    destroy: () => live.closed(),
  });
});

const say = (message: object): void => live.take(new Uint8Array(Buffer.from(JSON.stringify(message))).buffer, false);
const subscribe = (id: string, more: object = {}): Visit => {
  say({ type: 'subscribe', id, entity: 'note', ...more });
  return visits.at(-1)!;
};
const accept = (visit: Visit) => {
  const { seen, of } = sink();
  visit.beginAnswer(200, '', -1, of, 'r');
  return seen;
};
const piece = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

test('a subscription is a request with the head of the handshake, and the credential of the last message', () => {
  const first = subscribe('a', { after: 5 });
  expect([first.method, first.path, first.query]).toEqual(['GET', '/data/changes', 'entity=note&after=5']);
  expect(
    ['accept', 'host', 'x-tenant', 'cookie', 'authorization', 'x-request-id'].map((name) => first.header(name)),
  ).toEqual(['text/event-stream', 'shop.example', 'main', 'a=b', '', '']);
  expect([first.ip(), first.headers('x-tenant'), first.upgrades ?? false]).toEqual(['192.0.2.1', 'main', false]);
  say({ type: 'auth', token: 'abc' });
  expect(subscribe('b').header('authorization')).toBe('Bearer abc');
});

test('events become messages, and their bytes are given back as the caller takes them', () => {
  const visit = subscribe('a');
  const seen = accept(visit);
  visit.answerPiece(piece('id: 1\nevent: change\ndata: {"seq":1}\n\n'));
  expect(sent).toEqual([
    { id: 'a', type: 'subscribed' },
    { id: 'a', type: 'change', change: { seq: 1 } },
  ]);
  expect(seen.taken).toBe(EVENT_BYTES);
  unread = liveAheadBytesMax + 1;
  visit.answerPiece(piece('id: 2\nevent: change\ndata: {"seq":2}\n\n'));
  expect([seen.taken, unsent.bytes]).toEqual([EVENT_BYTES, unread]);
  unread = liveAheadBytesMax;
  live.drained();
  expect([seen.taken, unsent.bytes]).toEqual([2 * EVENT_BYTES, unread]);
  unread = 0;
  live.drained();
  expect([unsent.bytes, live.waits]).toEqual([0, false]);
});

test('a caller that leaves gives all back, and stops what was on its way', () => {
  const [open, asked] = [subscribe('a'), subscribe('b')];
  const gone: number[] = [];
  asked.watch({ gone: (no) => void gone.push(no) }, 7);
  const seen = accept(open);
  unread = liveAheadBytesMax + 1;
  open.answerPiece(piece('id: 2\nevent: change\ndata: {"seq":2}\n\n'));
  live.closed();
  expect([seen.gone, gone, open.aborted, asked.aborted, unsent.bytes, live.subscriptions]).toEqual([
    1,
    [7],
    true,
    true,
    0,
    0,
  ]);
  // What the host had sent already is dropped, and an answer that comes later is told that its caller is gone.
  open.answerPiece(piece('id: 3\nevent: change\ndata: {"seq":3}\n\n'));
  expect(accept(asked).gone).toBe(1);
  expect(seen.taken).toBe(0);
});

test('a subscription that is given up is told nothing more, and its id is free', () => {
  const visit = subscribe('a');
  const seen = accept(visit);
  say({ type: 'unsubscribe', id: 'a' });
  say({ type: 'unsubscribe', id: 'never' });
  visit.answerPiece(piece('id: 3\nevent: change\ndata: {"seq":3}\n\n'));
  visit.endAnswer();
  expect(sent.slice(1)).toEqual([{ id: 'a', type: 'unsubscribed' }]);
  expect([seen.gone, live.subscriptions]).toEqual([1, 0]);
  subscribe('a');
  expect([visits.length, closed]).toEqual([2, null]);
});

test('a host that is gone ends its subscriptions, and the connection stays', () => {
  const visit = subscribe('a');
  expect(visit.cutAnswer()).toBe(false);
  accept(visit);
  expect(visit.cutAnswer()).toBe(true);
  expect(sent.at(-1)).toEqual({ id: 'a', type: 'end', reason: 'fault' });
  expect([live.subscriptions, closed]).toEqual([0, null]);
});

test('a refusal frees the id; one of the credential, or the end of the session, closes', () => {
  subscribe('a').answer(503, 'Retry-After: 1\n', '{"code":"overloaded"}');
  expect(sent).toEqual([{ id: 'a', type: 'error', status: 503, retry_after: 1, error: { code: 'overloaded' } }]);
  expect([live.subscriptions, closed]).toEqual([0, null]);
  const visit = subscribe('a');
  accept(visit);
  visit.answerPiece(piece('event: end\ndata: {"reason":"session"}\n\n'));
  expect(closed).toBe(4401);
});

test('a connection that has shown another credential outlives the one before', () => {
  const visit = subscribe('a');
  accept(visit);
  say({ type: 'auth', token: 'newer' });
  visit.answerPiece(piece('event: end\ndata: {"reason":"session"}\n\n'));
  visit.endAnswer();
  expect([sent.at(-1), closed]).toEqual([{ id: 'a', type: 'end', reason: 'session' }, null]);
  subscribe('a').answer(401, '', 'unauthorized');
  expect(closed).toBe(4401);
});

test('an exception of the door ends the subscription that met it, and nothing else', () => {
  say({ type: 'subscribe', id: 'bad', entity: BROKEN });
  expect(sent).toEqual([{ id: 'bad', type: 'error', status: 500, error: '' }]);
  expect([faults, live.subscriptions, closed]).toEqual([1, 0, null]);
});

test('a flood is cut off, and an honest pace is not', () => {
  for (let no = 0; no < 10 * livePerSecond; no++) {
    say({ type: 'ping' });
    now += 1000 / livePerSecond;
  }
  expect(closed).toBeNull();
  for (let no = 0; no < liveBurst; no++) say({ type: 'ping' });
  expect(closed).toBeNull();
  say({ type: 'ping' });
  expect(closed).toBe(4429);
});

test('a connection without a subscription is closed: soon at first, later once it has had one', () => {
  now += liveOpenMs - 1;
  live.look();
  expect(closed).toBeNull();
  const visit = subscribe('a');
  now += 10 * liveIdleMs;
  live.look();
  accept(visit);
  visit.endAnswer();
  now += liveIdleMs - 1;
  live.look();
  expect(closed).toBeNull();
  now += 1;
  live.look();
  expect(closed).toBe(4408);
});

test('subscriptions that are refused keep no connection open', () => {
  for (let asked = 0; asked < 4; asked++) {
    live.look();
    expect(closed).toBeNull();
    now += liveOpenMs / 4;
    subscribe('a').answer(404, '', '{}');
  }
  live.look();
  expect(closed).toBe(4408);
});

test('a door that closes waits for what is told, then says so', () => {
  const visit = subscribe('a');
  accept(visit);
  live.retire();
  expect(closed).toBeNull();
  visit.answerPiece(piece('event: end\ndata: {"reason":"leaving"}\n\n'));
  visit.endAnswer();
  expect([sent.at(-1), closed]).toEqual([{ id: 'a', type: 'end', reason: 'leaving' }, 1001]);
});
