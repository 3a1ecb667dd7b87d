/** What a gate does with an answer in pieces whose thread ends (found by test/simulation/door, PL-26). */
import { expect, test } from 'vitest';
import { Outbox } from '#actors/protocol/channel.ts';
import { anyone } from '#actors/protocol/callers.ts';
import { REPLIES, REQUESTS } from '#actors/protocol/frame.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import { Desk } from '#runtime/door/desk.ts';
import { Directory } from '#runtime/door/directory.ts';
import { Gate } from '#runtime/door/gate.ts';
import type { Visit } from '#runtime/door/port.ts';
import { RequestIds } from '#runtime/door/request-id.ts';

const row: RouteRow = {
  methods: ['GET'],
  path: '/pieces',
  position: 'none',
  callers: anyone(),
  body: 'none',
  ack: 'fsync',
  replies: {},
  refusals: [],
  summary: '',
};

test('it is counted once: where its caller has left, the end of its thread refuses nothing', () => {
  const desk = new Desk('host-0');
  desk.outbox = new Outbox({ sendBatch: () => undefined, sendPiece: () => undefined }, REQUESTS, () => undefined);
  const counted: unknown[] = [];
  const gate = new Gate([{ no: 0, name: 'pieces', service: 'x', row, paramNames: [] }], {
    directory: new Directory([]),
    rates: { has: () => false, take: () => null, keyOf: (ip) => ip },
    ids: new RequestIds('id'),
    desk: () => desk,
    answered: (_request, status, byDoor) => void counted.push([status, byDoor]),
  });
  const answers: number[] = [];
  const visit = {
    method: 'GET',
    path: '/pieces',
    query: '',
    header: () => '',
    watch: () => undefined,
    beginAnswer: () => undefined,
    // Its caller has left: there is nothing to cut.
    cutAnswer: () => false,
    answer: (status: number) => void answers.push(status),
  } as unknown as Visit;
  gate.handler(compileRouter([{ no: 0, methods: row.methods, path: row.path }]))(visit);
  gate.replies([REPLIES, 0, 200, '', 500_000]);
  gate.lost(desk);
  expect([counted, answers, gate.inFlight]).toEqual([[[200, false]], [], 0]);
});
