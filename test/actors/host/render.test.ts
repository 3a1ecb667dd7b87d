import { expect, test } from 'vitest';
import { renderOutcome } from '#actors/host/render.ts';
import { renderedAs } from '#actors/protocol/body.ts';
import { refuserOf, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, replyBytes, replyJson, replyText, type Reply } from '#actors/protocol/route.ts';

const refuse = refuserOf({
  coded: { statuses: [422], family: 'coded', cause: 'why' },
  plain: { statuses: [401], family: 'plain', cause: 'Unauthorized' },
  bare: { statuses: [404], family: 'bare', cause: '' },
});

function rendered(outcome: Reply | Refusal): unknown[] {
  let sent: unknown[] = [];
  renderOutcome(7, outcome, { send: (...record) => (sent = record) });
  return sent;
}

test.each<[string, Reply | Refusal, unknown[]]>([
  ['JSON, which needs no header', reply(201, { a: 1 }), [7, 201, '', '{"a":1}']],
  ['null, which is JSON too', reply(200, null), [7, 200, '', 'null']],
  ['nothing', reply(204), [7, 204, '\n', '']],
  ['text that is JSON already', replyJson(200, renderedAs('{}')), [7, 200, '', '{}']],
  ['other text', replyText<number, Reply>(200, 'x', 'text/plain'), [7, 200, 'Content-Type: text/plain\n', 'x']],
  [
    'headers',
    reply(200, 1, { A: 'b', C: 'd' }),
    [7, 200, 'Content-Type: application/json; charset=utf-8\nA: b\nC: d\n', '1'],
  ],
  ['a coded refusal', refuse('coded'), [7, 422, '', '{"error":"why","code":"coded"}']],
  ['a plain one', refuse('plain'), [7, 401, 'Content-Type: text/plain; charset=utf-8\n', 'Unauthorized']],
  ['a bare one with a header', refuse('bare', { headers: { Allow: 'GET' } }), [7, 404, 'Allow: GET\n', '']],
])('%s', (_name, outcome, record) => expect(rendered(outcome)).toEqual(record));

test('bytes stay bytes', () => {
  const bytes = new Uint8Array([0xff]);
  expect(rendered(replyBytes<number, Reply>(200, bytes, 'image/png'))).toEqual([
    7,
    200,
    'Content-Type: image/png\n',
    bytes,
  ]);
});
