/** `/data/live` of a real node with the WebSocket of the platform: messages, credentials, bounds, ends. docs/contract/changes.md §7 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { openEvents } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { rawWebSocket } from '#test/kit/raw-websocket.ts';
import { askSite } from '#test/kit/site-call.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };
const AT = `/data/live?position=${TENANT}`;

interface Message {
  readonly id?: string;
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [member: string]: any;
}

describe('at uWebSockets.js', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-live-'));
  let node: TestNode;
  let service: Headers;
  const opened: WebSocket[] = [];

  beforeAll(async () => {
    process.env['SKEP_DOOR'] = 'uws';
    node = await startTestNode({ localdir: writeNoteProduct(dir) });
    delete process.env['SKEP_DOOR'];
    service = await node.service();
  }, 60_000);
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.close();
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  async function userOf(name: string) {
    const login = `${name}@example.org`;
    const person = { email: login, password: PASSWORD, roles: ['tenant_user'] };
    const { id } = (await node.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
    const here = positionHeaders(TENANT);
    const { json } = await node.call('POST', '/auth/login', here, { login, password: PASSWORD });
    const { access_token: token } = json as { access_token: string };
    return { id, token, headers: { ...here, Authorization: `Bearer ${token}` } };
  }

  const create = async (row: object): Promise<string> => {
    const answer = await node.call('POST', '/data/rest/note', service, row);
    expect(answer.status, answer.text).toBe(201);
    return (answer.json as { data: { id: string }[] }).data[0]!.id;
  };

  /** A connection, what it was sent so far, and with what it was closed. */
  async function connected(path = AT, headers: Headers = {}) {
    const url = `${node.gateway.replace('http', 'ws')}${path}`;
    const socket = new WebSocket(url, { headers });
    opened.push(socket);
    const messages: Message[] = [];
    let code: number | null = null;
    socket.addEventListener('message', ({ data }) => void messages.push(JSON.parse(data as string) as Message));
    socket.addEventListener('close', (event) => void (code = event.code));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('no handshake')));
    });
    const of = (id: string, type?: string): Message[] =>
      messages.filter((message) => message.id === id && (type === undefined || message.type === type));
    return {
      socket,
      messages,
      of,
      code: () => code,
      send: (message: object) => socket.send(JSON.stringify(message)),
      /** Waits until a message of a type has come for a subscription. */
      heard: async (id: string, type: string): Promise<Message> => {
        await expect.poll(() => of(id, type).length, SOON).toBeGreaterThan(0);
        return of(id, type)[0]!;
      },
      told: (id: string) => of(id, 'change').map(({ change }) => `${change.op} ${change.row?.title ?? change.id}`),
    };
  }

  test('the first message shows the credential, and one connection has many subscriptions', async () => {
    const ann = await userOf('ann');
    const live = await connected();
    live.send({ type: 'auth', token: ann.token });
    live.send({ type: 'subscribe', id: 'all', entity: 'note' });
    live.send({ type: 'subscribe', id: 'some', entity: 'note', where: { title: 'one' }, fields: ['title'] });
    await live.heard('all', 'subscribed');
    await live.heard('some', 'subscribed');
    await create({ title: 'not mine' });
    const id = await create({ title: 'one', owner: ann.id });
    await create({ title: 'two', owner: ann.id });
    await expect.poll(() => live.told('all'), SOON).toEqual(['create one', 'create two']);
    expect(live.of('some').slice(1)).toEqual([
      {
        id: 'some',
        type: 'change',
        change: expect.objectContaining({ op: 'create', entity: 'note', id, row: { title: 'one' } }),
      },
    ]);
    live.send({ type: 'unsubscribe', id: 'all' });
    await live.heard('all', 'unsubscribed');
    await create({ title: 'one', owner: ann.id });
    await expect.poll(() => live.told('some'), SOON).toEqual(['create one', 'create one']);
    expect(live.told('all')).toEqual(['create one', 'create two']);
    live.send({ type: 'ping' });
    await expect.poll(() => live.messages.at(-1), SOON).toEqual({ type: 'pong' });
  });

  test('headers of the handshake count as well, and a position goes on where it broke off', async () => {
    const first = await connected('/data/live', service);
    first.send({ type: 'subscribe', id: 'a', entity: 'note', fields: ['title'] });
    await first.heard('a', 'subscribed');
    await create({ title: 'before' });
    const { change } = await first.heard('a', 'change');
    first.socket.close();
    await create({ title: 'between' });
    const second = await connected('/data/live', service);
    second.send({ type: 'subscribe', id: 'a', entity: 'note', after: change.seq });
    await expect.poll(() => second.told('a'), SOON).toEqual(['create between']);
    second.send({ type: 'subscribe', id: 'old', entity: 'note', after: 1 });
    const reset = await second.heard('old', 'reset');
    expect(reset).toEqual({ id: 'old', type: 'reset', after: expect.any(Number) });
    // The id is free again.
    second.send({ type: 'subscribe', id: 'old', entity: 'note', after: reset['after'] });
    await second.heard('old', 'subscribed');
  });

  test('a snapshot comes first, then what is behind it', async () => {
    const title = 'of the snapshot';
    const ids = [await create({ title }), await create({ title })];
    const live = await connected('/data/live', service);
    live.send({ type: 'subscribe', id: 's', entity: 'note', snapshot: true, where: { title } });
    const { after } = await live.heard('s', 'snapshot');
    ids.push(await create({ title }));
    const { change } = await live.heard('s', 'change');
    expect(change.seq).toBeGreaterThan(after);
    const told: string[] = [...live.of('s', 'row').map(({ row }) => row.id as string), change.id];
    expect(told.toSorted()).toEqual(ids.toSorted());
  });

  test('what a request would be refused with comes as an error, and the connection stays', async () => {
    const live = await connected('/data/live', service);
    for (const [id, asked, status, code] of [
      ['none', { entity: 'none' }, 404, 'v2.entity_not_found'],
      ['field', { entity: 'note', fields: ['nothing'] }, 422, 'v2.query_failed'],
      ['where', { entity: 'note', where: { orderby: 'title' } }, 422, 'v2.query_failed'],
    ] as const) {
      live.send({ type: 'subscribe', id, ...asked });
      const { status: got, error } = await live.heard(id, 'error');
      expect([id, got, error.code]).toEqual([id, status, code]);
    }
    live.send({ type: 'subscribe', id: 'good', entity: 'note' });
    await live.heard('good', 'subscribed');
  });

  test('subscriptions count among the streams and polls of their caller', async () => {
    const carl = await userOf('carl');
    const { perCallerMax } = limits.changes;
    const stream = await openEvents(`${node.gateway}/data/changes?entity=note`, carl.headers);
    const live = await connected('/data/live', carl.headers);
    for (let no = 0; no < perCallerMax - 1; no++) {
      live.send({ type: 'subscribe', id: `s${no}`, entity: 'note' });
      await live.heard(`s${no}`, 'subscribed');
    }
    const other = await connected('/data/live', carl.headers);
    other.send({ type: 'subscribe', id: 'more', entity: 'note' });
    expect(await other.heard('more', 'error')).toMatchObject({
      status: 429,
      retry_after: 1,
      error: { code: 'v2.changes_full' },
    });
    live.socket.close();
    await expect
      .poll(async () => (await node.call('GET', '/data/changes?entity=note', carl.headers)).status, SOON)
      .toBe(200);
    stream.leave();
  });

  test('a session that ends closes the connection, and nothing is told behind it', async () => {
    const bob = await userOf('bob');
    const live = await connected();
    live.send({ type: 'auth', token: bob.token });
    live.send({ type: 'subscribe', id: 'b', entity: 'note' });
    await live.heard('b', 'subscribed');
    await create({ title: 'before', owner: bob.id });
    await live.heard('b', 'change');
    expect((await node.call('POST', '/auth/logout', bob.headers)).status).toBeLessThan(300);
    await create({ title: 'behind', owner: bob.id });
    await expect.poll(live.code, SOON).toBe(4401);
    expect(live.of('b').at(-1)).toEqual({ id: 'b', type: 'end', reason: 'session' });
    expect(live.told('b')).toEqual(['create before']);
  });

  test('without a credential, or with a wrong one, a subscription is refused and the connection closes', async () => {
    for (const token of [null, 'nothing']) {
      const live = await connected();
      if (token !== null) live.send({ type: 'auth', token });
      live.send({ type: 'subscribe', id: 'x', entity: 'note' });
      await expect.poll(live.code, SOON).toBe(4401);
      expect(live.messages).toEqual([{ id: 'x', type: 'error', status: 401, error: expect.anything() }]);
    }
    const head = (headers: Headers) => rawWebSocket(node.gateway, '/data/live', headers).then(({ head: text }) => text);
    expect(await head({ ...node.position(), Authorization: 'Bearer nothing' })).toMatch(/^HTTP\/1.1 401 /);
    expect(await head({})).toMatch(/^HTTP\/1.1 400 /);
  });

  test('a page of another origin gets no connection, one of a client without an origin does', async () => {
    const head = (more: Headers) => rawWebSocket(node.gateway, AT, more).then(({ head: text }) => text);
    expect(await head({ Origin: 'https://elsewhere.example' })).toMatch(/^HTTP\/1.1 403 /);
    expect(await head({ Origin: 'null' })).toMatch(/^HTTP\/1.1 403 /);
    expect(await head({})).toMatch(/^HTTP\/1.1 101 .*\r\nX-Request-Id: /s);
    const { host } = new URL(node.gateway);
    const local = {
      Host: host.replace('127.0.0.1', 'localhost'),
      Origin: `http://${host.replace('127.0.0.1', 'localhost')}`,
    };
    expect(await head(local)).toMatch(/^HTTP\/1.1 101 /);
  });

  test('a request that is no handshake is told so', async () => {
    const plain = await node.call('GET', '/data/live', service);
    expect([plain.status, plain.headers.get('upgrade'), (plain.json as { code: string }).code]).toEqual([
      426,
      'websocket',
      'v2.live_wants_websocket',
    ]);
    expect((await node.call('GET', '/data/live', node.position())).status).toBe(401);
    const old = await rawWebSocket(node.gateway, '/data/live', { ...service, 'Sec-WebSocket-Version': '8' });
    expect(old.head).toMatch(/^HTTP\/1.1 426 /);
  });

  test('a tenant that is suspended ends its subscriptions, and refuses others', async () => {
    const live = await connected('/data/live', service);
    live.send({ type: 'subscribe', id: 'a', entity: 'note' });
    await live.heard('a', 'subscribed');
    await node.node.stand({ key: TENANT, standing: 'suspended', reason: null });
    expect(await live.heard('a', 'end')).toEqual({ id: 'a', type: 'end', reason: 'leaving' });
    live.send({ type: 'subscribe', id: 'b', entity: 'note' });
    expect(await live.heard('b', 'error')).toMatchObject({ status: 403 });
    await node.node.stand({ key: TENANT, standing: null, reason: null });
    live.send({ type: 'subscribe', id: 'c', entity: 'note' });
    await live.heard('c', 'subscribed');
  });

  test('connections leave no trace in the count of connections', async () => {
    const open = async (): Promise<number> => {
      const text = await (await fetch(`${node.node.listeners['operations']!}/metrics`)).text();
      return Number(/^skep_connections (\d+)$/m.exec(text)![1]);
    };
    await expect.poll(open, { timeout: 30_000, interval: 500 }).toBeLessThan(5);
    const many = await Promise.all(Array.from({ length: 20 }, () => rawWebSocket(node.gateway, AT)));
    expect(await open()).toBeGreaterThanOrEqual(20);
    for (const { socket } of many) socket.destroy();
    await expect.poll(open, SOON).toBeLessThan(10);
  });

  test('a node that stops ends subscriptions in order, and closes connections', async () => {
    const [busy, idle] = [await connected('/data/live', service), await connected()];
    busy.send({ type: 'subscribe', id: 'a', entity: 'note' });
    await busy.heard('a', 'subscribed');
    await node.stop();
    await expect.poll(() => [busy.code(), idle.code()], SOON).toEqual([1001, 1001]);
    expect(busy.of('a').at(-1)).toEqual({ id: 'a', type: 'end', reason: 'leaving' });
  });
});

