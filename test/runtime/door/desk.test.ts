import { expect, test } from 'vitest';
import { REPLIES, REQUESTS, type Flat } from '#actors/protocol/frame.ts';
import { Desk } from '#runtime/door/desk.ts';

test('requests that wait leave before the replies of their thread are handled', () => {
  const told: unknown[] = [];
  const channel = {
    onBatch: (_batch: Flat): void => undefined,
    sendBatch: (batch: Flat) => void told.push(['sent', batch]),
    sendPiece: () => undefined,
  };
  const desk = new Desk('host-0');
  desk.connect(channel, (batch) => void told.push(['handled', batch]), 1);
  desk.outbox!.batch.push('a request');
  channel.onBatch([REPLIES, 'a reply']);
  channel.onBatch([REPLIES, 'another']);
  expect(told).toEqual([
    ['sent', [REQUESTS, 'a request']],
    ['handled', [REPLIES, 'a reply']],
    ['handled', [REPLIES, 'another']],
  ]);
});
