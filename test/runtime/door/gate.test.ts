/** What the door decides by itself, in the order of docs/contract/common.md §3.3, over visits and desks that are plain values. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CompiledRoute } from '#actors/host/call.ts';
import { Outbox, type Channel } from '#actors/protocol/channel.ts';
import {
  MALFORMED_POSITION,
  NO_POSITION,
  REPLIES,
  REQUEST_STRIDE,
  REQUESTS,
  UNKNOWN_POSITION,
} from '#actors/protocol/frame.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse as refuseIntake } from '#actors/intake/refusals.ts';
import type { Arrival } from '#runtime/door/arrival.ts';
import { Desk } from '#runtime/door/desk.ts';
import { Directory } from '#runtime/door/directory.ts';
import { Gate } from '#runtime/door/gate.ts';
import type { GatePorts } from '#runtime/door/gate-ports.ts';
import type { Visit } from '#runtime/door/port.ts';
import { RequestIds } from '#runtime/door/request-id.ts';
import { compileRouter } from '#actors/protocol/router.ts';

const base = { body: 'none', ack: 'fsync', replies: {}, refusals: [], summary: '' } as const;
const rows: Readonly<Record<string, RouteRow>> = {
  read: {
    ...base,
    methods: ['GET'],
    path: '/data/{e}',
    position: 'door',
    callers: callers({ users: [{}] }),
    headers: ['x-api-key', ':ip'],
  },
  write: {
    ...base,
    methods: ['POST'],
    path: '/data/{e}',
    position: 'door',
    callers: callers({ users: [{}] }),
    body: 'json',
    bodyBytesMax: 10,
  },
  issue: {
    ...base,
    methods: ['POST'],
    path: '/auth',
    position: 'host',
    callers: callers({ users: [{}] }),
    rate: 'mine',
  },
  submit: {
    ...base,
    methods: ['POST'],
    path: '/f',
    position: 'none',
    callers: anyone(),
    to: 'intake',
    body: 'form',
    bodyBytesMax: 10,
    rate: 'mine',
  },
  every: { ...base, methods: ['GET'], path: '/every', position: 'none', callers: anyone(), everyVerb: true },
};
const routes: CompiledRoute[] = Object.entries(rows).map(([name, row], no) => ({
  no,
  name,
  service: 'x',
  row,
  paramNames: [],
}));
const router = compileRouter(routes.map(({ no, row }) => ({ no, methods: row.methods, path: row.path })));

interface Sent {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

const HERE = { 'x-customer': 'a', 'x-product': 'b', 'x-env': 'c', 'x-tenant': 'd' };

let desk: Desk;
let sentOut: Flat[];
let taken: unknown[][];
let fullRefusal: Refusal | null;
let rateRefusal: Refusal | null;
let counted: unknown[][];
/** Every request that came to a route. */
let arrivals: Arrival[];
let gate: Gate;
let flush: () => void;
/** CORS as the gate asks for it; null where no product lists an origin. */
let pages: NonNullable<GatePorts['pages']> | null;

function ports(): GatePorts {
  const directory = new Directory(['a:b:c:configured']);
  directory.put([{ no: 2, position: parsePosition('a:b:c:d')!, shard: 0, state: 'active', localdir: null }]);
  return {
    directory,
    rates: {
      take: (...args) => {
        taken.push(args);
        return rateRefusal;
      },
      has: () => true,
      keyOf: (ip) => ip.slice(0, 7),
    },
    ids: new RequestIds('id'),
    desk: () => desk,
    pages,
    dress: (arrival) => {
      arrivals.push(arrival);
      return arrival.visit;
    },
    full: (route) => (route.name === 'submit' ? fullRefusal : null),
    answered: ({ route }, status, byDoor) => void counted.push([route?.name, status, byDoor]),
  };
}

beforeEach(() => {
  sentOut = [];
  taken = [];
  counted = [];
  arrivals = [];
  rateRefusal = null;
  fullRefusal = null;
  pages = null;
  desk = new Desk('host-0');
  const channel = { sendBatch: (batch: Flat) => void sentOut.push(batch) } as unknown as Channel;
  desk.outbox = new Outbox(channel, REQUESTS, (run) => (flush = run));
  gate = new Gate(routes, ports());
});

