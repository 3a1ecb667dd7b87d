/** GraphQL over WebSocket with the stock client graphql-ws against a real node, and by hand what that client never sends. docs/contract/changes.md §10.4, §10.5 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client, type ClientOptions, type FormattedExecutionResult } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { rawWebSocket, type RawWebSocket } from '#test/kit/raw-websocket.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };
const AT = `/data/graphql?position=${TENANT}`;
const PROTOCOL = { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' };
const FOLLOW = `subscription ($after: Integer, $title: String) {
  note_changes(after: $after, filter: { title: { eq: $title } }) { seq op row { title } }
}`;
const FOLLOW_ALL = 'subscription ($after: Integer) { note_changes(after: $after) { seq op row { title } } }';
const CREATE = 'mutation ($title: String) { create_note(data: { title: $title, open: true }) { title } }';

interface Told {
  readonly note_changes: { readonly seq: number; readonly op: string; readonly row: { readonly title: string } | null };
}

const dir = mkdtempSync(join(tmpdir(), 'skep-graphql-ws-'));
const clients: Client[] = [];
const opened: RawWebSocket[] = [];
let node: TestNode;
let service: Headers;

beforeAll(async () => {
  process.env['SKEP_DOOR'] = 'uws';
  node = await startTestNode({ localdir: writeNoteProduct(dir) });
  delete process.env['SKEP_DOOR'];
  service = await node.service();
}, 60_000);
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  for (const { socket } of opened.splice(0)) socket.destroy();
});
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function userOf(name: string) {
  const login = `${name}@example.org`;
  const person = { email: login, password: PASSWORD, roles: ['tenant_user'] };
  const { id } = (await node.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
  const here = positionHeaders(TENANT);
  const { json } = await node.call('POST', '/auth/login', here, { login, password: PASSWORD });
  const { access_token: token } = json as { access_token: string };
  return { id, token, headers: { ...here, Authorization: `Bearer ${token}` } };
}

async function create(row: object): Promise<void> {
  const { status, text } = await node.call('POST', '/data/rest/note', service, row);
  expect(status, text).toBe(201);
}

const bearer = () => service['Authorization']!;

/** A client of the package graphql-ws, and with what its connections were closed. */
function clientOf(connectionParams: Record<string, unknown> | null, more: Partial<ClientOptions> = {}) {
  const codes: number[] = [];
  const client = createClient({
    url: `${node.gateway.replace('http', 'ws')}${AT}`,
    retryAttempts: 0,
    lazyCloseTimeout: 10_000,
    ...(connectionParams !== null && { connectionParams }),
    on: { closed: (event) => void codes.push((event as { code: number }).code) },
    ...more,
  });
  clients.push(client);
  return { client, codes };
}

/** What one operation is told. */
function operate<T = Record<string, unknown>>(
  client: Client,
  query: string,
  variables: Record<string, unknown> = {},
  extensions: Record<string, unknown> | null = null,
) {
  const results: FormattedExecutionResult<T>[] = [];
  let end: unknown = null;
  const leave = client.subscribe<T>(
    { query, variables, extensions },
    {
      next: (result) => void results.push(result as FormattedExecutionResult<T>),
      error: (error) => void (end = error),
      complete: () => void (end = 'complete'),
    },
  );
  return { leave, results, end: () => end };
}

function follow(client: Client, variables: Record<string, unknown> = {}, query = FOLLOW_ALL) {
  const one = operate<Told>(client, query, variables);
  return {
    ...one,
    told: () => one.results.map(({ data }) => `${data?.note_changes.op} ${data?.note_changes.row?.title ?? ''}`),
  };
}

async function raw(headers: Headers = {}, path = AT): Promise<RawWebSocket> {
  const live = await rawWebSocket(node.gateway, path, { ...PROTOCOL, ...headers });
  opened.push(live);
  return live;
}

