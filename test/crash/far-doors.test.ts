/**
 * The doors of a node that stands by: what comes there is answered by the node that serves, and a caller notices nothing but 503 with Retry-After while there is none. Two processes on one PostgreSQL.
 */
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEvents } from '#test/kit/event-stream.ts';
import type { NodePair } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { services } from '#test/crash/far-doors/services.ts';
import { linkShown } from '#test/crash/far-doors/shown.ts';
import { slowCallers } from '#test/crash/far-doors/slow-callers.ts';
import { FarWorld, LOGINS } from '#test/crash/far-doors/world.ts';

const START_MS = 60_000;
const SOON = { timeout: START_MS };
const BEHIND_MAX = 1_000_000;
const REST_MS = 20;
const BYTES = 5 * 1024 * 1024;

describe.runIf(hasPostgres)('the doors of a node that stands by', () => {
  let world: FarWorld;
  let pair: NodePair;
  let second: ProcessNode;
  let near: string;
  let far: string;
  let headers: Headers;

  beforeAll(async () => {
    world = await FarWorld.start();
    ({ pair, near, far, headers } = world);
  }, 240_000);
  afterAll(() => world.stop());

  const item = (name: string) => ({ name, token: `t-${name}` });
  const idOf = ({ json }: Answer): string => (json as { data: { id: string }[] }).data[0]!.id;

  test('a row that is written at one door is read at the other', async () => {
    const made = await call(far, 'POST', '/data/rest/item', headers, item('far'));
    expect(made.status, made.text).toBe(201);
    const path = `/data/rest/item/id/${idOf(made)}`;
    const [here, there] = [await call(near, 'GET', path, headers), await call(far, 'GET', path, headers)];
    expect([there.status, there.text]).toEqual([here.status, here.text]);
    const head = await fetch(far + path, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(here.text.length)]);
    expect((await call(far, 'DELETE', path, headers)).status).toBe(200);
    expect((await call(near, 'GET', path, headers)).status).toBe(404);
  });

  test('refusals are the same at both doors', async () => {
    const bare = positionHeaders(TENANT);
    const asks: readonly (readonly [string, string, Headers, unknown?])[] = [
      ['GET', '/data/rest/item', bare],
      ['GET', '/data/rest/item', {}],
      ['GET', '/data/rest/item', { ...headers, 'X-Tenant': 'absent' }],
      ['GET', '/data/rest/item', { ...headers, 'X-Tenant': 'Not A Segment' }],
      ['GET', '/data/rest/absent', headers],
      ['POST', '/data/rest/item', headers, '{'],
      ['PATCH', '/data/rest', headers],
      ['GET', '/nowhere', {}],
      ['POST', '/f/absent', {}, {}],
    ];
    for (const [method, path, sent, body] of asks) {
      const [here, there] = [await call(near, method, path, sent, body), await call(far, method, path, sent, body)];
      expect([there.status, there.json], `${method} ${path}`).toEqual([here.status, here.json]);
      expect(there.headers.get('content-type')).toBe(here.headers.get('content-type'));
    }
  });

  test('a submission of a form is taken', async () => {
    const taken = await call(far, 'POST', '/f/contact', {}, { name: 'Ann', email: 'ann@example.org' });
    expect(taken.status, taken.text).toBe(200);
  });

  test('a file of some MB goes up through one door and comes down through the other', async () => {
    const bytes = randomBytes(BYTES);
    const digest = (of: Uint8Array): string => createHash('sha256').update(of).digest('hex');
    for (const [to, from] of [
      [far, near],
      [near, far],
      [far, far],
    ] as const) {
      const form = new FormData();
      form.append('id', randomBytes(8).toString('hex'));
      form.append('title', `through ${to} and ${from}`);
      form.append('scan', new File([bytes], 'scan.bin'));
      const made = await fetch(`${to}/data/rest/paper`, { method: 'POST', headers, body: form });
      const text = await made.text();
      expect(made.status, text).toBe(201);
      const { id } = (JSON.parse(text) as { data: { id: string }[] }).data[0]!;
      const got = await fetch(`${from}/data/rest/paper/id/${id}?download=true&field=scan`, { headers });
      expect([got.status, digest(new Uint8Array(await got.arrayBuffer()))]).toEqual([200, digest(bytes)]);
    }
  });

  test('changes are told over a stream and a WebSocket of the far door', async () => {
    const events = await openEvents(`${far}/data/changes?entity=note`, headers);
    const socket = new WebSocket(`${far.replace('http', 'ws')}/data/live?position=${TENANT}`);
    const heard: { type: string; change?: { row: { title: string } } }[] = [];
    socket.addEventListener(
      'message',
      ({ data }) => void heard.push(JSON.parse(data as string) as (typeof heard)[number]),
    );
    await new Promise((resolve) => {
      socket.addEventListener('open', resolve);
    });
    socket.send(JSON.stringify({ type: 'auth', token: headers['Authorization']!.slice('Bearer '.length) }));
    socket.send(JSON.stringify({ type: 'subscribe', id: 'all', entity: 'note' }));
    await expect.poll(() => heard.map(({ type }) => type), SOON).toContain('subscribed');
    expect((await call(near, 'POST', '/data/rest/note', headers, { title: 'told' })).status).toBe(201);
    await expect.poll(() => heard.at(-1)!.change?.row.title, SOON).toBe('told');
    await expect.poll(() => events.events.at(-1)?.data?.row?.title, SOON).toBe('told');
    socket.close();
    events.leave();
  });

  test('a tenant that was made a moment before is there at the far door', async () => {
    const key = 'acme:shop:dev:sleeping';
    const position = positionHeaders(key);
    expect((await call(far, 'GET', '/data/rest/item', position)).status).toBe(403);
    const made = await skep(`tenant provision --tenant ${key} -f ${pair.machines[0].file}`);
    expect(made.code, made.err).toBe(0);
    expect((await call(far, 'GET', '/data/rest/item', position)).status).toBe(401);
  });

  test('a bucket is one for both doors, to the last drop', async () => {
    const login = { login: 'absent@example.org', password: 'wrong' };
    const answers: number[] = [];
    for (let no = 0; no < LOGINS + 6; no++)
      answers.push(
        (await call(no % 2 === 0 ? far : near, 'POST', '/auth/login', positionHeaders(TENANT), login)).status,
      );
    expect(answers.map((status) => status === 429)).toEqual(answers.map((_, no) => no >= LOGINS));
  });

  services(() => world);
  slowCallers(() => world);
  linkShown(() => world);

  /** Callers that write through one door until they are told to stop, and what they were told. */
  function writing(gateway: string, name: string) {
    const statuses = new Set<string>();
    const made = new Set<string>();
    const told = { over: false };
    const caller = async (of: string): Promise<void> => {
      for (let no = 0; !told.over; no++) {
        const answer = await call(gateway, 'POST', '/data/rest/item', headers, item(`${of}-${no}`));
        statuses.add(`${answer.status} ${answer.headers.get('retry-after')}`);
        if (answer.status === 201) made.add(`${of}-${no}`);
        else await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    };
    const callers = ['a', 'b', 'c', 'd'].map((of) => caller(`${name}-${of}`));
    const more = async (): Promise<void> => {
      const before = made.size;
      await expect.poll(() => made.size, SOON).toBeGreaterThan(before + 50);
    };
    return {
      more,
      /** Resolves when each row that was acknowledged was found at that door; with the statuses and their Retry-After. */
      over: async (): Promise<string[]> => {
        told.over = true;
        await Promise.all(callers);
        const rows = await call(gateway, 'GET', '/data/rest/item?limit=5000', headers);
        const there = new Set((rows.json as { data: { name: string }[] }).data.map((row) => row.name));
        expect([...made].filter((row) => !there.has(row))).toEqual([]);
        return [...statuses].toSorted();
      },
    };
  }

  test('a link that is cut is made again; who waited gets 503', async () => {
    const callers = writing(far, 'cut');
    for (let cut = 0; cut < 5; cut++) {
      await callers.more();
      world.proxy.hangUp();
    }
    await callers.more();
    expect(await callers.over()).toEqual(['201 null', '503 1']);
  });

  test(
    'a node that stands by and is stopped answers what its doors took, and then ends',
    { timeout: 2 * START_MS },
    async () => {
      const body = JSON.stringify(item('half'));
      const lines = Object.entries({
        Host: 'far',
        'Content-Type': 'application/json',
        ...headers,
        'Content-Length': body.length,
      });
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const socket = connect(Number(new URL(far).port), '127.0.0.1');
      let got = '';
      socket.on('data', (bytes: Buffer) => void (got += bytes.toString('latin1')));
      socket.write(`POST /data/rest/item HTTP/1.1\r\n${head}\r\n${body.slice(0, 5)}`);
      expect((await call(far, 'GET', '/data/rest/item?limit=1', headers)).status).toBe(200);
      process.kill(world.waits.pid, 'SIGTERM');
      const isOpen = () =>
        fetch(`${far}/ready`).then(
          () => true,
          () => false,
        );
      await expect.poll(isOpen, SOON).toBe(false);
      expect(got).toBe('');
      socket.write(body.slice(5));
      await expect.poll(() => got, SOON).toContain('HTTP/1.1 201');
      await expect(world.waits.serves).rejects.toThrow('');
      world.waits = await pair.standby(pair.machines[1]);
      await pair.open(pair.machines[1]);
    },
  );

  test(
    'the place is handed over under load: each answer is a good one, or 503',
    { timeout: 4 * START_MS },
    async () => {
      await pair.followed(pair.machines[1], BEHIND_MAX);
      await pair.ready(pair.machines[1]);
      const callers = writing(far, 'over');
      await callers.more();
      const keyed = { ...headers, 'Idempotency-Key': 'over-the-hand-over-0123456789' };
      const once = () => call(far, 'POST', '/data/rest/item', keyed, item('kept over'));
      const made = await once();
      expect(made.status, made.text).toBe(201);
      const drained = await skep(`cluster drain n1 -f ${pair.machines[1].file} -o json`);
      expect(drained.code, drained.err).toBe(0);
      second = await world.waits.serves;
      expect(second.listeners['gateway']).toBe(far);
      const again = await once();
      expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, made.text, 'true']);
      await callers.more();
      expect(await callers.over()).toEqual(['201 null', '503 1']);
      await pair.open(pair.machines[0]);
      expect((await call(near, 'GET', '/data/rest/item?limit=1', headers)).status).toBe(200);
    },
  );

  test(
    'callers who wait when the node that serves is killed get 503, and are served by this door again',
    { timeout: 4 * START_MS },
    async () => {
      const callers = writing(near, 'killed');
      await callers.more();
      await second.end('SIGKILL');
      await callers.more();
      expect(await callers.over()).toEqual(['201 null', '503 1']);
      expect(await world.first.end('SIGTERM')).toBe(0);
    },
  );
});
