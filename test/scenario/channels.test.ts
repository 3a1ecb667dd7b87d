/** Channels of a real node: two users, a service, rows as keys, a logout, a slow reader, WebSockets, a restart. docs/contract/channels.md */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { openEvents } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };
const PRODUCT = `name: shop
sessions: { mode: managed }
channels:
  note: { entity: note, join: { users: true }, send: { users: true, services: true }, presence: true }
  loud: { join: { users: true }, send: { users: true }, bytes: 16384 }
  feed: { join: { users: true }, send: { services: true }, bytes: 16384 }
`;

const dir = mkdtempSync(join(tmpdir(), 'skep-channels-'));
const wish = { localdir: writeNoteProduct(dir), dir };
let node: TestNode;
let service: Headers;

beforeAll(async () => {
  writeFileSync(join(dir, 'notes', 'product.yaml'), PRODUCT);
  node = await startTestNode(wish);
  service = await node.service();
}, 60_000);
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Person {
  readonly headers: Headers;
  readonly subject: string;
}

async function userOf(name: string): Promise<Person> {
  const login = `${name}@example.org`;
  const person = { email: login, password: PASSWORD, roles: ['tenant_user'] };
  const { id } = (await node.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
  const here = positionHeaders(TENANT);
  const { json } = await node.call('POST', '/auth/login', here, { login, password: PASSWORD });
  const { access_token: token } = json as { access_token: string };
  return { headers: { ...here, Authorization: `Bearer ${token}` }, subject: id };
}

async function noteOf(values: object): Promise<string> {
  const { json } = await node.call('POST', '/data/rest/note', service, { title: 'a', ...values });
  return (json as { data: { id: string }[] }).data[0]!.id;
}

const joinAs = ({ headers }: Person, channel: string, query = '') =>
  openEvents(`${node.gateway}/data/channels/${channel}${query}`, headers);
const send = (headers: Headers, channel: string, payload: unknown) =>
  node.call('POST', `/data/channels/${channel}`, headers, { payload });
const codeOf = ({ status, json }: { status: number; json?: unknown }) => [status, (json as { code: string }).code];

test('two users see each other at a row; a third may not; who logs out has left', async () => {
  const [ann, ben, eve] = [await userOf('ann'), await userOf('ben'), await userOf('eve')];
  const id = await noteOf({ open: true });
  const hidden = await noteOf({ open: false, owner: ann.subject });
  const at = `?key=${id}`;
  const desk = await joinAs(ann, 'note', `${at}&state=%22reads%22`);
  await expect.poll(() => desk.events.length, SOON).toBe(1);
  expect(desk.events[0]).toMatchObject({
    event: 'joined',
    data: { members: [{ subject: ann.subject, state: 'reads' }] },
  });
  const other = await joinAs(ben, 'note', at);
  await expect
    .poll(() => desk.events.at(-1)?.data, SOON)
    .toMatchObject({ change: 'join', member: { subject: ben.subject } });
  // The sender is the caller, whatever a caller writes.
  expect((await send(ben.headers, `note${at}`, { from: { subject: ann.subject } })).status).toBe(204);
  await expect
    .poll(() => desk.events.at(-1), SOON)
    .toMatchObject({
      event: 'message',
      data: { from: { type: 'user', subject: ben.subject }, payload: { from: { subject: ann.subject } } },
    });
  expect((await joinAs(eve, 'note', `?key=${hidden}`)).status).toBe(404);
  expect(codeOf(await send(eve.headers, `note?key=${hidden}`, 1))).toEqual([404, 'v2.channel_not_found']);
  expect(codeOf(await send(eve.headers, 'feed', 1))).toEqual([403, 'v2.channel_denied']);
  expect((await node.call('POST', '/auth/logout', ben.headers)).status).toBeLessThan(300);
  await expect.poll(() => other.isOver(), SOON).toBe(true);
  expect(other.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'session' } });
  await expect
    .poll(() => desk.events.at(-1)?.data, SOON)
    .toMatchObject({ change: 'leave', member: { subject: ben.subject } });
  desk.leave();
});

