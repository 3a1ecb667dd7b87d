/** Who may not have a link, and what breaks one: nothing of it reaches the gate, and the node goes on. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { REPLIES, REQUESTS, STREAM, STREAMED, type Flat } from '#actors/protocol/frame.ts';
import { BODY_PIECE } from '#actors/protocol/stream.ts';
import { encodeFrame } from '#runtime/link/frames.ts';
import { LinkWorld, type Wire } from './link-world.ts';

const TO = 'life of n1';

async function serving() {
  const world = new LinkWorld();
  let taken = 0;
  const server = await world.server('n1', ({ visit }) => {
    taken++;
    visit.readPieces({ piece: () => undefined, end: () => undefined, gone: () => undefined, tooSlow: () => undefined });
    visit.pauseBody();
  });
  return { world, server, taken: () => taken };
}

test('no certificate, one of another authority, one of another node: no hello is answered', async () => {
  const { world, server } = await serving();
  const stranger = world.other().pair('n2');
  for (const papers of [{}, stranger, world.authority.pair('n3')]) {
    const wire = await world.wire(server, papers);
    wire.hello('n2', TO);
    await wire.closed;
    expect(wire.bytes).toBe(0);
  }
  const well = await world.wire(server, world.authority.pair('n2', 'common'));
  well.hello('n2', TO);
  await expect.poll(() => well.bytes).toBeGreaterThan(0);
});

test('a door sends nothing to a node whose certificate is that of another node', async () => {
  const world = new LinkWorld();
  const server = await world.server('n3', () => undefined);
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => world.warned).toContain('the certificate is not that of node n1');
  expect(doors.link.isUp).toBe(false);
});

test('another cluster and another protocol are refused, with a line', async () => {
  const { world, server } = await serving();
  const wire = await world.wire(server, world.authority.pair('n2'));
  wire.hello('n2', TO, 'another');
  await wire.closed;
  expect(world.warned).toEqual(['a node of another cluster: its log is another one']);
});

test('garbage before the hello ends the connection: cut frames, long frames, requests', async () => {
  const { world, server, taken } = await serving();
  const papers = world.authority.pair('n2');
  const garbage = [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    encodeFrame([16, '{"cluster":']),
    encodeFrame([16, '{}']),
    encodeFrame([16, 'x'.repeat(limits.cluster.link.helloBytesMax)]),
    encodeFrame([REQUESTS, 0, 0, 0, 0, '', '', '', '', ':from:\n:\n', '']),
  ];
  for (const bytes of garbage) {
    const wire = await world.wire(server, papers);
    wire.socket.write(bytes);
    await wire.closed;
    expect(wire.bytes).toBe(0);
  }
  expect(taken()).toBe(0);
});

async function greeted(): Promise<{ wire: Wire; taken: () => number }> {
  const { world, server, taken } = await serving();
  const wire = await world.wire(server, world.authority.pair('n2'));
  wire.hello('n2', TO);
  await expect.poll(() => wire.bytes).toBeGreaterThan(0);
  return { wire, taken };
}

const request = (no: number, fields: Readonly<Record<number, Flat[number]>> = {}): Flat =>
  Object.assign([no, 1, 0, 1, '', '', '', 'id', ':from:\n:\n', STREAMED], fields);

const bad: readonly (readonly [string, readonly Flat[]])[] = [
  ['a batch whose last record is cut', [[REQUESTS, ...request(0).slice(0, 5)]]],
  ['a number that is a text', [[REQUESTS, ...request(0, { 0: 'x' })]]],
  ['a verb that no door knows', [[REQUESTS, ...request(0, { 3: 99 })]]],
  ['a body that is a number', [[REQUESTS, ...request(0, { 9: 17 })]]],
  ['no caller', [[REQUESTS, ...request(0, { 8: 'x-api-key:1\n' })]]],
  ['two requests of one number', [[REQUESTS, ...request(0), ...request(0)]]],
  ['replies', [[REPLIES, 0, 200, '', '']]],
  [
    'a part of a stream that only a thread sends',
    [
      [REQUESTS, ...request(0)],
      [STREAM, 0, 5, 'x'],
    ],
  ],
  [
    'more of a body than its window holds',
    [
      [REQUESTS, ...request(0)],
      ...Array.from({ length: 9 }, (): Flat => [STREAM, 0, BODY_PIECE, new Uint8Array(262_144)]),
    ],
  ],
];
test('a window that one long piece passes, as a door reads it from a fast caller while the thread waits for its disk, is held', async () => {
  const { wire, taken } = await greeted();
  wire.socket.write(encodeFrame([REQUESTS, ...request(0)]));
  for (const bytes of [200_000, 524_288])
    wire.socket.write(encodeFrame([STREAM, 0, BODY_PIECE, new Uint8Array(bytes)]));
  const before = wire.bytes;
  await expect.poll(taken).toBe(1);
  await expect.poll(() => wire.bytes, { timeout: 5000 }).toBeGreaterThan(before); // a ping: the link is there
  expect(wire.socket.destroyed).toBe(false);
});

for (const [what, frames] of bad)
  test(`after the hello: ${what} ends the link`, async () => {
    const { wire } = await greeted();
    for (const frame of frames) wire.socket.write(encodeFrame(frame));
    await wire.closed;
  });

test('a second of one link is no fault: what is for a request that is over is dropped', async () => {
  const { wire, taken } = await greeted();
  wire.socket.write(encodeFrame([STREAM, 77, BODY_PIECE, 'x']));
  wire.socket.write(encodeFrame([REQUESTS, ...request(0)]));
  await expect.poll(taken).toBe(1);
  expect(wire.socket.destroyed).toBe(false);
});

test('a link that is cut at any byte of a request leaves the gate without it', async () => {
  const bytes = encodeFrame([REQUESTS, ...request(0)]);
  const { world, server, taken } = await serving();
  const papers = world.authority.pair('n2');
  for (let length = 0; length < bytes.length; length += 7) {
    const wire = await world.wire(server, papers);
    wire.hello('n2', TO);
    wire.socket.end(bytes.subarray(0, length));
    await wire.closed;
  }
  expect(taken()).toBe(0);
});

test('a node that never reads is cut once too much waits for it', async () => {
  const world = new LinkWorld();
  const body = new Uint8Array(8 * 1024 * 1024);
  const server = await world.server('n1', ({ visit, requestId }) => visit.answer(200, '', body, requestId));
  const wire = await world.wire(server, world.authority.pair('n2'));
  wire.hello('n2', TO);
  await expect.poll(() => wire.bytes).toBeGreaterThan(0);
  wire.socket.pause();
  const many = limits.cluster.link.unsentBytesCut / body.length + 3;
  for (let no = 0; no < many; no++) wire.socket.write(encodeFrame([REQUESTS, ...request(no, { 9: '' })]));
  await new Promise((resolve) => setImmediate(resolve));
  wire.socket.resume();
  await wire.closed;
  expect(wire.bytes).toBeLessThan(many * body.length);
});
