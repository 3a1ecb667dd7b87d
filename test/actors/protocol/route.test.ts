import { expect, test } from 'vitest';
import { reply, replyText, type Reply } from '#actors/protocol/route.ts';

test('replies have one shape each', () => {
  expect(reply(200, { a: 1 })).toEqual({ kind: 'reply', status: 200, body: { a: 1 } });
  expect(reply(200, null, { A: 'b' })).toEqual({ kind: 'reply', status: 200, body: null, headers: { A: 'b' } });
  expect(replyText<number, Reply>(200, 'x', 'text/plain')).toMatchObject({ text: 'x', type: 'text/plain' });
});
