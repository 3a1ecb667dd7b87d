/** Triggers of a real node: webhooks to a real receiver, mails to a real server, scripts in jobs, and the outbox of the administrator. docs/contract/triggers.md */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { MailServer } from '#test/kit/mail-server.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { writeTriggerShop } from '#test/kit/trigger-shop.ts';
import { startReceiver, type Received, type Receiver } from '#test/kit/webhook-receiver.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = '/data/admin/data/triggers';
const SOON = { timeout: 20_000 };
const dir = mkdtempSync(join(tmpdir(), 'skep-triggers-'));
const mail = new MailServer();
let receiver: Receiver;
let node: TestNode;
let caller: Headers;
let admin: Headers;

beforeAll(async () => {
  receiver = await startReceiver();
  await mail.listen();
  const extra = `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }
jobs: { threads: 1 }
identity:
  mail:
    smtp: { host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`;
  node = await startTestNode({ localdir: writeTriggerShop(dir, receiver.port), extra });
  caller = await node.service();
  admin = await userOf('ann', ['tenant_admin']);
}, 60_000);
afterAll(async () => {
  await node.stop();
  await receiver.stop();
  await mail.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (_received, response) => void response.end();
});

async function userOf(name: string, roles: readonly string[]): Promise<Headers> {
  const login = `${name}@example.org`;
  await node.node.ask(TENANT, 'identity', 'person.ensure', { email: login, password: PASSWORD, roles });
  const here = positionHeaders(TENANT);
  const { json } = await node.call('POST', '/auth/login', here, { login, password: PASSWORD });
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  node.call(method, `/data/rest/${path}`, caller, body);
const rowsOf = ({ json }: Answer): Record<string, unknown>[] => (json as { data: Record<string, unknown>[] }).data;
async function made(row: object, entity = 'order'): Promise<string> {
  const answer = await ask('POST', entity, row);
  expect(answer.status, answer.text).toBe(201);
  return rowsOf(answer)[0]!['id'] as string;
}
const at = (path: string): Received[] => receiver.received.filter((one) => one.path === path);
interface Body {
  readonly id: string;
  readonly event: string;
  readonly trigger: string;
  readonly tenant: string;
  readonly depth: number;
  readonly data: { readonly entity: string; readonly id: string; readonly row: object | null };
}
const bodiesAt = (path: string): Body[] => at(path).map(({ body }) => JSON.parse(body) as Body);
const arrived = (path: string, count: number) => expect.poll(() => at(path).length, SOON).toBe(count);

interface Event {
  readonly id: string;
  readonly trigger: string;
  readonly outcome: string;
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
}
const eventsOf = async (trigger: string): Promise<Event[]> => {
  const { status, json, text } = await node.call('GET', `${ADMIN}/events?limit=500`, admin);
  expect(status, text).toBe(200);
  return (json as { events: Event[] }).events.filter((event) => event.trigger === trigger);
};
const countsOf = async (trigger: string): Promise<Record<string, number>> =>
  (
    (await node.call('GET', ADMIN, admin)).json as { triggers: ({ name: string } & Record<string, never>)[] }
  ).triggers.find(({ name }) => name === trigger)!;

/** HMAC-SHA256 by WebCrypto: what a receiver would write, and nothing of ours. */
async function hmac(text: string): Promise<Buffer> {
  const usage = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', Buffer.from('trigger-secret'), usage, false, ['sign']);
  return Buffer.from(await crypto.subtle.sign('HMAC', key, Buffer.from(text)));
}

test('a row that is created, deleted and restored is told of, signed, with its fields as readers see them', async () => {
  const id = await made({ number: 'A1', email: 'ada@example.org' });
  await arrived('/life', 1);
  const [{ headers, body }] = at('/life') as [Received];
  expect(headers).toMatchObject({
    'x-service-event': 'row.created',
    'x-service-tenant': TENANT,
    'x-service-delivery-name': 'life',
    'x-service-signature': `sha256=${(await hmac(body)).toString('hex')}`,
  });
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
  expect(headers['webhook-signature']).toBe(`v1,${(await hmac(signed)).toString('base64')}`);
  const [told] = bodiesAt('/life') as [Body];
  expect(told).toMatchObject({
    id: headers['webhook-id'],
    event: 'row.created',
    trigger: 'life',
    tenant: TENANT,
    depth: 1,
  });
  expect(told.data).toMatchObject({ entity: 'order', id, row: { number: 'A1' } });
  expect(body).not.toContain('ada@example.org');

  expect((await ask('DELETE', `order/id/${id}`)).status).toBe(200);
  await arrived('/life', 2);
  expect((await ask('POST', `order/id/${id}/restore`)).status).toBe(200);
  await arrived('/life', 3);
  const events = bodiesAt('/life').map(({ event, data: { row } }) => [event, row === null]);
  expect(events).toEqual([
    ['row.created', false],
    ['row.deleted', true],
    ['row.restored', false],
  ]);
});

test('an update fires only when a named field changes and the condition over the row and the row before is met', async () => {
  const id = await made({ number: 'A2', total: 20 });
  const small = await made({ number: 'A3', total: 5 });
  await ask('PATCH', `order/id/${id}`, { number: 'A2b' });
  await ask('PATCH', `order/id/${small}`, { status: 'paid' });
  await ask('PATCH', `order/id/${id}`, { status: 'paid' });
  await ask('PATCH', `order/id/${id}`, { status: 'paid', number: 'A2c' });
  await arrived('/paid', 1);
  await ask('PATCH', `order/id/${id}`, { status: 'open' });
  await ask('PATCH', `order/id/${id}`, { status: 'paid' });
  await arrived('/paid', 2);
  expect(bodiesAt('/paid').map(({ data }) => data.id)).toEqual([id, id]);
});

test('what is refused, dropped with its turn, or of an entity without triggers fires nothing', async () => {
  expect((await ask('POST', 'order', { status: 'open' })).status).toBe(422);
  const operations = [
    { action: 'create', data: { order: { number: 'never' } } },
    { action: 'create', data: { order: { total: 'x' } } },
  ];
  expect((await node.call('POST', '/data/rest', caller, { operations })).status).toBe(422);
  await made({ number: 'q' }, 'quiet');
  await made({ number: 'last' });
  await arrived('/life', 1);
  expect(bodiesAt('/life').map(({ data }) => data.row)).toMatchObject([{ number: 'last' }]);
});

test('a mail goes to the address in the row, in the words of the trigger; a row without one ends its event', async () => {
  await made({ number: 'G1', status: 'greet', email: 'grace@example.org' });
  await mail.until(() => mail.received.length === 1);
  const [{ to, subject, text, html }] = mail.received as [MailServer['received'][number]];
  expect([to, subject]).toEqual([['grace@example.org'], 'Order G1']);
  expect(text).toContain(`created of order at ${TENANT.split(':').at(-1)!}`);
  expect(html).toContain('Thank you for G1');
  expect(text).not.toContain('grace@');
  await made({ number: 'G2', status: 'greet' });
  await expect.poll(async () => (await eventsOf('greet')).map(({ outcome }) => outcome), SOON).toEqual(['dropped']);
});

test('a script runs under its role, sees the event, and what it writes is there once', async () => {
  await made({ number: 'N1', status: 'noted' });
  const notes = async () => rowsOf(await ask('GET', 'note?order=N1'));
  await expect.poll(async () => (await notes()).length, SOON).toBe(1);
  expect(await notes()).toMatchObject([{ order: 'N1', depth: 1, who: 'row.created' }]);
  await expect.poll(async () => await countsOf('noted'), SOON).toMatchObject({ waiting: 0, delivered: 1, failed: 0 });
});

test('triggers that fire one another end at the depth limit, and what is beyond is counted', async () => {
  const clerk = await userOf('cleo', ['clerk']);
  expect((await node.call('POST', '/data/rest/note', clerk, { order: 'E', depth: 0, who: 'echo' })).status).toBe(201);
  await expect.poll(async () => (await countsOf('echo'))['dropped'], SOON).toBe(1);
  const echoes = rowsOf(await ask('GET', 'note?who=echo&limit=50'));
  expect(echoes.map(({ depth }) => depth as number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: limits.triggers.depthMax + 1 }, (_, depth) => depth),
  );
});

