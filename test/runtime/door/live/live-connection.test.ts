/** One WebSocket under a clock of the test's: what its messages open, what it holds for a slow caller, what ends it. docs/contract/changes.md §7, §10.5 */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import type { Dialect } from '#runtime/door/live/dialect.ts';
import { GraphqlDialect } from '#runtime/door/live/graphql-dialect.ts';
import { Drain } from '#runtime/door/drain.ts';
import { LiveConnection } from '#runtime/door/live/live-connection.ts';
import { LiveDialect } from '#runtime/door/live/live-dialect.ts';
import { LiveFigures } from '#runtime/door/live/live-figures.ts';
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

beforeEach(() => open(new LiveDialect('/data/changes')));

function open(dialect: Dialect): void {
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
  live = new LiveConnection(dialect, '192.0.2.1', fields, {
    handler,
    door,
    figures: new LiveFigures(),
    now: () => now,
  });
  live.opened({
    send: (texts) => {
      sent.push(...texts.map((text) => JSON.parse(text) as Record<string, unknown>));
      return true;
    },
    get unsent() {
      return unread;
    },
    end: (code) => {
      closed = code;
      live.closed();
    },
    destroy: () => live.closed(),
  });
}

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

describe('with the messages of GraphQL', () => {
  const operate = (id: string, query = '{ a }'): Visit => {
    say({ id, type: 'subscribe', payload: { query } });
    return visits.at(-1)!;
  };
  const next = (answer: unknown): string => `event: next\ndata: ${JSON.stringify(answer)}\n\n`;
  const COMPLETE = 'event: complete\ndata:\n\n';

  beforeEach(() => {
    open(new GraphqlDialect('/data/graphql'));
    say({ type: 'connection_init', payload: { token: 'abc' } });
    sent = [];
  });

  test('an operation is a POST with its document as the body, under the credential of connection_init', () => {
    const visit = operate('a', 'ü'.repeat(5000));
    const names = ['accept', 'content-type', 'x-tenant', 'authorization', 'idempotency-key'];
    expect([visit.method, visit.path, visit.query]).toEqual(['POST', '/data/graphql', '']);
    expect(names.map((name) => visit.header(name))).toEqual([
      'text/event-stream',
      'application/json',
      'main',
      'Bearer abc',
      '',
    ]);
    const bodies: unknown[] = [];
    visit.readBody(
      20_000,
      (body) => void bodies.push(JSON.parse(Buffer.from(body as Uint8Array).toString())),
      () => void bodies.push('too large'),
    );
    visit.readBody(
      9999,
      () => void bodies.push('read'),
      () => void bodies.push('too large'),
    );
    operate('b').readBody(
      20_000,
      (body) => void bodies.push(body),
      () => undefined,
    );
    expect(bodies).toEqual([{ query: 'ü'.repeat(5000) }, 'too large', '{"query":"{ a }"}']);
  });

  test('an id is free as soon as its end was told, and the host hears that nothing more is wanted', () => {
    const visit = operate('a');
    const seen = accept(visit);
    visit.answerPiece(piece(next({ data: {} }) + COMPLETE));
    expect(sent).toEqual([
      { id: 'a', type: 'next', payload: { data: {} } },
      { id: 'a', type: 'complete' },
    ]);
    operate('a').answer(200, '', next({ data: {} }) + COMPLETE);
    visit.endAnswer();
    expect([sent.length, seen.gone, live.subscriptions, closed]).toEqual([4, 1, 0, null]);
  });

  test('a subscription that breaks off closes the connection, so that its caller comes back', () => {
    for (const breakOff of [(visit: Visit) => visit.cutAnswer(), (visit: Visit) => visit.endAnswer()]) {
      open(new GraphqlDialect('/data/graphql'));
      say({ type: 'connection_init' });
      const visit = operate('a');
      accept(visit);
      visit.answerPiece(piece(next({ data: {} })));
      breakOff(visit);
      expect([sent.at(-1), closed]).toEqual([{ id: 'a', type: 'next', payload: { data: {} } }, 1012]);
    }
  });

  test('a door that closes waits for operations under way, and then says so', () => {
    const [followed, asked] = [operate('a'), operate('b')];
    accept(followed);
    live.retire();
    followed.endAnswer();
    expect(closed).toBeNull();
    asked.answer(200, '', next({ data: {} }) + COMPLETE);
    expect([sent.at(-1), closed]).toEqual([{ id: 'b', type: 'complete' }, 1001]);
  });

  test('what is gathered of an answer counts among what callers have not taken', () => {
    const visit = operate('a');
    const seen = accept(visit);
    visit.answerPiece(piece('event: next\ndata: {"data":'));
    expect([seen.taken, unsent.bytes, sent]).toEqual([26, 26, []]);
    visit.answerPiece(piece(`{}}\n\n`));
    expect([unsent.bytes, sent]).toEqual([0, [{ id: 'a', type: 'next', payload: { data: {} } }]]);
    visit.answerPiece(piece('event: nex'));
    say({ id: 'a', type: 'complete' });
    expect([unsent.bytes, live.subscriptions, closed]).toEqual([0, 0, null]);
  });

  test('a long message counts for several', () => {
    const { liveMessageBytesMax } = limits.changes;
    for (let no = 0; no < Math.floor(liveBurst / 4) - 1; no++) {
      const visit = operate(`a${no}`, ' '.repeat(3 * liveMessageBytesMax));
      visit.answer(200, '', next({ data: {} }) + COMPLETE);
    }
    expect(closed).toBeNull();
    for (let no = 0; no < 4; no++) say({ type: 'ping' });
    expect(closed).toBe(4429);
  });

  test('a query that is answered keeps the connection for a while, one that is refused does not', () => {
    now += liveOpenMs - 1;
    operate('a').answer(404, '', '{"error":"none","code":"v2.no_tenant"}');
    now += 1;
    live.look();
    expect(closed).toBe(4408);
    open(new GraphqlDialect('/data/graphql'));
    say({ type: 'connection_init' });
    operate('a').answer(200, '', next({ data: {} }) + COMPLETE);
    now += liveIdleMs - 1;
    live.look();
    expect(closed).toBeNull();
    now += 1;
    live.look();
    expect(closed).toBe(4408);
  });
});
