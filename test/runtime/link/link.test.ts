/** A link between two nodes: requests go and answers come back, bodies go in pieces by credits, and a link that is lost settles what waits. */
import { expect, test } from 'vitest';
import { STREAMED, STREAM_STRIDE, type Flat } from '#actors/protocol/frame.ts';
import { METHODS } from '#actors/protocol/method.ts';
import {
  BODY_END,
  BODY_PIECE,
  BODY_TAKEN,
  PIECE_BYTES,
  REPLY_CUT,
  REPLY_END,
  REPLY_PIECE,
  REPLY_STOP,
  REPLY_TAKEN,
  WINDOW_BYTES,
} from '#actors/protocol/stream.ts';
import { JSON_LINES } from '#runtime/door/answer-refusal.ts';
import type { Arrival } from '#runtime/door/arrival.ts';
import type { AnswerSink } from '#runtime/door/port.ts';
import { agreedIn, helloFrame, readHello } from '#runtime/link/hello.ts';
import { CLUSTER, LinkWorld, ROUTES, routesOf, selfOf } from './link-world.ts';

/** Answers what it saw of a request. */
function tell(arrival: Arrival, key: string): void {
  const { authorization, extra, method, params, requestId, route, tenantNo, visit } = arrival;
  visit.readBody(
    1e6,
    (body) => {
      const seen = {
        authorization,
        extra,
        method,
        params,
        requestId,
        route: route.name,
        tenantNo,
        key,
        ip: arrival.callerIp(),
      };
      visit.answer(200, JSON_LINES, JSON.stringify({ ...seen, query: visit.query, body: body.length }), requestId);
    },
    () => visit.answer(413, '', '', requestId),
  );
}

test('a request arrives as its door sent it, with the caller, the position and the headers apart, and its answer comes back', async () => {
  const world = new LinkWorld();
  const server = await world.server('n1', tell);
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  doors.send(0, 1, 'abc');
  doors.send(5, 2, new Uint8Array(600_000));
  await expect.poll(() => doors.replies.size).toBe(2);
  const { body, headers, status } = doors.replies.get(0)!;
  expect([status, headers]).toEqual([200, '']);
  expect(JSON.parse(body as string)).toEqual({
    authorization: 'Bearer t',
    extra: 'x-api-key:secret\n',
    method: 1,
    params: 'p',
    requestId: 'id 0',
    route: 'write',
    // A number of the far door counts for nothing but why there is no position.
    tenantNo: 0,
    key: 'a:b:c:d',
    ip: '10.1.2.3',
    query: 'q=1',
    body: 3,
  });
  expect(JSON.parse(doors.replies.get(5)!.body as string)).toMatchObject({ route: 'send', body: 600_000 });
});

test('routes are known by their names: another release may number them otherwise, and one that it lacks is 503', async () => {
  const world = new LinkWorld();
  const server = await world.server('n1', tell, routesOf('write', 'other', 'read'));
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  doors.send(0, 0, '');
  doors.send(1, 1, '');
  doors.send(2, 2, '');
  await expect.poll(() => doors.replies.size).toBe(3);
  expect([0, 1].map((no) => (JSON.parse(doors.replies.get(no)!.body as string) as { route: string }).route)).toEqual([
    'read',
    'write',
  ]);
  expect(doors.replies.get(2)).toMatchObject({
    status: 503,
    headers: expect.stringContaining('Retry-After: 1') as string,
  });
});

test('a body goes in pieces that are paid for as the thread takes them, and an answer as the far caller does', async () => {
  const world = new LinkWorld();
  const got: string[] = [];
  let sink: AnswerSink;
  const taken: number[] = [];
  let arrived: Arrival;
  const server = await world.server('n1', (arrival) => {
    arrived = arrival;
    arrival.visit.readPieces({
      piece: (bytes) => void got.push(Buffer.from(bytes).toString()),
      end: () => void got.push('end'),
      gone: () => void got.push('gone'),
      tooSlow: () => undefined,
    });
    sink = { taken: (bytes) => void taken.push(bytes), gone: () => void got.push('not wanted') };
  });
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  const { outbox } = doors.link.desk;
  doors.send(3, 1, STREAMED);
  outbox!.stream(3, BODY_PIECE, Buffer.from('one'));
  await expect.poll(() => got).toEqual(['one']);
  await expect.poll(() => doors.streamed).toEqual([3, BODY_TAKEN, 3]);
  arrived!.visit.pauseBody();
  outbox!.stream(3, BODY_PIECE, Buffer.alloc(5000, 'x'));
  outbox!.stream(3, BODY_END);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([got.length, doors.streamed.length]).toEqual([1, 3]);
  arrived!.visit.resumeBody();
  expect([got.length, got[2]]).toEqual([3, 'end']);
  await expect.poll(() => doors.streamed.slice(3, 6)).toEqual([3, BODY_TAKEN, 5000]);
  arrived!.visit.beginAnswer(200, 'A: b\n', -1, sink!, '');
  arrived!.visit.answerPiece(Buffer.from('answer'));
  await expect.poll(() => doors.streamed.slice(6)).toEqual([3, REPLY_PIECE, 'answer']);
  expect(doors.replies.get(3)).toEqual({ status: 200, headers: 'A: b\n', body: -1 });
  outbox!.stream(3, REPLY_TAKEN, 6);
  await expect.poll(() => taken).toEqual([6]);
  arrived!.visit.endAnswer();
  await expect.poll(() => doors.streamed.slice(9)).toEqual([3, REPLY_END, 0]);
});