const noPieces = {
  readPieces: () => undefined,
  pauseBody: () => undefined,
  resumeBody: () => undefined,
  beginAnswer: () => undefined,
  answerPiece: () => undefined,
  endAnswer: () => undefined,
  cutAnswer: () => false,
};

/** Sends a visit; its answer, or undefined while it waits. */
function visit(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): { sent?: Sent } {
  const result: { sent?: Sent } = {};
  const one: Visit = {
    method,
    path,
    query: 'q=1',
    began: 0,
    aborted: false,
    header: (name) => headers[name] ?? '',
    headers: (name) => headers[name] ?? '',
    peer: () => '',
    ip: () => '198.51.100.1',
    watch: () => undefined,
    ...noPieces,
    readBody: (max, done, tooLarge) => (body.length > max ? tooLarge() : done(body)),
    answer: (status, lines, text, id) =>
      (result.sent = { status, headers: `${lines}X-Request-Id: ${id}\n`, body: String(text) }),
  };
  gate.handler(router)(one);
  return result;
}

function record(): unknown[] {
  flush();
  return sentOut[0]!.slice(1, 1 + REQUEST_STRIDE);
}

describe('refused by the door', () => {
  test.each<[string, string, string, Readonly<Record<string, string>>, string, number]>([
    ['a path without a route', 'GET', '/nowhere', {}, '', 404],
    ['a verb without a row', 'DELETE', '/data/x', {}, '', 405],
    ['a declared length over the cap, before the position', 'POST', '/data/x', { 'content-length': '11' }, '', 413],
    ['a body over the cap', 'POST', '/data/x', HERE, 'x'.repeat(11), 413],
    ['no position', 'GET', '/data/x', {}, '', 400],
    ['an unknown position', 'GET', '/data/x', { ...HERE, 'x-tenant': 'absent' }, '', 400],
    ['a tenant that is not active', 'GET', '/data/x', { ...HERE, 'x-tenant': 'configured' }, '', 403],
  ])('%s', (_name, method, path, headers, body, status) => {
    expect(visit(method, path, headers, body).sent?.status).toBe(status);
    expect(gate.inFlight).toBe(0);
    expect(counted.at(-1)!.slice(1)).toEqual([status, true]);
  });

  test('405 names the verbs, OPTIONS too', () => {
    expect(visit('DELETE', '/data/x').sent?.headers).toContain('Allow: GET, HEAD, POST, OPTIONS\n');
    expect(visit('OPTIONS', '/auth').sent).toMatchObject({ status: 204, body: '' });
  });

  test("intake's cap is refused in intake's words", () => {
    expect(visit('POST', '/f', { 'content-length': '11' }).sent?.body).toContain('"intake.too_large"');
    expect(visit('POST', '/data/x', { 'content-length': '11' }).sent?.body).toContain('"body_too_large"');
  });

  test('an empty bucket, with a credential or without one; a request without a tenant takes nothing from one', () => {
    rateRefusal = refuseIntake('intake.rate_limited');
    expect(visit('POST', '/f').sent?.status).toBe(429);
    expect(visit('POST', '/auth', { ...HERE, authorization: 'ApiKey x' }).sent?.status).toBe(429);
    expect(taken).toEqual([
      ['mine', NO_POSITION, '198.51.100.1'],
      ['mine', 2, '198.51.100.1'],
    ]);
    expect(visit('POST', '/auth', HERE).sent?.status).toBe(429);
    expect(taken).toHaveLength(3);
    visit('POST', '/auth', { authorization: 'ApiKey x' });
    expect(taken).toHaveLength(3);
  });

  test('a desk that is full: no message crosses, and its rates were asked before', () => {
    fullRefusal = refuseIntake('intake.shedding', { headers: { 'Retry-After': '1' } });
    const { sent } = visit('POST', '/f', {}, '{}');
    expect([sent!.status, taken]).toEqual([503, [['mine', NO_POSITION, '198.51.100.1']]]);
    expect(sent!.headers).toContain('Retry-After: 1\n');
    expect([sentOut, desk.inFlight, gate.inFlight]).toEqual([[], 0, 0]);
    expect(counted).toEqual([['submit', 503, true]]);
  });

  test('a thread that is not there: 503 with Retry-After', () => {
    desk.outbox = null;
    const { sent } = visit('GET', '/data/x', HERE);
    expect(sent).toMatchObject({ status: 503, headers: expect.stringContaining('Retry-After: 1\n') });
  });
});