describe('with the stock client', () => {
  test('query, mutation and two subscriptions over one connection; one is given up, the other goes on', async () => {
    const ann = await userOf('ann');
    const { client } = clientOf({ authorization: `Bearer ${ann.token}` });
    const all = follow(client);
    const some = follow(client, { title: 'blue' }, FOLLOW);
    await expect.poll(all.told, SOON).toEqual(['idle ']);
    await expect.poll(some.told, SOON).toEqual(['idle ']);
    await create({ title: 'not hers' });
    const made = operate(client, CREATE, { title: 'blue' });
    await expect.poll(made.end, SOON).toBe('complete');
    expect(made.results).toEqual([{ data: { create_note: { title: 'blue' } } }]);
    await expect.poll(all.told, SOON).toEqual(['idle ', 'create blue']);
    await expect.poll(some.told, SOON).toEqual(['idle ', 'create blue']);
    some.leave();
    await create({ title: 'blue', open: true });
    await expect.poll(all.told, SOON).toEqual(['idle ', 'create blue', 'create blue']);
    expect([some.told(), some.end()]).toEqual([['idle ', 'create blue'], 'complete']);
    const asked = operate(client, '{ note(filter: { title: { eq: "blue" } }) { nodes { title } } }');
    await expect.poll(asked.end, SOON).toBe('complete');
    expect(asked.results).toEqual([{ data: { note: { nodes: [{ title: 'blue' }, { title: 'blue' }] } } }]);
  });

  test('a position in the variables goes on where it broke off, and one that is too old is an error', async () => {
    const first = follow(clientOf({ token: bearer().slice('Bearer '.length) }).client);
    await expect.poll(first.told, SOON).toEqual(['idle ']);
    const { seq } = first.results[0]!.data!.note_changes;
    first.leave();
    await create({ title: 'between' });
    const { client } = clientOf({ headers: { Authorization: bearer() } });
    const second = follow(client, { after: seq });
    await expect.poll(second.told, SOON).toEqual(['idle ', 'create between']);
    const old = follow(client, { after: 1 });
    await expect
      .poll(old.end, SOON)
      .toEqual([
        expect.objectContaining({ extensions: expect.objectContaining({ code: 'v2.changes_position_over' }) }),
      ]);
  });

  test('what cannot be run is an error of its operation, and the connection stays', async () => {
    const { client, codes } = clientOf({ Authorization: bearer() });
    const wrong = operate(client, '{ nothing }');
    await expect
      .poll(wrong.end, SOON)
      .toEqual([expect.objectContaining({ extensions: { code: 'v2.graphql_invalid' } })]);
    await node.node.stand({ key: TENANT, standing: 'suspended', reason: null });
    const refused = operate(client, '{ __typename }');
    await expect
      .poll(refused.end, SOON)
      .toEqual([{ message: expect.any(String), extensions: { code: 'tenant_suspended', status: 403 } }]);
    await node.node.stand({ key: TENANT, standing: null, reason: null });
    const good = operate(client, '{ __typename }');
    await expect.poll(good.end, SOON).toBe('complete');
    expect([good.results, codes]).toEqual([[{ data: { __typename: 'Query' } }], []]);
  });

  test('a tenant that only reads lets queries and subscriptions in, and no mutation', async () => {
    const { client } = clientOf({ authorization: bearer() });
    const one = follow(client);
    await expect.poll(one.told, SOON).toEqual(['idle ']);
    await node.node.stand({ key: TENANT, standing: 'read-only', reason: null });
    const made = operate(client, CREATE, { title: 'late' });
    await expect.poll(() => JSON.stringify([made.end(), made.results]), SOON).toContain('tenant_read_only');
    const asked = operate(client, '{ note(filter: { title: { eq: "late" } }) { nodes { title } } }');
    await expect.poll(() => asked.results, SOON).toEqual([{ data: { note: { nodes: [] } } }]);
    await node.node.stand({ key: TENANT, standing: null, reason: null });
  });

  test('a mutation under one key is carried out once', async () => {
    const { client } = clientOf({ authorization: bearer() });
    const key = { idempotencyKey: 'only-once-1' };
    for (let no = 0; no < 2; no++) {
      const made = operate(client, CREATE, { title: 'once' }, key);
      await expect.poll(made.end, SOON).toBe('complete');
      expect(made.results).toEqual([{ data: { create_note: { title: 'once' } } }]);
    }
    const other = operate(client, CREATE, { title: 'another' }, key);
    await expect
      .poll(other.end, SOON)
      .toEqual([
        expect.objectContaining({ extensions: expect.objectContaining({ code: 'v2.idempotency_key_reused' }) }),
      ]);
    const asked = operate(client, '{ note(filter: { title: { eq: "once" } }) { nodes { title } } }');
    await expect.poll(() => asked.results, SOON).toEqual([{ data: { note: { nodes: [{ title: 'once' }] } } }]);
  });

  test('an answer of many pieces is one message', async () => {
    const title = 'ü'.repeat(30_000);
    for (let no = 0; no < 8; no++) await create({ title, open: true });
    const { client } = clientOf({ authorization: bearer() });
    const asked = operate<{ note: { nodes: { title: string }[] } }>(
      client,
      '{ note(filter: { title: { like: "üü%" } }) { nodes { title } } }',
    );
    await expect.poll(asked.end, SOON).toBe('complete');
    expect(asked.results.map(({ data }) => data!.note.nodes.map((one) => one.title === title))).toEqual([
      Array.from({ length: 8 }, () => true),
    ]);
  });

  test('a session that ends closes the connection, and nothing is told behind it', async () => {
    const bob = await userOf('bob');
    const { client, codes } = clientOf({ authorization: bob.token });
    const one = follow(client);
    await expect.poll(one.told, SOON).toEqual(['idle ']);
    await create({ title: 'before', owner: bob.id });
    await expect.poll(one.told, SOON).toEqual(['idle ', 'create before']);
    expect((await node.call('POST', '/auth/logout', bob.headers)).status).toBeLessThan(300);
    await create({ title: 'behind', owner: bob.id });
    await expect.poll(() => codes, SOON).toEqual([4401]);
    expect(one.told()).toEqual(['idle ', 'create before']);
    expect(one.end()).toMatchObject([{ extensions: { code: 'unauthorized' } }]);
  });

  test('without a credential, or with a wrong one, an operation is refused and the connection closes', async () => {
    for (const params of [null, {}, { token: 'nothing' }]) {
      const { client, codes } = clientOf(params);
      const one = operate(client, '{ __typename }');
      await expect.poll(() => codes, SOON).toEqual([4401]);
      expect([one.results, one.end()]).toEqual([
        [],
        [{ message: 'Unauthorized', extensions: { code: 'unauthorized', status: 401 } }],
      ]);
    }
  });

  test('where a tenant ends its streams, the client comes back by itself with the position of its variables', async () => {
    const { promise: isBack, resolve: back } = Promise.withResolvers<void>();
    const { client, codes } = clientOf({ authorization: bearer() }, { retryAttempts: 5, retryWait: () => isBack });
    const variables: Record<string, unknown> = {};
    const told: string[] = [];
    client.subscribe<Told>(
      { query: FOLLOW_ALL, variables },
      {
        next: ({ data }) => {
          const { seq, op, row } = data!.note_changes;
          variables['after'] = seq;
          if (op !== 'idle') told.push(row!.title);
        },
        error: () => undefined,
        complete: () => undefined,
      },
    );
    await expect.poll(() => variables['after'], SOON).toBeDefined();
    await create({ title: 'first', open: true });
    await expect.poll(() => told, SOON).toEqual(['first']);
    await node.node.stand({ key: TENANT, standing: 'suspended', reason: null });
    await expect.poll(() => codes, SOON).toEqual([1012]);
    await node.node.stand({ key: TENANT, standing: null, reason: null });
    await create({ title: 'between', open: true });
    back();
    await expect.poll(() => told, SOON).toEqual(['first', 'between']);
    await create({ title: 'behind', open: true });
    await expect.poll(() => told, SOON).toEqual(['first', 'between', 'behind']);
  });
});