test('a WebSocket joins, sends, changes its state and leaves', async () => {
  const ann = await userOf('ann');
  const key = await noteOf({ open: true });
  const socket = new WebSocket(`${node.gateway.replace('http', 'ws')}/data/live`, { headers: ann.headers });
  // oxlint-disable-next-line typescript/no-explicit-any
  const heard: any[] = [];
  socket.addEventListener('message', ({ data }) => void heard.push(JSON.parse(data as string)));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const ask = (message: object): void => socket.send(JSON.stringify(message));
  const last = (id: string) => heard.findLast((message) => message.id === id);
  ask({ type: 'join', id: 'j', channel: 'note', key, state: { at: 1 } });
  await expect.poll(() => last('j'), SOON).toMatchObject({ type: 'joined', members: [{ state: { at: 1 } }] });
  const { member } = last('j') as { member: string };
  ask({ type: 'send', id: 's', channel: 'note', key, payload: 'hello', member });
  await expect.poll(() => last('s'), SOON).toEqual({ id: 's', type: 'sent' });
  await expect.poll(() => last('j'), SOON).toMatchObject({ type: 'message', from: { member }, payload: 'hello' });
  ask({ type: 'state', id: 'p', channel: 'note', key, member, state: null });
  await expect.poll(() => last('p'), SOON).toEqual({ id: 'p', type: 'sent' });
  await expect
    .poll(() => last('j'), SOON)
    .toMatchObject({ type: 'presence', change: 'state', member: { state: null } });
  ask({ type: 'send', id: 'd', channel: 'feed', payload: 1 });
  await expect
    .poll(() => last('d'), SOON)
    .toMatchObject({ type: 'error', status: 403, error: { code: 'v2.channel_denied' } });
  ask({ type: 'leave', id: 'j' });
  await expect.poll(() => last('j'), SOON).toEqual({ id: 'j', type: 'left' });
  ask({ type: 'join', id: 'f', channel: 'feed' });
  await expect.poll(() => last('f'), SOON).toEqual({ id: 'f', type: 'joined', member: expect.any(String) });
  expect((await send(service, 'feed', 7)).status).toBe(204);
  await expect.poll(() => last('f'), SOON).toMatchObject({ type: 'message', from: { type: 'service' }, payload: 7 });
  expect(heard.some(({ type }) => type === 'subscribed')).toBe(false);
  socket.close();
});

test('a slow reader is told what it lost, and others do not wait for it', async () => {
  const ann = await userOf('ann');
  const senders = await Promise.all(Array.from({ length: 10 }, (_, no) => userOf(`sender${no}`)));
  const quick = await joinAs(await userOf('ben'), 'loud');
  const { hostname, port } = new URL(node.gateway);
  const slow = connect(Number(port), hostname);
  const fields = Object.entries({ Host: 'x', Accept: 'text/event-stream', ...ann.headers });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  slow.write(`GET /data/channels/loud HTTP/1.1\r\n${head}\r\n`);
  const text = await new Promise<string>((resolve) => slow.once('data', (piece) => resolve(piece.toString('latin1'))));
  slow.pause();
  let heard = text;
  const payload = 'x'.repeat(limits.channels.messageBytesMax - 10);
  // More than the buffers of sockets and the member's queue take, at the pace that the channel allows.
  const each = 70;
  await Promise.all(
    senders.map(async ({ headers }) => {
      for (let sent = 0; sent < each;) {
        const { status } = await send(headers, 'loud', payload);
        expect([204, 429]).toContain(status);
        if (status === 204) sent++;
        else await setTimeout(100);
      }
    }),
  );
  const sent = each * senders.length;
  const lostOf = () => quick.events.reduce((sum, { event, data }) => sum + (event === 'lost' ? data.count : 0), 0);
  const messages = (): number => quick.events.filter(({ event }) => event === 'message').length;
  await expect.poll(() => messages() + lostOf(), SOON).toBe(sent);
  slow.on('data', (piece: Buffer) => (heard += piece.toString('latin1')));
  slow.resume();
  const known = (): number => {
    const lost = [...heard.matchAll(/"count":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    return lost + (heard.match(/event: message\n/g) ?? []).length;
  };
  await expect.poll(known, SOON).toBe(sent);
  expect(heard).toContain('event: lost\n');
  expect(messages()).toBeGreaterThan((heard.match(/event: message\n/g) ?? []).length);
  slow.destroy();
  quick.leave();
}, 120_000);

test('a restart ends all members, and keeps nothing', async () => {
  const ann = await userOf('ann');
  const stream = await joinAs(ann, 'feed');
  await expect.poll(() => stream.events.length, SOON).toBe(1);
  await node.stop();
  await expect.poll(() => stream.isOver(), SOON).toBe(true);
  expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'leaving' } });
  node = await startTestNode(wish);
  service = await node.service();
  const again = await joinAs(await userOf('ann'), 'feed');
  await expect.poll(() => again.events.map(({ event }) => event), SOON).toEqual(['joined']);
  again.leave();
}, 60_000);