test('a script that its role may not do fails, waits, is hurried, dropped and forgotten by an administrator alone', async () => {
  await made({ number: 'D1', status: 'denied' });
  await expect.poll(async () => (await eventsOf('denied'))[0]?.attempts, SOON).toBeGreaterThan(0);
  const [{ id, error }] = (await eventsOf('denied')) as [Event];
  expect(error).toContain('create on secret is not allowed');
  for (const [method, path] of [
    ['GET', ADMIN],
    ['GET', `${ADMIN}/events`],
    ['POST', `${ADMIN}/events/${id}/retry`],
    ['DELETE', `${ADMIN}/events/${id}`],
  ] as const) {
    const refused = await node.call(method, path, await userOf('cleo', ['clerk']));
    expect([refused.status, (refused.json as { code: string }).code]).toEqual([403, 'v2.requires_admin']);
  }
  expect((await node.call('POST', `${ADMIN}/events/${id}/retry`, admin)).status).toBe(200);
  expect((await node.call('DELETE', `${ADMIN}/events/${id}`, admin)).status).toBe(200);
  expect(await eventsOf('denied')).toMatchObject([{ id, outcome: 'dropped' }]);
  expect((await node.call('DELETE', `${ADMIN}/events/${id}`, admin)).status).toBe(200);
  expect(await eventsOf('denied')).toEqual([]);
  for (const [method, path] of [
    ['POST', `${ADMIN}/events/${id}/retry`],
    ['DELETE', `${ADMIN}/events/${id}`],
  ] as const)
    expect((await node.call(method, path, admin)).status).toBe(404);
  expect((await node.call('GET', `${ADMIN}/events?outcome=lost`, admin)).status).toBe(400);
});

test('a webhook that was refused is kept and leaves again under its id', async () => {
  receiver.answer = (_received, response) => void response.writeHead(410).end();
  await made({ number: 'R1' });
  const outcomes = async (): Promise<string[]> => (await eventsOf('life')).map(({ outcome }) => outcome);
  await expect.poll(outcomes, SOON).toEqual(['refused']);
  const [event] = (await eventsOf('life')) as [Event];
  expect(event).toMatchObject({ outcome: 'refused', attempts: 1, status: 410 });
  receiver.answer = (_received, response) => void response.end();
  receiver.received.length = 0;
  expect((await node.call('POST', `${ADMIN}/events/${event.id}/retry`, admin)).status).toBe(200);
  await arrived('/life', 1);
  expect(at('/life')[0]!.headers['webhook-id']).toBe(event.id);
  await expect.poll(async () => await eventsOf('life'), SOON).toEqual([]);
});