test('a lost link settles what waits, the caller is gone for the node that served, and the link is made again', async () => {
  const world = new LinkWorld();
  const arrived: Arrival[] = [];
  const server = await world.server('n1', (arrival) => void arrived.push(arrival));
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  doors.send(0, 1, '');
  await expect.poll(() => arrived.length).toBe(1);
  const gone: number[] = [];
  arrived[0]!.visit.watch({ gone: (no) => void gone.push(no) }, 42);
  const lost = doors.lost;
  doors.link.follow({ node: 'n1', id: 'another life', link: `127.0.0.1:${server.port}` });
  expect(doors.lost).toBe(lost + 1);
  expect(doors.link.isUp).toBe(false);
  await expect.poll(() => gone).toEqual([42]);
  expect(arrived[0]!.visit.aborted).toBe(true);
  await expect.poll(() => world.warned).toContain('this is another life of the node');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  arrived[0]!.visit.answer(200, '', 'too late');
  doors.send(0, 1, '');
  await expect.poll(() => arrived.length).toBe(2);
  arrived[1]!.visit.answer(200, '', 'in time');
  await expect.poll(() => doors.replies.get(0)?.body).toBe('in time');
});

test('a node that does not serve says so; one that gives its place up answers what it took, and takes no more', async () => {
  const world = new LinkWorld();
  const arrived: Arrival[] = [];
  const server = await world.server('n1', null);
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => world.warned).toContain('this node does not serve');
  server.serve({ gate: { forwarded: (arrival) => void arrived.push(arrival) }, page: () => false });
  await expect.poll(() => doors.link.isUp, { timeout: 5000 }).toBe(true);
  doors.link.desk.inFlight++;
  doors.send(0, 1, '');
  await expect.poll(() => arrived.length).toBe(1);
  const retired = server.retire();
  await expect.poll(() => doors.link.isUp).toBe(false);
  doors.send(1, 1, ''); // had crossed the word
  await expect.poll(() => doors.replies.get(1)?.status).toBe(503);
  arrived[0]!.visit.answer(200, '', 'taken before');
  await retired;
  await expect.poll(() => doors.replies.get(0)?.body).toBe('taken before');
  expect(arrived.length).toBe(1);
});

test('a node says why it has no link and how many it lost, and how many nodes send to it', async () => {
  const world = new LinkWorld();
  const waiting: Arrival[] = [];
  const server = await world.server('n1', (arrival) => void waiting.push(arrival));
  const doors = world.doors('n2');
  expect([doors.link.fault, doors.link.losses]).toEqual([null, 0]);
  doors.follow(server, 'n1', 'another life of n1');
  await expect.poll(() => doors.link.fault).toBe('this is another life of the node');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  doors.send(0, 1, '');
  await expect.poll(() => waiting.length).toBe(1);
  expect([doors.link.fault, doors.link.losses, server.nodes, server.inFlight]).toEqual([null, 0, 1, 1]);
  waiting[0]!.visit.answer(200, '', 'answered');
  await expect.poll(() => server.inFlight).toBe(0);
  await server.close();
  await expect.poll(() => doors.link.losses).toBe(1);
  expect([doors.link.fault === null, server.nodes]).toEqual([false, 0]);
});

/** The number of pages on a link, behind those of routes. */
const PAGE = 3;
const FILE_BYTES = 3 * WINDOW_BYTES;

