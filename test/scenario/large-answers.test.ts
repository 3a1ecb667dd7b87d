/** Answers of megabytes over HTTP: whole, on a connection that goes on, and beside callers who do not read theirs. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const ROWS = 6;
const TEXT = 'é漢😀"\\\n'.repeat(20_000);
const LIST = '/data/rest/note?limit=100';

let it: TestNode;
let headers: Headers;
let head: string;
beforeAll(async () => {
  const localdir = fileURLToPath(new URL('../../bench/hostile/product', import.meta.url));
  it = await startTestNode({ localdir, hosts: 1 });
  headers = await it.service();
  for (let i = 0; i < ROWS; i++)
    expect((await it.call('POST', '/data/rest/note', headers, { name: `n${i}`, body: TEXT })).status).toBe(201);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  head = `Host: x\r\n${fields.join('')}`;
}, 60_000);
afterAll(() => it.stop());

const open = (): Promise<Wire> => Wire.open(Number(new URL(it.gateway).port));
const bodiesIn = (text: Buffer): string[] =>
  (JSON.parse(text.toString()) as { data: { body: string }[] }).data.map(({ body }) => body);

test('each answer on one connection is whole, the small one behind it too', async () => {
  const wire = await open();
  for (let round = 0; round < 3; round++) {
    wire.send(`GET ${LIST} HTTP/1.1\r\n${head}\r\n`);
    const { status, headers: got, body } = (await wire.answer())!;
    expect([status, got['content-type'], Number(got['content-length'])]).toEqual([
      200,
      'application/json; charset=utf-8',
      body.length,
    ]);
    expect(body.length).toBeGreaterThan(2 * limits.host.pieceReplyMin);
    expect(bodiesIn(body)).toEqual(new Array(ROWS).fill(TEXT));
    wire.send(`GET /data/rest/note?limit=1&fields=name HTTP/1.1\r\n${head}\r\n`);
    expect((await wire.answer())!.status).toBe(200);
  }
  wire.end();
});

test('HEAD gives its length and no body', async () => {
  const wire = await open();
  wire.send(`HEAD ${LIST} HTTP/1.1\r\n${head}\r\n`);
  const answer = (await wire.answer('HEAD'))!;
  expect([answer.status, Number(answer.headers['content-length']) > limits.host.pieceReplyMin]).toEqual([200, true]);
  wire.end();
});

test('a search whose body came chunked gets it whole, too; its connection closes', async () => {
  const wire = await open();
  const body = '{"filter":{}}';
  wire.send(
    `POST /data/rest/note/search HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
  const answer = (await wire.answer())!;
  expect([answer.status, bodiesIn(answer.body).length]).toEqual([200, ROWS]);
  await wire.closed;
});

test('callers that leave in the middle cost nothing, and the next is served', async () => {
  for (let n = 0; n < 20; n++) {
    const wire = await open();
    wire.socket.pause();
    wire.send(`GET ${LIST} HTTP/1.1\r\n${head}\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    wire.socket.destroy();
  }
  const wire = await open();
  wire.send(`GET ${LIST} HTTP/1.1\r\n${head}\r\n`);
  expect(bodiesIn((await wire.answer())!.body)).toHaveLength(ROWS);
  wire.end();
});
