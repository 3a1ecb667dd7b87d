/** What the metrics count of WebSockets: while they are open, what their callers leave unread, and what closed them. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import { Drain } from '#runtime/door/drain.ts';
import type { Dialect } from '#runtime/door/live/dialect.ts';
import { GraphqlDialect } from '#runtime/door/live/graphql-dialect.ts';
import { LiveConnection } from '#runtime/door/live/live-connection.ts';
import { LiveDialect } from '#runtime/door/live/live-dialect.ts';
import { LiveFigures } from '#runtime/door/live/live-figures.ts';
import type { Visit } from '#runtime/door/port.ts';
import { NO_PACE, Transfers } from '#runtime/door/transfers.ts';

let figures: LiveFigures;
let unread: number;
let hasRoom: boolean;
let slow: number;
let visits: Visit[];
let live: LiveConnection;

beforeEach(() => open(new LiveDialect('/data/changes')));

function open(dialect: Dialect): void {
  figures = new LiveFigures();
  unread = 0;
  hasRoom = true;
  slow = 0;
  visits = [];
  const door = {
    drain: new Drain(),
    onFault: () => undefined,
    onSlow: () => void slow++,
    transfers: new Transfers(NO_PACE),
    late: null,
    unsent: new Unsent(limits.door.unsentBytesMax),
  };
  const handler = (visit: Visit): void => void visits.push(visit);
  live = new LiveConnection(dialect, '192.0.2.1', new Map(), { handler, door, figures, now: () => 0 });
  live.opened({
    send: () => hasRoom,
    get unsent() {
      return unread;
    },
    end: () => live.closed(),
    destroy: () => live.closed(),
  });
}

const say = (message: object): void => live.take(new Uint8Array(Buffer.from(JSON.stringify(message))).buffer, false);

/** Opens a subscription; gives what tells it a change. */
function subscribe(): () => void {
  say({ type: 'subscribe', id: 'a', entity: 'note' });
  const visit = visits.at(-1)!;
  visit.beginAnswer(200, '', -1, { taken: () => undefined, gone: () => undefined }, 'r');
  return () => visit.answerPiece(new Uint8Array(Buffer.from('id: 1\nevent: change\ndata: {"seq":1}\n\n')));
}

const closed = () => Object.fromEntries(figures.closed);

test('one counts while it is open, with what its caller has not taken, and behind that as what closed it', () => {
  const tell = subscribe();
  expect([figures.open, figures.unsentBytes, closed()]).toEqual([{ live: 1, graphql: 0 }, 0, {}]);
  unread = 1000;
  tell();
  expect(figures.unsentBytes).toBe(1000);
  unread = 400;
  live.drained();
  expect(figures.unsentBytes).toBe(400);
  live.closed();
  expect([figures.open, figures.unsentBytes, closed()]).toEqual([{ live: 0, graphql: 0 }, 0, { gone: 1 }]);
});

test.each([
  ['malformed', () => say({ type: 'nothing' })],
  ['slow', () => live.expire()],
  ['unread', () => live.cutUnsent()],
  ['leaving', () => live.retire()],
] as const)('%s', (why, close) => {
  close();
  expect([figures.open.live, closed()]).toEqual([0, { [why]: 1 }]);
  expect(slow).toBe(why === 'slow' ? 1 : 0);
});

test('the addon closes one whose caller leaves too much unread: it counts as slow, once', () => {
  const tell = subscribe();
  hasRoom = false;
  tell();
  tell();
  live.closed();
  expect([slow, closed()]).toEqual([1, { slow: 1 }]);
});

test('one of GraphQL counts as such', () => {
  open(new GraphqlDialect('/data/graphql'));
  expect(figures.open).toEqual({ live: 0, graphql: 1 });
  live.closed();
  expect([figures.open.graphql, closed()]).toEqual([0, { gone: 1 }]);
});
