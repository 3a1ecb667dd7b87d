/** HTTP/1.0, where a listener takes it: what the vault's authority publishes is asked for by clients that speak nothing newer. */
import { expect, test } from 'vitest';
import { HOST, Stage, tell } from './stage.ts';

test('a request is answered with or without a host, and its connection closes behind the answer', async () => {
  const stage = await Stage.open('node', tell([]), { http10: true });
  for (const head of [
    'GET /a HTTP/1.0\r\n\r\n',
    `GET /a HTTP/1.0\r\n${HOST}\r\n`,
    `GET /a HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n\r\n`,
  ]) {
    const wire = await stage.wire();
    wire.send(head);
    expect(await wire.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await wire.rest()).toBe('');
  }
  const wire = await stage.wire();
  wire.send('POST /a HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc');
  expect((await wire.answer())!.body.toString()).toBe('POST /a? 3');
});

test.each([
  ['two hosts', 'GET /a HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400],
  ['a coding that HTTP/1.0 does not know', 'POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['two lengths', 'POST /a HTTP/1.0\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na', 400],
  ['an older version', 'GET /a HTTP/0.9\r\n\r\n', 505],
])('%s: refused', async (_, form, status) => {
  const seen: string[] = [];
  const stage = await Stage.open('node', tell(seen), { http10: true });
  const wire = await stage.wire();
  wire.send(`${form}GET /smuggled HTTP/1.0\r\n\r\n`);
  expect((await wire.answer())!.status).toBe(status);
  await wire.closed;
  expect(seen).toEqual([]);
});
