/** What a node's metrics say of connections that live: up with each kind of subscriber and member, and down to nothing again. docs/operate/metrics.md */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEvents } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { rawWebSocket } from '#test/kit/raw-websocket.ts';
import { startTestNode, untilWhole, type Headers, type TestNode } from '#test/kit/test-node.ts';

const SOON = { timeout: 20_000 };
const CHANNELS = `channels:
  room: { keyed: true, join: { services: true }, send: { services: true } }
`;

const dir = mkdtempSync(join(tmpdir(), 'skep-live-metrics-'));
let node: TestNode;
let service: Headers;

beforeAll(async () => {
  process.env['SKEP_DOOR'] = 'uws';
  const localdir = writeNoteProduct(dir);
  writeFileSync(join(localdir, 'product.yaml'), `name: shop\nsessions: { mode: managed }\n${CHANNELS}`);
  node = await startTestNode({ localdir, gateway: 'slow_callers: { window: 10s }' });
  delete process.env['SKEP_DOOR'];
  service = await node.service();
}, 60_000);
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

const NAMES =
  /^(skep_(?:subscribers|channel_members|live_connections|live_unsent_bytes|live_closed_total)[^ ]*) (\S+)$/gm;

/** The metrics of what lives that are not 0. */
async function lives(): Promise<Record<string, number>> {
  const { text } = await node.call('GET', '/metrics', {}, undefined, node.node.listeners['operations']);
  const all = [...text.matchAll(NAMES)].map(([, name, value]) => [name!.replace(/^skep_/, ''), Number(value)] as const);
  expect(all.length).toBeGreaterThan(10);
  return Object.fromEntries(all.filter(([, value]) => value !== 0));
}

/** Opens one of each kind, two of some; gives what ends them. */
async function openAll(): Promise<() => Promise<void>> {
  const follow = '/data/changes?entity=note';
  const streams = await Promise.all([1, 2].map(() => openEvents(node.gateway + follow, service)));
  const member = await openEvents(`${node.gateway}/data/channels/room?key=a`, service);
  const page = node.call('GET', `${follow}&wait=30`, service);
  const live = await rawWebSocket(node.gateway, '/data/live', service);
  for (const id of ['a', 'b', 'c']) live.send({ type: 'subscribe', id, entity: 'note' });
  live.send({ type: 'join', id: 'd', channel: 'room', key: 'a' });
  const client = createClient({
    url: `${node.gateway.replace('http', 'ws')}/data/graphql?position=${TENANT}`,
    connectionParams: { authorization: service['Authorization'] },
    retryAttempts: 0,
  });
  const query = 'subscription { note_changes { seq } }';
  client.subscribe({ query }, { next: () => undefined, error: () => undefined, complete: () => undefined });
  return async () => {
    for (const stream of [...streams, member]) stream.leave();
    // A page waits on without its caller: a change answers it, where its host has not died.
    expect((await node.call('POST', '/data/rest/note', service, { title: 'a' })).status).toBe(201);
    expect([200, 503]).toContain((await page).status);
    live.socket.destroy();
    await client.dispose();
  };
}

const ALL = {
  'subscribers{kind="sse"}': 2,
  'subscribers{kind="poll"}': 1,
  'subscribers{kind="live"}': 3,
  'subscribers{kind="graphql"}': 1,
  channel_members: 2,
  'live_connections{protocol="live"}': 1,
  'live_connections{protocol="graphql"}': 1,
};

test('each kind goes up, and down to nothing once the callers have left', async () => {
  expect(await lives()).toEqual({});
  const leave = await openAll();
  await expect.poll(lives, SOON).toEqual(ALL);
  await leave();
  await expect.poll(lives, SOON).toEqual({ 'live_closed_total{why="gone"}': 2 });
});

test('a host that is lost takes its subscribers and members along, and no figure of it stays', async () => {
  const leave = await openAll();
  await expect.poll(lives, SOON).toMatchObject(ALL);
  await node.node.drill.killHost(0);
  await untilWhole(node.node);
  // The client of GraphQL was closed to come back, and does not; the other WebSocket stays.
  await expect.poll(lives, SOON).toEqual({
    'live_connections{protocol="live"}': 1,
    'live_closed_total{why="gone"}': 2,
    'live_closed_total{why="brokeOff"}': 1,
  });
  await leave();
  await expect.poll(lives, SOON).toEqual({
    'live_closed_total{why="gone"}': 3,
    'live_closed_total{why="brokeOff"}': 1,
  });
});

test('a reader that stands still: its bytes count until it is cut, as slow', { timeout: 90_000 }, async () => {
  const before = await lives();
  const live = await rawWebSocket(node.gateway, '/data/live', service);
  for (const id of ['a', 'b', 'c', 'd']) live.send({ type: 'subscribe', id, entity: 'note' });
  await expect.poll(() => live.messages().length, SOON).toBe(4);
  live.socket.pause();
  const title = 'x'.repeat(60_000);
  await expect
    .poll(async () => {
      expect((await node.call('POST', '/data/rest/note', service, { title })).status).toBe(201);
      return (await lives())['live_unsent_bytes'] ?? 0;
    }, SOON)
    .toBeGreaterThan(title.length);
  await expect.poll(lives, { timeout: 60_000 }).toEqual({ ...before, 'live_closed_total{why="slow"}': 1 });
  live.socket.destroy();
});
