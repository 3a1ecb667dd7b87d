/** Webhooks of content apps. Source: docs/contract/content.md §8.1, §8.3. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runVerb } from '#runtime/control-verbs.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';
import { startReceiver, type Received, type Receiver } from '#test/kit/webhook-receiver.ts';

const SECRET = 'webhook-secret';
const posts = '/content/blog/blog.post';
let node: TestNode;
let editor: Headers;
let receiver: Receiver;
let dir: string;

const hooks = (port: number): string => `webhooks:
  - { name: all, url: "http://127.0.0.1:${port}/all", secret: "\${SKEP_TEST_WEBHOOK}", headers: { X-Site: magazine } }
  - { name: deletes, url: "http://127.0.0.1:${port}/deletes", secret: "\${SKEP_TEST_WEBHOOK}", events: [AfterContentDeleteSuccess] }
  - { name: slow, url: "http://127.0.0.1:${port}/slow", secret: "\${SKEP_TEST_WEBHOOK}", events: [AfterContentDeleteSuccess], timeout: 300ms }
  - { name: asleep, url: "http://127.0.0.1:${port}/asleep", secret: "\${SKEP_TEST_WEBHOOK}", active: false }
  - { name: inside, url: "http://localhost:1/", secret: "\${SKEP_TEST_WEBHOOK}", events: [AfterContentDeleteSuccess] }
`;

const make = async (body: object, headers = editor) =>
  (await node.call('POST', posts, headers, body)).json as { id: string; document_id: string };
const at = (path: string): Received[] => receiver.received.filter((one) => one.path === path);
const arrived = (path: string, count: number) => expect.poll(() => at(path).length, { timeout: 10_000 }).toBe(count);

interface Listed {
  readonly count: { readonly waiting: number };
  readonly deliveries: {
    id: string;
    hook: string;
    outcome: string;
    attempts: number;
    status: number | null;
    error: string;
  }[];
}
const listed = async (): Promise<Listed> => (await runVerb(node.node, 'webhook.list', { tenant: TENANT })) as Listed;
const ended = (hook: string) => async () => {
  const { count, deliveries } = await listed();
  return count.waiting === 0 ? deliveries.find((one) => one.hook === hook)?.outcome : 'waiting';
};

beforeAll(async () => {
  receiver = await startReceiver();
  dir = mkdtempSync(join(tmpdir(), 'skep-hooks-'));
  node = await startMagazine({
    localdir: magazineWith(dir, hooks(receiver.port)),
    extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }`,
  });
  editor = await node.service();
});
afterAll(async () => {
  await node.stop();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (_received, response) => void response.end();
});

/** HMAC-SHA256 by WebCrypto: what a receiver would write, and nothing of ours. */
async function hmac(text: string): Promise<Buffer> {
  const key = await crypto.subtle.importKey('raw', Buffer.from(SECRET), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  return Buffer.from(await crypto.subtle.sign('HMAC', key, Buffer.from(text)));
}

describe('a delivery', () => {
  test('has the contract’s method, headers, signature and body, and those of Standard Webhooks', async () => {
    const { document_id: id } = await make({ title: 'T' });
    await arrived('/all', 1);
    const [{ method, headers, body }] = at('/all') as [Received];
    expect(method).toBe('POST');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'service-webhook/1',
      'x-service-event': 'AfterContentCreateSuccess',
      'x-service-tenant': TENANT,
      'x-service-delivery-name': 'all',
      'x-service-signature': `sha256=${(await hmac(body)).toString('hex')}`,
      'x-site': 'magazine',
    });
    const [hookId, seconds] = [headers['webhook-id'] as string, headers['webhook-timestamp'] as string];
    expect(headers['webhook-signature']).toBe(`v1,${(await hmac(`${hookId}.${seconds}.${body}`)).toString('base64')}`);
    expect(JSON.parse(body)).toEqual({
      event: 'AfterContentCreateSuccess',
      tenant: TENANT,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { entity: 'post', space: 'blog', type: 'blog.post', event: 'AfterContentCreateSuccess', documents: [id] },
    });
    await expect.poll(ended('all')).toBe('delivered');
  });

  test('once for a change of all locales, after it', async () => {
    const { document_id: id } = await make({ title: 'T' });
    await make({ document_id: id, locale: 'fr', title: 'F' });
    await arrived('/all', 2);
    receiver.received.length = 0;
    await node.call('PATCH', `${posts}/${id}`, editor, { stars: 5 });
    await arrived('/all', 1);
    expect(JSON.parse(at('/all')[0]!.body)).toMatchObject({
      event: 'AfterContentUpdateSuccess',
      data: { documents: [id] },
    });
  });

  test('goes to the subscriptions of its event; a suspended subscription gets nothing', async () => {
    const { document_id: id } = await make({ title: 'T' });
    await node.call('DELETE', `${posts}/${id}`, editor);
    await arrived('/all', 2);
    await arrived('/deletes', 1);
    expect(at('/deletes')[0]!.headers['x-service-event']).toBe('AfterContentDeleteSuccess');
    expect(at('/asleep')).toEqual([]);
  });

  test('leaves for writes made through the data service, too', async () => {
    const admin = { ...editor };
    await make({ title: 'T' }, admin);
    const imported = await node.node.ask(TENANT, 'data', 'rows.import', {
      entity: 'post',
      rows: [{ document_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', locale: 'en', title: 'imported' }],
    });
    expect(imported).toBeDefined();
    await arrived('/all', 2);
    expect(JSON.parse(at('/all')[1]!.body).data.documents).toEqual(['01ARZ3NDEKTSV4RRFFQ69G5FAV']);
  });

  test('of a write made through the data service comes after it has reached all locales, once', async () => {
    const { id, document_id: document } = await make({ title: 'T' });
    const french = await make({ document_id: document, locale: 'fr', title: 'F' });
    await arrived('/all', 2);
    receiver.received.length = 0;
    const changed = await node.call('PATCH', `/data/rest/post/id/${french.id}`, editor, { stars: 4, title: 'G' });
    expect(changed.status).toBe(200);
    await arrived('/all', 1);
    expect(JSON.parse(at('/all')[0]!.body)).toMatchObject({
      event: 'AfterContentUpdateSuccess',
      data: { documents: [document] },
    });
    const read = await node.call('GET', `/data/rest/post/id/${id}`, editor);
    expect((read.json as { data: object[] }).data[0]).toMatchObject({ stars: 4, title: 'T', version: 2 });
    const german = await node.call('POST', '/data/rest/post', editor, {
      document_id: document,
      locale: 'de',
      title: 'D',
    });
    expect((german.json as { data: object[] }).data[0]).toMatchObject({ stars: 4, locale: 'de' });
    await arrived('/all', 2);
    await expect.poll(ended('all'), { timeout: 10_000 }).toBe('delivered');
  });

  test('nothing leaves for a write that is refused', async () => {
    expect((await node.call('POST', posts, editor, { title: 7 })).status).toBe(422);
    await make({ title: 'after it' });
    await arrived('/all', 1);
  });
});

describe('a receiver', () => {
  test('that answers 5xx, 408 or 429 is tried three times', async () => {
    const statuses = [500, 429, 408];
    receiver.answer = (_received, response) => {
      response.writeHead(statuses.shift() ?? 200).end();
    };
    await make({ title: 'T' });
    await expect.poll(ended('all'), { timeout: 10_000 }).toBe('failed');
    expect(at('/all')).toHaveLength(3);
    expect((await listed()).deliveries[0]).toMatchObject({ hook: 'all', outcome: 'failed', attempts: 3, status: 408 });
  });

  test('that comes back gets it, under the same id', async () => {
    receiver.answer = (_received, response) =>
      void response.writeHead(receiver.received.length === 1 ? 503 : 204).end();
    await make({ title: 'T' });
    await expect.poll(ended('all'), { timeout: 10_000 }).toBe('delivered');
    expect(at('/all')).toHaveLength(2);
    expect(new Set(at('/all').map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('that says no for good is not tried again; an operator delivers it later', async () => {
    receiver.answer = (_received, response) => void response.writeHead(410).end();
    await make({ title: 'T' });
    await expect.poll(ended('all')).toBe('refused');
    expect(at('/all')).toHaveLength(1);
    const { deliveries } = await listed();
    const { id } = deliveries.find(({ outcome }) => outcome === 'refused')!;
    receiver.answer = (_received, response) => void response.end();
    expect(await runVerb(node.node, 'webhook.redeliver', { tenant: TENANT, id })).toEqual({ redelivered: 1 });
    await arrived('/all', 2);
    await expect.poll(ended('all')).toBe('delivered');
    expect(at('/all')[1]!.headers['webhook-id']).toBe(id);
  });

  test('that redirects is not followed', async () => {
    receiver.answer = (_received, response) =>
      void response.writeHead(302, { Location: `http://127.0.0.1:${receiver.port}/stolen` }).end();
    await make({ title: 'redirected' });
    await expect.poll(ended('all'), { timeout: 10_000 }).toBe('failed');
    expect((await listed()).deliveries.find(({ hook }) => hook === 'all')).toMatchObject({ attempts: 3, status: 302 });
    expect(at('/stolen')).toEqual([]);
  });

  test('that sends too much is not read', async () => {
    let left = 0;
    receiver.answer = (_received, response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) left += 65_536;
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    };
    await make({ title: 'huge' });
    await expect.poll(ended('all')).toBe('delivered');
    expect(left).toBeLessThan(64 * 1024 * 1024);
  });

  test('that says nothing is given up after the timeout of its subscription, and holds up no other', async () => {
    receiver.answer = ({ path }, response) => void (path === '/slow' ? undefined : response.end());
    const { document_id: id } = await make({ title: 'slow' });
    await node.call('DELETE', `${posts}/${id}`, editor);
    await arrived('/deletes', 1);
    await expect.poll(ended('slow'), { timeout: 15_000 }).toBe('failed');
    const one = (await listed()).deliveries.find(({ hook }) => hook === 'slow')!;
    expect(one).toMatchObject({ attempts: 3, status: null });
  });

  test('inside the node’s own network is not called unless the platform file names it', async () => {
    const { document_id: id } = await make({ title: 'T' });
    await node.call('DELETE', `${posts}/${id}`, editor);
    await expect.poll(ended('inside'), { timeout: 10_000 }).toBe('failed');
    const one = (await listed()).deliveries.find(({ hook }) => hook === 'inside')!;
    expect(one).toMatchObject({ attempts: 3, status: null });
    expect(one.error).toContain('outbound.allow_private');
  });
});