describe('by hand', () => {
  const init = { type: 'connection_init' };
  const subscribe = (id: string, query = '{ __typename }') => ({ id, type: 'subscribe', payload: { query } });

  test('the protocol is negotiated, and a handshake that names none is refused', async () => {
    const good = await raw({ ...service, 'Sec-WebSocket-Protocol': 'graphql-ws, graphql-transport-ws' });
    expect(good.head).toMatch(/^HTTP\/1.1 101 /);
    expect(good.head.match(/^Sec-WebSocket-Protocol: .*$/gim)).toEqual([
      'Sec-WebSocket-Protocol: graphql-transport-ws',
    ]);
    for (const spoken of ['graphql-ws', 'graphql-transport-ws2', ''])
      expect((await raw({ ...service, 'Sec-WebSocket-Protocol': spoken })).head).toMatch(/^HTTP\/1.1 400 /);
    const own = await raw(service, '/data/graphql/live');
    expect(own.head).toMatch(/^HTTP\/1.1 101 /);
    const plain = await node.call('GET', '/data/graphql/live', service);
    expect([plain.status, (plain.json as { code: string }).code]).toEqual([426, 'v2.live_wants_websocket']);
    expect((await raw({ Origin: 'https://elsewhere.example' })).head).toMatch(/^HTTP\/1.1 403 /);
    expect((await raw({ Authorization: 'Bearer nothing' })).head).toMatch(/^HTTP\/1.1 401 /);
    expect((await raw({}, '/data/graphql')).head).toMatch(/^HTTP\/1.1 400 /);
    const query = `${AT}&query=${encodeURIComponent('{ __typename }')}`;
    const old = await raw({ ...service, 'Sec-WebSocket-Version': '8' }, query);
    expect(old.head).toMatch(/^HTTP\/1.1 200 /);
  });

  test('a credential of the handshake counts, pings are answered, and unknown ids are not', async () => {
    const live = await raw(service);
    live.send(init);
    live.send({ type: 'ping', payload: { a: 1 } });
    live.send({ type: 'pong' });
    live.send({ id: 'never', type: 'complete' });
    live.send(subscribe('a'));
    await expect
      .poll(live.messages, SOON)
      .toEqual([
        { type: 'connection_ack' },
        { type: 'pong' },
        { id: 'a', type: 'next', payload: { data: { __typename: 'Query' } } },
        { id: 'a', type: 'complete' },
      ]);
    live.send(subscribe('a'));
    await expect.poll(() => live.messages().length, SOON).toBe(6);
    expect(live.code()).toBeNull();
  });

  const ends: [what: string, code: number, messages: readonly object[]][] = [
    ['a subscribe before connection_init', 4401, [subscribe('a')]],
    ['a second connection_init', 4429, [init, init]],
    ['an id that is taken', 4409, [init, subscribe('a', 'subscription { note_changes { seq } }'), subscribe('a')]],
    ['an unknown kind', 4400, [{ type: 'start' }]],
    ['a query that is no text', 4400, [init, { id: 'a', type: 'subscribe', payload: { query: 1 } }]],
    ['no payload', 4400, [init, { id: 'a', type: 'subscribe' }]],
    [
      'a line break in a key',
      4400,
      [
        init,
        { id: 'a', type: 'subscribe', payload: { query: '{a}', extensions: { idempotencyKey: 'a\nx-tenant: b' } } },
      ],
    ],
    ['a line break in a credential', 4400, [{ ...init, payload: { authorization: 'Bearer a\nX-Tenant: b' } }]],
    ['a flood', 4429, [init, ...Array.from({ length: 2 * limits.changes.liveBurst }, () => ({ type: 'ping' }))]],
  ];
  test.each(ends)('%s closes with %i', async (_what, code, messages) => {
    const live = await raw(service);
    for (const message of messages) live.send(message);
    await expect.poll(live.code, SOON).toBe(code);
  });

  test('a message may be longer than those of the feed, and has a bound', async () => {
    const live = await raw(service);
    live.send(init);
    const padding = ' '.repeat(limits.changes.liveMessageBytesMax);
    live.send(subscribe('a', `{ __typename }${padding}`));
    await expect.poll(() => live.messages().at(-1), SOON).toEqual({ id: 'a', type: 'complete' });
    live.send(subscribe('b', ' '.repeat(limits.changes.graphqlMessageBytesMax)));
    await expect.poll(live.isClosed, SOON).toBe(true);
  });

  test('a connection has so many operations at once, and no more', async () => {
    const live = await raw(service);
    live.send(init);
    const most = limits.changes.liveSubscriptionsMax;
    for (let no = 0; no <= most; no++) live.send(subscribe(`s${no}`, 'subscription { note_changes { seq } }'));
    const errors = () => live.messages().filter(({ type }) => type === 'error');
    await expect.poll(() => errors().length, SOON).toBe(1);
    expect(errors()[0]).toMatchObject({
      id: `s${most}`,
      payload: [{ extensions: { code: 'v2.changes_full', status: 429, retry_after: 1 } }],
    });
  });

  test('a connection that asks for nothing is closed', { timeout: 60_000 }, async () => {
    const live = await raw();
    await expect.poll(live.code, { timeout: 40_000 }).toBe(4408);
  });
});