describe('let through', () => {
  test('as one record with the headers that the row names', () => {
    visit('GET', '/data/x', {
      ...HERE,
      authorization: 'Bearer t',
      'x-api-key': 'k',
      accept: '*/*',
      'x-request-id': 'mine',
    });
    expect(record()).toEqual([0, 0, 2, 0, 'x', 'q=1', 'Bearer t', 'mine', 'x-api-key:k\n:ip:198.51.100.1\n', '']);
  });

  test('to the host, which answers for a position that is missing, malformed or unknown', () => {
    visit('POST', '/auth', { authorization: 'ApiKey x' });
    visit('POST', '/auth', { ...HERE, 'x-env': 'C', authorization: 'ApiKey x' });
    visit('POST', '/auth', { ...HERE, 'x-env': 'e', authorization: 'ApiKey x' });
    flush();
    const batch = sentOut[0]!;
    expect([0, 1, 2].map((i) => batch[1 + i * REQUEST_STRIDE + 2])).toEqual([
      NO_POSITION,
      MALFORMED_POSITION,
      UNKNOWN_POSITION,
    ]);
  });

  test('the desk counts what it was sent until it is answered or lost', () => {
    visit('POST', '/f', {}, '{}');
    visit('POST', '/f', {}, '{}');
    visit('POST', '/f', {}, '{}');
    expect(desk.inFlight).toBe(3);
    gate.replies([REPLIES, record()[0] as number, 200, '', '{}']);
    expect(desk.inFlight).toBe(2);
    gate.lost(desk);
    expect(desk.inFlight).toBe(0);
  });

  test('the reply comes back with the request id, and only once', () => {
    const waiting = visit('GET', '/data/x', { ...HERE, 'x-request-id': 'mine' });
    expect(gate.inFlight).toBe(1);
    gate.replies([REPLIES, 0, 200, '', '{}']);
    expect(waiting.sent).toEqual({
      status: 200,
      headers: 'Content-Type: application/json; charset=utf-8\nX-Request-Id: mine\n',
      body: '{}',
    });
    gate.replies([REPLIES, 0, 201, '', 'again']);
    expect(waiting.sent?.status).toBe(200);
    expect(gate.inFlight).toBe(0);
  });

  test('what waits on a lost desk settles as unavailable; a late reply is dropped', () => {
    const waiting = visit('GET', '/data/x', HERE);
    gate.lost(desk);
    expect(waiting.sent?.status).toBe(503);
    gate.replies([REPLIES, 0, 200, '', '{}']);
    expect(waiting.sent?.status).toBe(503);
  });

  test('what waits for its answer keeps neither the credential nor other headers: the record has them', () => {
    visit('GET', '/data/x', { ...HERE, authorization: 'Bearer t', 'x-api-key': 'k' });
    expect(record().slice(6)).toEqual(['Bearer t', 'id-0', 'x-api-key:k\n:ip:198.51.100.1\n', '']);
    expect(arrivals).toHaveLength(1);
    expect([arrivals[0]!.authorization, arrivals[0]!.extra]).toEqual(['', '']);
  });
});

describe('traces', () => {
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: '', tracestate: 's=1', link: null };
  const line = `:trace:${trace.traceId}${trace.spanId}s=1\n`;
  const ended: unknown[] = [];
  const traced = (isTraced: boolean): GatePorts => ({
    ...ports(),
    traces: { begin: () => (isTraced ? trace : null), lineOf: () => line },
    answered: (request) => void ended.push(request.trace),
  });
  beforeEach(() => void (ended.length = 0));

  test('a traced request brings its trace first among its headers, in a record of the same shape', () => {
    gate = new Gate(routes, traced(true));
    visit('GET', '/data/x', { ...HERE, 'x-api-key': 'k' });
    expect(record()).toEqual([0, 0, 2, 0, 'x', 'q=1', '', 'id-0', `${line}x-api-key:k\n:ip:198.51.100.1\n`, '']);
    gate.replies([REPLIES, 0, 200, '', '{}']);
    expect(ended).toEqual([trace]);
  });

  test('one that is not traced is as without traces', () => {
    gate = new Gate(routes, traced(false));
    visit('POST', '/auth', { authorization: 'ApiKey x' });
    expect(record()[8]).toBe('');
    gate.replies([REPLIES, 0, 200, '', '{}']);
    expect(ended).toEqual([null]);
  });

  test('what the door refuses ends its span too; a path without a route has none', () => {
    gate = new Gate(routes, traced(true));
    visit('GET', '/data/x');
    visit('GET', '/nowhere');
    expect(ended).toEqual([trace, null]);
  });

  test('a caller cannot write the pseudo header', () => {
    visit('GET', '/data/x', { ...HERE, ':trace': 'forged', 'x-api-key': 'k' });
    expect(record()[8]).toBe('x-api-key:k\n:ip:198.51.100.1\n');
  });
});

