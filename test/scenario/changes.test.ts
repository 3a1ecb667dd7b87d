/** The change feed of a real node at both doors: polls, streams that go on where they broke off, sessions that end, a node that stops. docs/contract/changes.md */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { openEvents, type EventStream } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };

describe.each(['uws', 'node'] as const)('at the door %s', (door) => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-changes-'));
  let node: TestNode;
  let service: Headers;
  let ann: { readonly id: string; readonly headers: Headers };
  const streams: EventStream[] = [];

  beforeAll(async () => {
    process.env['SKEP_DOOR'] = door;
    node = await startTestNode({ localdir: writeNoteProduct(dir) });
    delete process.env['SKEP_DOOR'];
    service = await node.service();
    ann = await userOf('ann');
  }, 60_000);
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.leave();
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  async function userOf(name: string) {
    const login = `${name}@example.org`;
    const person = { email: login, password: PASSWORD, roles: ['tenant_user'] };
    const { id } = (await node.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
    const here = positionHeaders(TENANT);
    const { json } = await node.call('POST', '/auth/login', here, { login, password: PASSWORD });
    const { access_token: token } = json as { access_token: string };
    return { id, headers: { ...here, Authorization: `Bearer ${token}` } };
  }

  const create = async (row: object): Promise<string> => {
    const answer = await node.call('POST', '/data/rest/note', service, row);
    expect(answer.status, answer.text).toBe(201);
    return (answer.json as { data: { id: string }[] }).data[0]!.id;
  };
  const change = async (method: string, id: string, body?: object): Promise<void> => {
    const answer = await node.call(method, `/data/rest/note/id/${id}`, service, body);
    expect(answer.status, answer.text).toBe(200);
  };
  const poll = (query: string, headers = service) => node.call('GET', `/data/changes?entity=note${query}`, headers);
  async function stream(query = '', headers = ann.headers, lastId: string | null = null): Promise<EventStream> {
    const opened = await openEvents(`${node.gateway}/data/changes?entity=note${query}`, headers, lastId);
    streams.push(opened);
    return opened;
  }
  const told = ({ events }: EventStream): string[] =>
    events.filter(({ event }) => event === 'change').map(({ data }) => `${data.op} ${data.row?.title ?? data.id}`);

  test('subscribers share the bytes of what they are told: each has all of it, also where a piece is large', async () => {
    const opened = await Promise.all(Array.from({ length: 5 }, () => stream('', service)));
    const narrow = await stream('&fields=id', service);
    const titles = Array.from({ length: 60 }, (_, no) => `shared ${no} ${'x'.repeat(200)}`);
    const answer = await node.call(
      'POST',
      '/data/rest/note',
      service,
      titles.map((title) => ({ title })),
    );
    expect(answer.status, answer.text).toBe(201);
    await create({ title: 'behind them' });
    const wanted = [...titles, 'behind them'].map((title) => `create ${title}`);
    for (const one of opened) await expect.poll(() => told(one), SOON).toEqual(wanted);
    await expect.poll(() => told(narrow).length, SOON).toBe(wanted.length);
  });

  test('a poll waits until there is something, and is documented', async () => {
    const first = await poll('');
    expect(first.json).toEqual({ entity: 'note', changes: [], after: expect.any(Number), more: false });
    const { after } = first.json as { after: number };
    const waiting = poll(`&after=${after}&wait=25`);
    const id = await create({ title: 'polled' });
    const { status, json, headers } = await waiting;
    const { changes } = json as { changes: object[] };
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(changes).toEqual([
      {
        seq: expect.any(Number),
        op: 'create',
        entity: 'note',
        id,
        version: 1,
        tx: expect.any(Number),
        row: expect.objectContaining({ title: 'polled' }),
      },
    ]);
    const tooOld = await poll('&after=1');
    expect([tooOld.status, (tooOld.json as { code: string }).code]).toEqual([410, 'v2.changes_position_over']);
  });

  test('a stream tells what its caller may see, and goes on where it broke off', async () => {
    const first = await stream();
    expect([first.status, first.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const mine = await create({ title: 'mine', owner: ann.id });
    await create({ title: 'not mine' });
    // Told before the next change: a row is told as it is then (docs/contract/changes.md §5).
    await expect.poll(() => told(first), SOON).toEqual(['create mine']);
    await change('PATCH', mine, { title: 'changed' });
    await expect.poll(() => told(first), SOON).toEqual(['create mine', 'update changed']);
    first.leave();
    await change('PATCH', mine, { owner: 'another' });
    await create({ title: 'open', open: true });
    const second = await stream('', ann.headers, first.lastId());
    await expect.poll(() => told(second), SOON).toEqual([`gone ${mine}`, 'create open']);
  });

  test('a snapshot and the changes behind it are whole', async () => {
    const made = await Promise.all(Array.from({ length: 300 }, (_, n) => create({ title: `s${n}`, open: true })));
    const [writing, opened] = [
      create({ title: 'meanwhile', open: true }),
      await stream('&snapshot=true&filter=open=true'),
    ];
    const meanwhile = await writing;
    await expect.poll(() => opened.events.some(({ event }) => event === 'snapshot'), SOON).toBe(true);
    const last = await create({ title: 'last', open: true });
    await expect.poll(() => told(opened).at(-1), SOON).toBe('create last');
    const ids = opened.events.flatMap(({ event, data }) =>
      event === 'row' ? [data.id as string] : event === 'change' ? [data.id as string] : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [...made, meanwhile, last]) expect(ids).toContain(id);
  });

  test('a stream ends with its session, and nothing is told behind it', async () => {
    const bob = await userOf('bob');
    const opened = await stream('', bob.headers);
    const waiting = poll('&wait=25', bob.headers);
    await create({ title: 'before', owner: bob.id });
    await expect.poll(() => told(opened), SOON).toEqual(['create before']);
    expect((await waiting).status).toBe(200);
    const again = poll(`&after=${opened.lastId()}&wait=25`, bob.headers);
    expect((await node.call('POST', '/auth/logout', bob.headers)).status).toBeLessThan(300);
    await create({ title: 'behind', owner: bob.id });
    await expect.poll(opened.isOver, SOON).toBe(true);
    expect(opened.events.at(-1)).toEqual({ id: null, event: 'end', data: { reason: 'session' } });
    expect(told(opened)).toEqual(['create before']);
    expect((await again).status).toBe(401);
  });

  test('a caller has so many streams and no more, and those that leave make room', async () => {
    const carl = await userOf('carl');
    const most = limits.changes.perCallerMax;
    const opened = await Promise.all(Array.from({ length: most }, () => stream('', carl.headers)));
    const refused = await poll('', carl.headers);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    for (const one of opened) one.leave();
    await expect.poll(async () => (await poll('', carl.headers)).status, SOON).toBe(200);
  });

  // uWebSockets.js ends what it takes for a slow answer after ten seconds: the line comes later.
  test('a stream on which nothing is told lives on', { timeout: 60_000 }, async () => {
    const idle = await stream();
    await expect.poll(idle.comments, { timeout: 40_000, interval: 200 }).toBeGreaterThan(0);
    await create({ title: 'late', owner: ann.id });
    await expect.poll(() => told(idle), SOON).toEqual(['create late']);
  });

  test('a tenant that is suspended ends its streams', async () => {
    const before = await stream();
    await node.node.stand({ key: TENANT, standing: 'suspended', reason: null });
    await expect.poll(before.isOver, SOON).toBe(true);
    expect(before.events.at(-1)?.data).toEqual({ reason: 'leaving' });
    expect((await poll('')).status).toBe(403);
    await node.node.stand({ key: TENANT, standing: null, reason: null });
    const again = await stream('', ann.headers, before.lastId());
    await create({ title: 'after', owner: ann.id });
    await expect.poll(() => told(again), SOON).toContain('create after');
  });

  test('a node that stops ends its streams in order, and answers polls', async () => {
    const opened = await stream('', await node.service());
    const waiting = poll('&wait=25');
    await node.stop();
    await expect.poll(opened.isOver, SOON).toBe(true);
    expect(opened.events.at(-1)?.data).toEqual({ reason: 'leaving' });
    // 503 where the poll has come later than the order to stop.
    expect([200, 503]).toContain((await waiting).status);
  });
});
