/** Callers of `/data/live` that keep to no rule, at a real node: frames that RFC 6455 forbids, floods, connections that ask for nothing, readers that read nothing. docs/contract/changes.md §7.4 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { CLOSE, frameWith, rawWebSocket, type RawWebSocket } from '#test/kit/raw-websocket.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const SOON = { timeout: 20_000 };
const KEPT = 20;
const dir = mkdtempSync(join(tmpdir(), 'skep-live-hostile-'));
let node: TestNode;
let service: Headers;
const opened: RawWebSocket[] = [];

beforeAll(async () => {
  process.env['SKEP_DOOR'] = 'uws';
  node = await startTestNode({ localdir: writeNoteProduct(dir, KEPT) });
  delete process.env['SKEP_DOOR'];
  service = await node.service();
}, 60_000);
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  // Whatever was done, other callers are served.
  expect((await node.call('GET', '/data/rest/note?limit=1', service)).status).toBe(200);
});
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function open(headers: Headers = service): Promise<RawWebSocket> {
  const live = await rawWebSocket(node.gateway, '/data/live', headers);
  expect(live.head).toMatch(/^HTTP\/1.1 101 /);
  opened.push(live);
  return live;
}

test.each([
  ['larger than a message may be', frameWith(Buffer.alloc(limits.changes.liveMessageBytesMax + 1, 32))],
  ['of a kind that does not exist', frameWith(Buffer.from('x'), { opcode: 3 })],
  ['a control frame in pieces', frameWith(Buffer.from('x'), { opcode: CLOSE, fin: false })],
  ['a text that is no UTF-8', frameWith(Buffer.from([0xff, 0xfe]))],
])('a frame that is %s ends the connection', async (_what, frame) => {
  const live = await open();
  live.socket.write(frame);
  await expect.poll(live.isClosed, SOON).toBe(true);
  expect(live.messages()).toEqual([]);
});

// The addon takes four bytes of it for the mask (runtime/door/README.md): what comes out is no message.
test('frames without a mask are never obeyed', async () => {
  const live = await open();
  const frame = frameWith(Buffer.from('{"type":"ping"}'), { masked: false });
  live.socket.write(Buffer.concat([frame, frame, frame]));
  await expect.poll(live.isClosed, SOON).toBe(true);
  expect(live.messages()).toEqual([]);
});

test('a frame that announces more bytes than fit no memory ends the connection before they come', async () => {
  const live = await open();
  live.socket.write(Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]));
  await expect.poll(live.isClosed, SOON).toBe(true);
});

test.each([
  ['no JSON', '{'],
  ['a member twice', '{"type":"ping","type":"ping"}'],
  ['an unknown kind', '{"type":"publish"}'],
  ['a member too many', '{"type":"ping","more":1}'],
  ['a line break in a token', '{"type":"auth","token":"a\\nX-Tenant: other"}'],
  [
    'an id that is too long',
    JSON.stringify({ type: 'unsubscribe', id: 'x'.repeat(limits.changes.liveIdCharsMax + 1) }),
  ],
  ['a condition that stands for a member', '{"type":"subscribe","id":"a","entity":"note","where":{"Entity":"other"}}'],
])('a message with %s closes with 4400', async (_what, text) => {
  const live = await open();
  live.socket.write(frameWith(Buffer.from(text)));
  await expect.poll(live.code, SOON).toBe(4400);
});

test('binary messages, and an id that is taken, close with codes of their own', async () => {
  const binary = await open();
  binary.socket.write(frameWith(Buffer.from('{}'), { opcode: 2 }));
  await expect.poll(binary.code, SOON).toBe(1003);
  const twice = await open();
  twice.send({ type: 'subscribe', id: 'a', entity: 'note' });
  twice.send({ type: 'subscribe', id: 'a', entity: 'note' });
  await expect.poll(twice.code, SOON).toBe(4409);
});

test('thousands of subscribes are a flood: the connection is closed, and few reached a host', async () => {
  const live = await open();
  const frames = Array.from({ length: 3000 }, (_, no) =>
    frameWith(Buffer.from(JSON.stringify({ type: 'subscribe', id: `s${no}`, entity: 'note' }))),
  );
  live.socket.write(Buffer.concat(frames));
  await expect.poll(live.code, SOON).toBe(4429);
  await expect.poll(live.isClosed, SOON).toBe(true);
  expect(live.messages().length).toBeLessThanOrEqual(2 * limits.changes.liveBurst);
});

test('a connection has so many subscriptions and no more', async () => {
  const live = await open();
  const most = limits.changes.liveSubscriptionsMax;
  for (let no = 0; no <= most; no++) live.send({ type: 'subscribe', id: `s${no}`, entity: 'note' });
  await expect.poll(() => live.messages().filter(({ type }) => type === 'subscribed').length, SOON).toBe(most);
  const refused = live.messages().filter(({ type }) => type === 'error');
  expect(refused).toEqual([expect.objectContaining({ id: `s${most}`, status: 429, retry_after: 1 })]);
});

test('a connection that asks for nothing is closed', { timeout: 60_000 }, async () => {
  const live = await open(node.position());
  await expect.poll(live.code, { timeout: 40_000 }).toBe(4408);
});

test('a reader that stands still costs no more than its windows, and is told reset', { timeout: 120_000 }, async () => {
  const live = await open();
  for (const id of ['a', 'b', 'c']) live.send({ type: 'subscribe', id, entity: 'note' });
  await expect.poll(() => live.messages().length, SOON).toBe(3);
  live.socket.pause();
  const title = 'x'.repeat(60_000);
  const writes = 400;
  for (let no = 0; no < writes; no += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        expect((await node.call('POST', '/data/rest/note', service, { title })).status).toBe(201);
      }),
    );
  live.socket.resume();
  const resets = (): string[] =>
    live
      .messages()
      .filter(({ type }) => type === 'reset')
      .map(({ id }) => id as string);
  await expect.poll(() => resets().sort(), { timeout: 30_000 }).toEqual(['a', 'b', 'c']);
  // What the sockets and three windows hold, with room: an eighth of what three subscribers would have been told.
  expect(live.bytes()).toBeLessThan((3 * writes * title.length) / 8);
});
