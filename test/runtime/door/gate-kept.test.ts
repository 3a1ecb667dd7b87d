/** Answers that the gate gives again by itself, over a thread that is a plain value. */
import { beforeEach, expect, test } from 'vitest';
import { anyone } from '#actors/protocol/callers.ts';
import { Outbox } from '#actors/protocol/channel.ts';
import { REPLIES, REQUESTS, type Flat } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import { Desk } from '#runtime/door/desk.ts';
import { Directory } from '#runtime/door/directory.ts';
import { Gate } from '#runtime/door/gate.ts';
import type { Visit } from '#runtime/door/port.ts';
import { refuseAtDoor } from '#runtime/door/refusals.ts';
import { RequestIds } from '#runtime/door/request-id.ts';

const route = {
  no: 0,
  name: 'list',
  service: 'x',
  paramNames: [],
  row: {
    methods: ['GET'],
    path: '/list/{which}',
    position: 'none',
    callers: anyone(),
    rate: 'mine',
    body: 'none',
    keptMs: 60_000,
    ack: 'memory',
    replies: {},
    refusals: [],
    summary: '',
  },
} as const;

interface Sent {
  readonly status: number;
  readonly body: string;
  readonly requestId: string | undefined;
}

let desk: Desk;
let sentOut: Flat[];
let flush: () => void;
let counted: unknown[][];
let rateRefusal: Refusal | null;
let gate: Gate;

beforeEach(() => {
  sentOut = [];
  counted = [];
  rateRefusal = null;
  desk = new Desk('keeper');
  const channel = { sendBatch: (batch: Flat) => void sentOut.push(batch), sendPiece: () => undefined };
  desk.outbox = new Outbox(channel, REQUESTS, (run) => (flush = run));
  gate = new Gate([route], {
    directory: new Directory([]),
    rates: { take: () => rateRefusal, has: () => true, keyOf: (ip) => ip },
    ids: new RequestIds('id'),
    desk: () => desk,
    answered: (_request, status, byDoor) => void counted.push([status, byDoor]),
  });
});

/** Asks for the list; the answer, or undefined while it waits for the thread. */
function asked(): { sent?: Sent } {
  const result: { sent?: Sent } = {};
  const visit: Partial<Visit> = {
    method: 'GET',
    path: '/list/a',
    query: '',
    header: () => '',
    ip: () => '198.51.100.1',
    watch: () => undefined,
    answer: (status, _lines, body, requestId) => (result.sent = { status, body: String(body), requestId }),
  };
  gate.handler(compileRouter([{ no: 0, methods: ['GET'], path: route.row.path }]))(visit as Visit);
  return result;
}

/** The thread's answer to the request that waits. */
function answered(body: string): void {
  flush();
  gate.replies([REPLIES, sentOut.at(-1)![1] as number, 200, 'ETag: "1"\n', body]);
}

test('the second caller gets the same without the thread, under a request id of its own, and it is counted as the door’s', () => {
  const first = asked();
  answered('good');
  const second = asked();
  expect([first.sent?.body, second.sent?.body]).toEqual(['good', 'good']);
  expect(second.sent?.requestId).not.toBe(first.sent?.requestId);
  expect(counted).toEqual([
    [200, false],
    [200, true],
  ]);
});

test('behind the word that it is over the thread is asked again, and so it is where the thread was lost', () => {
  asked();
  answered('good');
  gate.forgetKept();
  expect(asked().sent).toBeUndefined();
  answered('better');
  gate.lost(desk);
  expect(asked().sent).toBeUndefined();
  expect(gate.inFlight).toBe(1);
});

test('a caller whose bucket is empty is refused all the same', () => {
  asked();
  answered('good');
  rateRefusal = refuseAtDoor('overloaded');
  expect(asked().sent?.status).toBe(503);
});