describe('pages of other origins', () => {
  beforeEach(() => {
    pages = {
      preflight: (one, { GET }) => (one.header('origin') === 'https://a' ? `Preflight: ${GET}\n` : null),
      dressOther: (one) => ({
        ...one,
        answer: (status, lines, ...more) => one.answer(status, `${lines}Dressed: 1\n`, ...more),
      }),
      kept: ({ name }, lines) => `${lines}Kept: ${name}\n`,
    };
    gate = new Gate(routes, ports());
  });

  test('a preflight is answered with Allow and its lines, before a service that answers every verb', () => {
    for (const path of ['/data/x', '/every'])
      expect(visit('OPTIONS', path, { origin: 'https://a' }).sent).toMatchObject({ status: 204, body: '' });
    expect(visit('OPTIONS', '/data/x', { origin: 'https://a' }).sent!.headers).toMatch(
      /^Allow: GET, HEAD, POST, OPTIONS\nPreflight: 0\nX-Request-Id: /,
    );
    expect(arrivals).toEqual([]);
  });

  test('without lines OPTIONS is what it was: answered here, or by the service that answers every verb', () => {
    expect(visit('OPTIONS', '/data/x').sent!.headers).toMatch(/^Allow: GET, HEAD, POST, OPTIONS\nDressed: 1\n/);
    expect(visit('OPTIONS', '/every').sent).toBeUndefined();
    expect(arrivals).toHaveLength(1);
    expect(visit('DELETE', '/data/x').sent!.headers).toContain('Dressed: 1\n');
    expect(visit('GET', '/nowhere').sent!.headers).not.toContain('Dressed');
  });

  test('answers with headers of their own are looked through for what caches may keep; plain JSON and bare ones are not', () => {
    const sent = ['ETag: "1"\n', '', '\n'].map((lines) => {
      const waiting = visit('GET', '/data/x', HERE);
      gate.replies([REPLIES, 0, 200, lines, '{}']);
      return waiting.sent!.headers.replace(/X-Request-Id: .*\n/, '');
    });
    expect(sent).toEqual(['ETag: "1"\nKept: read\n', 'Content-Type: application/json; charset=utf-8\n', '']);
  });
});

test('every request is an object of one shape, whatever becomes of it', () => {
  setFlagsFromString('--allow-natives-syntax');
  const isSameShape = runInThisContext('(one, other) => %HaveSameMap(one, other)') as (a: object, b: object) => boolean;
  visit('GET', '/data/x', HERE);
  visit('HEAD', '/data/x', { ...HERE, 'x-api-key': 'k', authorization: 'Bearer t' });
  visit('GET', '/data/x', { ...HERE, 'x-tenant': 'absent' });
  visit('POST', '/data/x', HERE, '{}');
  visit('POST', '/data/x', HERE, 'x'.repeat(11));
  visit('POST', '/auth', { authorization: 'ApiKey x' });
  visit('POST', '/f', {}, '{}');
  gate.replies([REPLIES, 0, 200, '', 3]);
  rateRefusal = refuseIntake('intake.rate_limited');
  visit('POST', '/f', {}, '{}');
  expect(arrivals).toHaveLength(8);
  expect(isSameShape(arrivals[0]!, new Gate([], ports()))).toBe(false);
  for (const arrival of arrivals) expect(isSameShape(arrivals[0]!, arrival)).toBe(true);
});