test(
  'where node:http serves, there is no WebSocket, and the answer says what to use',
  { timeout: 60_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-live-node-'));
    process.env['SKEP_DOOR'] = 'node';
    const node = await startTestNode({ localdir: writeNoteProduct(dir) });
    delete process.env['SKEP_DOOR'];
    const { head, socket } = await rawWebSocket(node.gateway, '/data/live', await node.service());
    expect(head).toMatch(/^HTTP\/1.1 426 .*\r\nUpgrade: websocket\r\n/is);
    socket.destroy();
    await node.stop();
    rmSync(dir, { recursive: true, force: true });
  },
);

describe('at sites, and for pages of other origins', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-live-site-'));
  const HOST = 'shop.example';
  const OWN = { Origin: `https://${HOST}` };
  const NEIGHBOUR = { Origin: 'https://neighbour.example' };
  let node: TestNode;
  let cookie: Headers;
  let token: string;

  beforeAll(async () => {
    process.env['SKEP_DOOR'] = 'uws';
    node = await startTestNode({
      localdir: writeNoteProduct(dir),
      cors: `{ shop: { origins: ["${NEIGHBOUR.Origin}"] } }`,
      sites: `{ ${HOST}: { tenant: "${TENANT}", cookies: true }, plain.example: { tenant: "${TENANT}" } }`,
    });
    delete process.env['SKEP_DOOR'];
    const person = { email: 'dora@example.org', password: PASSWORD, roles: ['tenant_user'] };
    await node.node.ask(TENANT, 'identity', 'person.ensure', person);
    const login = { login: person.email, password: PASSWORD };
    const headers = { ...OWN, 'X-Skep-Cookies': '1', 'Content-Type': 'application/json' };
    const { cookies } = await askSite(node.gateway, HOST, 'POST', '/auth/login', headers, login);
    cookie = { Cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; ') };
    const { json } = await node.call('POST', '/auth/login', node.position(), login);
    ({ access_token: token } = json);
  }, 60_000);
  afterAll(async () => {
    await node.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The status of the handshake, and the first message to a subscription over it. */
  async function opened(headers: Headers, path = '/data/live', before: readonly object[] = []) {
    const live = await rawWebSocket(node.gateway, path, { Host: HOST, ...headers });
    const status = Number(live.head.split(' ')[1]);
    if (status === 101) {
      for (const message of before) live.send(message);
      live.send({ type: 'subscribe', id: 'a', entity: 'note' });
      await expect.poll(() => live.messages().length, SOON).toBe(1);
    }
    live.socket.destroy();
    const [{ type, status: refused } = {}] = live.messages();
    return [status, type, refused];
  }

  test('the cookie of a page of the site is a credential, and its host the position', async () => {
    expect(await opened({ ...OWN, ...cookie })).toEqual([101, 'subscribed', undefined]);
    expect(await opened({ ...OWN, ...cookie, 'Sec-Fetch-Site': 'same-origin' })).toEqual([
      101,
      'subscribed',
      undefined,
    ]);
    expect(await opened(OWN)).toEqual([101, 'error', 401]);
    expect(await opened(OWN, '/data/live?position=acme:shop:dev:other')).toEqual([400, undefined, undefined]);
  });

  test('no other page can use the cookie, listed or not, nor can one that does not say where it comes from', async () => {
    for (const page of [NEIGHBOUR, { Origin: 'https://evil.example' }, { ...OWN, 'Sec-Fetch-Site': 'same-site' }, {}])
      expect(await opened({ ...page, ...cookie })).toEqual([403, undefined, undefined]);
  });

  test('at a site without cookies they are none', async () => {
    expect(await opened({ Host: 'plain.example', ...cookie })).toEqual([101, 'error', 401]);
  });

  test('a page of a listed origin brings its token, at the position of its product alone', async () => {
    const auth = [{ type: 'auth', token }];
    const at = (key: string) => `/data/live?position=${key}`;
    const elsewhere = { Host: 'api.example', ...NEIGHBOUR };
    expect(await opened(elsewhere, at(TENANT), auth)).toEqual([101, 'subscribed', undefined]);
    expect(await opened({ ...NEIGHBOUR, Host: HOST }, '/data/live', auth)).toEqual([101, 'subscribed', undefined]);
    expect(await opened(elsewhere, at('acme:none:dev:main'), auth)).toEqual([403, undefined, undefined]);
    expect(await opened({ ...elsewhere, Origin: 'https://evil.example' }, at(TENANT), auth)).toEqual([403, undefined, undefined]); // prettier-ignore
  });
});