test('a page is asked for by its path and head; a large one comes in pieces as they are taken, and stops where it is not wanted', async () => {
  const world = new LinkWorld();
  const asked: object[] = [];
  const server = await world.server('n1', tell, routesOf('write', 'read'), (visit, requestId, callerOf) => {
    const [host, accept, other] = ['host', 'accept', 'cookie'].map((name) => visit.headers(name));
    asked.push({ method: visit.method, path: visit.path, host, accept, other, requestId, ip: callerOf(visit) });
    if (visit.path === '/none') return false;
    visit.answer(200, 'A: b\n', visit.path === '/small' ? 'small' : Buffer.alloc(FILE_BYTES, 'p'));
    return true;
  });
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  const ask = (no: number, path: string): void => {
    const head = ':from:10.1.2.3\n:\nhost:shop.test:80\naccept:text/html\n';
    doors.link.desk.outbox!.batch.push(no, PAGE, 0, 0, path, '', '', `id ${no}`, head, '');
  };
  for (const [no, path] of ['/small', '/none', '/large', '/unwanted'].entries()) ask(no, path);
  await expect.poll(() => doors.replies.size).toBe(4);
  expect(asked[0]).toEqual({
    method: 'GET',
    path: '/small',
    host: 'shop.test:80',
    accept: 'text/html',
    other: '',
    requestId: 'id 0',
    ip: '10.1.2.3',
  });
  expect([0, 1, 2].map((no) => [doors.replies.get(no)!.status, doors.replies.get(no)!.body])).toEqual([
    [200, 'small'],
    [404, expect.any(String)],
    [200, FILE_BYTES],
  ]);
  /** The parts that came of one answer, and the bytes of its pieces. */
  const came = (of: number) => {
    const parts: number[] = [];
    let bytes = 0;
    for (let at = 0; at < doors.streamed.length; at += STREAM_STRIDE) {
      const [no, part, payload] = doors.streamed.slice(at, at + STREAM_STRIDE);
      if (no !== of) continue;
      parts.push(part as number);
      if (part === REPLY_PIECE) bytes += (payload as Uint8Array).length;
    }
    return { bytes, last: parts.at(-1) };
  };
  await expect.poll(() => came(2)).toEqual({ bytes: WINDOW_BYTES, last: REPLY_PIECE });
  const { outbox } = doors.link.desk;
  outbox!.stream(2, REPLY_TAKEN, PIECE_BYTES);
  await expect.poll(() => came(2).bytes).toBe(WINDOW_BYTES + PIECE_BYTES);
  outbox!.stream(2, REPLY_TAKEN, FILE_BYTES);
  await expect.poll(() => came(2)).toEqual({ bytes: FILE_BYTES, last: REPLY_END });
  outbox!.stream(3, REPLY_STOP);
  await expect.poll(() => came(3)).toEqual({ bytes: WINDOW_BYTES, last: REPLY_CUT });
  await expect.poll(() => server.inFlight).toBe(0);
});

test('a verb that its row does not declare is that of the caller at the node that serves, too: what a read-only tenant admits goes by it', async () => {
  const world = new LinkWorld();
  const verbs: string[] = [];
  const server = await world.server('n1', ({ visit, requestId }) => {
    verbs.push(visit.method);
    visit.answer(200, '', '', requestId);
  });
  const doors = world.doors('n2');
  doors.follow(server, 'n1');
  await expect.poll(() => doors.link.isUp).toBe(true);
  const { outbox } = doors.link.desk;
  outbox!.batch.push(0, 0, 0, METHODS.length, '', '', '', 'id', ':from:\n:\n:verb:HEAD\n', '');
  outbox!.batch.push(1, 0, 0, 0, '', '', '', 'id', ':from:\n:\n', '');
  await expect.poll(() => doors.replies.size).toBe(2);
  expect(verbs).toEqual(['HEAD', 'GET']);
});

test.each([
  ['a door of the release behind', [3], [3, 4], true],
  ['a door of the release before', [2], [3, 4], false],
  ['a door of the next release', [3, 4], [3], true],
  ['a door of the release behind the next one', [4, 5], [3], false],
  ['two that have more than one protocol', [3, 4], [3, 4], true],
])('%s: %j at a node that speaks %j, %s', async (_name, far, near, isUp) => {
  const world = new LinkWorld();
  const server = await world.server('n1', tell, ROUTES, () => false, selfOf('n1', near));
  const doors = world.doors('n2', world.authority.pair('n2'), selfOf('n2', far));
  doors.follow(server, 'n1');
  if (!isUp) {
    await expect
      .poll(() => world.warned)
      .toContain(`protocol ${far.join(', ')}, here ${near.join(', ')}: release 1.0.0 is too far`);
    return;
  }
  await expect.poll(() => doors.link.isUp).toBe(true);
  doors.send(0, 1, 'abc');
  await expect.poll(() => doors.replies.get(0)?.status).toBe(200);
});

test('a release that knows one number alone agrees by it, as a door and as the node that serves', () => {
  const frame = (words: object) =>
    [
      16,
      JSON.stringify({ cluster: CLUSTER, release: '0.1.0', node: 'n2', life: 'x', to: 'y', routes: [], ...words }),
    ] as Flat;
  const self = selfOf('n1', [3, 4]);
  const agreed = (words: object, isAnswer: boolean) => agreedIn(readHello(frame(words), self), self, isAnswer);
  expect(agreed({ protocol: 3 }, false)).toBe(3);
  expect(agreed({ protocol: 3, protocols: [3, 4, 5] }, false)).toBe(4);
  expect(agreed({ protocol: 4 }, true)).toBe(4);
  expect(() => agreed({ protocol: 2 }, false)).toThrow('protocol 2, here 3, 4: release 0.1.0 is too far');
  // What it reads of this release: the oldest number in a first hello, the one that is spoken in an answer.
  const told = (protocol?: number) =>
    JSON.parse(helloFrame(self, 'y', [], protocol === undefined ? {} : { protocol })[1] as string) as {
      protocol: number;
    };
  expect([told().protocol, told(4).protocol]).toEqual([3, 4]);
});
