/** Consumer groups of a real node: services and users, polls, streams and WebSockets, tenants apart, administrators, a restart. docs/contract/changes.md §8 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEvents } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { exchange, positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };
const MAILER = '/data/changes/groups/mailer';
const DESK = '/data/changes/groups/desk';
const LIST = '/data/admin/data/changes/groups';

const dir = mkdtempSync(join(tmpdir(), 'skep-groups-'));
const wish = { localdir: writeNoteProduct(dir), dir };
let node: TestNode;
let service: Headers;

beforeAll(async () => {
  node = await startTestNode(wish);
  service = await node.service();
}, 60_000);
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function userOf(name: string, role: string): Promise<Headers> {
  const login = `${name}@example.org`;
  await node.node.ask(TENANT, 'identity', 'person.ensure', { email: login, password: PASSWORD, roles: [role] });
  const here = positionHeaders(TENANT);
  const { json } = await node.call('POST', '/auth/login', here, { login, password: PASSWORD });
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

const create = async (title: string): Promise<void> => {
  const answer = await node.call('POST', '/data/rest/note', service, { title, open: true });
  expect(answer.status, answer.text).toBe(201);
};
const read = (group: string, headers = service, more = '') =>
  node.call('GET', `/data/changes?entity=note&group=${group}${more}`, headers);
const titlesOf = ({ json }: { json?: unknown }): string[] =>
  (json as { changes: { row: { title: string } }[] }).changes.map(({ row }) => row.title);
const afterOf = ({ json }: { json?: unknown }): number => (json as { after: number }).after;
const codeOf = ({ status, json }: { status: number; json?: unknown }) => [status, (json as { code: string }).code];

test('a group goes on where it was, over polls, streams, WebSockets and a restart', async () => {
  expect(codeOf(await read('mailer'))).toEqual([409, 'v2.changes_group_unplaced']);
  expect((await node.call('POST', MAILER, service)).json).toEqual({
    group: 'mailer',
    entity: 'note',
    after: expect.any(Number),
  });
  const waiting = read('mailer', service, '&wait=25');
  await create('one');
  const first = await waiting;
  expect(titlesOf(first)).toEqual(['one']);
  await create('two');
  const stream = await openEvents(`${node.gateway}/data/changes?entity=note&group=mailer`, service, '1');
  const streamed = () => stream.events.map(({ data }) => data.row?.title);
  await expect.poll(streamed, SOON).toEqual(['one', 'two']);
  expect((await node.call('POST', MAILER, service, { after: afterOf(first) })).json).toMatchObject({
    after: afterOf(first),
  });
  await create('three');
  await expect.poll(streamed, SOON).toEqual(['one', 'two', 'three']);
  stream.leave();
  const socket = new WebSocket(`${node.gateway.replace('http', 'ws')}/data/live`, { headers: service });
  const heard: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const { type, change } = JSON.parse(data as string) as { type: string; change?: { row: { title: string } } };
    if (type === 'change') heard.push(change!.row.title);
  });
  const ask = { type: 'subscribe', id: 'm', entity: 'note', where: { group: 'mailer' } };
  socket.addEventListener('open', () => socket.send(JSON.stringify(ask)));
  await expect.poll(() => heard, SOON).toEqual(['two', 'three']);
  socket.close();
  await node.stop();
  node = await startTestNode(wish);
  service = { ...service, Authorization: `Bearer ${await exchange(node.gateway, node.serviceKey)}` };
  // The node's kit has issued another key: another caller, which an administrator lets in.
  expect(codeOf(await read('mailer'))).toEqual([403, 'v2.changes_group_denied']);
  const admin = await userOf('admin', 'tenant_admin');
  const removed = await node.call('DELETE', `${LIST}/mailer`, admin);
  expect([removed.status, afterOf(removed)]).toEqual([200, afterOf(first)]);
  expect((await node.call('POST', MAILER, service, { after: afterOf(removed) })).status).toBe(200);
  expect(titlesOf(await read('mailer'))).toEqual(['two', 'three']);
}, 90_000);

test('other callers, other tenants and callers of lower rights move nothing', async () => {
  const ann = await userOf('ann', 'tenant_user');
  const bob = await userOf('bob', 'tenant_user');
  const admin = await userOf('admin', 'tenant_admin');
  const begun = await node.call('POST', DESK, ann);
  expect(begun.status, begun.text).toBe(200);
  await create('for the desk');
  const { after } = (await read('desk', ann)).json as { after: number };
  for (const [path, headers] of [
    [DESK, bob],
    [DESK, service],
    [DESK, admin],
    [MAILER, ann],
  ] as const)
    expect(codeOf(await node.call('POST', path, headers, { after }))).toEqual([403, 'v2.changes_group_denied']);
  expect((await node.call('POST', DESK, positionHeaders(TENANT), { after })).status).toBe(401);
  // The token of one tenant counts at no other, whose group of the same name is another one.
  expect((await node.call('POST', DESK, { ...ann, ...positionHeaders(OTHER_TENANT) }, { after })).status).toBe(401);
  expect(titlesOf(await read('desk', ann))).toEqual(['for the desk']);
  expect((await node.call('GET', LIST, ann)).status).toBe(403);
  const { groups } = (await node.call('GET', LIST, admin)).json as { groups: { name: string; after: number }[] };
  expect(groups.map(({ name }) => name)).toEqual(['desk', 'mailer']);
  expect(groups[0]!.after).toBe(afterOf(begun));
});
