/** A gate while another node serves, and when its own does: the same visits, and where they go. */
import { beforeEach, expect, test } from 'vitest';
import type { CompiledRoute } from '#actors/host/call.ts';
import { Outbox } from '#actors/protocol/channel.ts';
import { anyone } from '#actors/protocol/callers.ts';
import { MALFORMED_POSITION, NO_POSITION, REQUEST_STRIDE, REQUESTS, type Flat } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import { readCarried } from '#runtime/link/carried.ts';
import { Arrival } from '#runtime/door/arrival.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { Desk } from '#runtime/door/desk.ts';
import { Directory } from '#runtime/door/directory.ts';
import { farFiles, farPorts, type FarSide } from '#runtime/door/far-gate.ts';
import { Gate } from '#runtime/door/gate.ts';
import type { GatePorts } from '#runtime/door/gate-ports.ts';
import type { Visit } from '#runtime/door/port.ts';
import { RequestIds } from '#runtime/door/request-id.ts';
import { SiteVisit } from '#runtime/door/site-visit.ts';

const base = { body: 'none', ack: 'fsync', replies: {}, refusals: [], summary: '', callers: anyone() } as const;
const rows: Readonly<Record<string, RouteRow>> = {
  read: { ...base, methods: ['GET'], path: '/data/{e}', position: 'door', rate: 'mine', headers: ['x-api-key'] },
  probe: { ...base, methods: ['GET'], path: '/probe', position: 'none' },
  free: { ...base, methods: ['GET'], path: '/free/{e}', position: 'door', rate: 'free' },
  form: { ...base, methods: ['GET'], path: '/form', position: 'door', to: 'intake' },
};
const routes: CompiledRoute[] = Object.entries(rows).map(([name, row], no) => {
  return { no, name, service: 'x', row, paramNames: [] };
});
const router = compileRouter(routes.map(({ no, row }) => ({ no, methods: row.methods, path: row.path })));
const HERE = { 'x-customer': 'a', 'x-product': 'b', 'x-env': 'c', 'x-tenant': 'd' };

/** The records that a desk was sent. */
function deskOf(name: string) {
  const sent: Flat = [];
  const desk = new Desk(name);
  const later: (() => void)[] = [];
  const channel = { sendBatch: (batch: Flat) => void sent.push(...batch.slice(1)), sendPiece: () => undefined };
  desk.outbox = new Outbox(channel, REQUESTS, (run) => void later.push(run));
  return { desk, sent: () => (later.splice(0).forEach((run) => run()), sent.slice(0, REQUEST_STRIDE)) };
}

let own: ReturnType<typeof deskOf>;
let other: ReturnType<typeof deskOf>;
let carried: ReturnType<typeof deskOf>;
let far: { -readonly [K in keyof FarSide]: FarSide[K] };
const KNOWN: TenantEntry = {
  no: 9,
  position: parsePosition('a:b:c:known')!,
  shard: 3,
  state: 'active',
  localdir: null,
};
let charged: string[];
let gate: Gate;

beforeEach(() => {
  own = deskOf('host-0');
  other = deskOf('link');
  carried = deskOf('carried-3');
  far = {
    isFar: true,
    isUp: true,
    isFull: false,
    desk: other.desk,
    referred: (key) => (key === KNOWN.position.key ? KNOWN : undefined),
    deskOf: (_tenant, isSent) => (isSent && !far.isHere(carried.desk) ? null : carried.desk),
    isHere: (desk) => desk === carried.desk,
    counts: (tenantNo) => void charged.push(`here ${tenantNo}`),
  };
  charged = [];
  const directory = new Directory([]);
  directory.put([{ no: 2, position: parsePosition('a:b:c:d')!, shard: 0, state: 'active', localdir: null }]);
  const ports: GatePorts = {
    directory,
    rates: { has: (profile) => profile === 'mine', take: () => (charged.push('rate'), null), keyOf: (ip) => ip },
    usage: { request: () => (charged.push('quota'), null) },
    traces: { begin: () => (charged.push('trace'), null), lineOf: () => '' },
    ids: new RequestIds('id'),
    desk: () => own.desk,
    answered: ({ tenant }, status) => void charged.push(`${status} ${tenant?.position.key}`),
  };
  gate = new Gate(routes, farPorts(ports, far));
});

function ask(path: string, headers: Readonly<Record<string, string>> = {}): { status?: number; headers?: string } {
  const got: { status?: number; headers?: string } = {};
  const visit = {
    method: 'GET',
    path,
    query: '',
    began: 0,
    aborted: false,
    header: (name: string) => headers[name] ?? '',
    headers: (name: string) => headers[name] ?? '',
    ip: () => '198.51.100.1',
    peer: () => '',
    watch: () => undefined,
    answer: (status: number, lines: string) => void Object.assign(got, { status, headers: lines }),
  } as unknown as Visit;
  gate.handler(router)(visit);
  return got;
}

test('while another node serves, every position that is well-formed goes there by name, and nothing is charged here', () => {
  ask('/data/x', { ...HERE, 'x-tenant': 'unknown', 'x-api-key': 'k', traceparent: '00-1-2-01' });
  const [, route, tenantNo, , , , , , extra] = other.sent();
  expect([route, tenantNo]).toEqual([0, 0]);
  expect(readCarried(extra as string)).toEqual({
    position: 'a:b:c:unknown',
    caller: '198.51.100.1',
    trace: new Map([['traceparent', '00-1-2-01']]),
    rest: 'x-api-key:k\n',
  });
  expect([own.sent(), charged]).toEqual([[], []]);
});

test('a position that is missing or malformed is refused here, and a route without one goes', () => {
  expect(ask('/data/x').status).toBe(400);
  expect(ask('/data/x', { ...HERE, 'x-tenant': 'NO' }).status).toBe(400);
  expect(other.sent()).toEqual([]);
  ask('/probe', HERE);
  expect(readCarried(other.sent()[8] as string)).toMatchObject({ position: '', rest: '' });
});

test('without a link, and where too much waits for it: 503 with Retry-After', () => {
  far.isUp = false;
  expect(ask('/data/x', HERE)).toMatchObject({
    status: 503,
    headers: expect.stringContaining('Retry-After: 1') as string,
  });
  Object.assign(far, { isUp: true, isFull: true });
  expect(ask('/data/x', HERE)).toMatchObject({
    status: 503,
    headers: expect.stringContaining('Retry-After: 1') as string,
  });
  expect(charged).toEqual(['503 undefined', '503 undefined']);
});

test('when this node serves, the same gate asks its own parts', () => {
  ask('/data/x', HERE);
  other.sent();
  far.isFar = false;
  ask('/data/x', { ...HERE, 'x-api-key': 'k' });
  expect(own.sent().slice(1, 3)).toEqual([0, 2]);
  expect(own.sent()[8]).toBe('x-api-key:k\n');
  expect(ask('/data/x', { ...HERE, 'x-tenant': 'unknown' }).status).toBe(400);
  expect(charged).toEqual(['trace', 'rate', 'quota', 'trace', '400 undefined']);
});

const KNOWN_HERE = { ...HERE, 'x-tenant': 'known' };

test('a tenant whose host is carried here is asked here, by its number, and the request is counted', () => {
  ask('/free/x', KNOWN_HERE);
  expect(carried.sent().slice(1, 3)).toEqual([2, 9]);
  expect(carried.sent()[8]).toBe('');
  expect([other.sent(), own.sent(), charged]).toEqual([[], [], ['here 9', 'trace']]);
});

test.each([
  ['what a rate limits', '/data/x', KNOWN_HERE],
  ['what no host answers', '/form', KNOWN_HERE],
  ['a tenant of which nothing is known', '/free/x', HERE],
])('%s goes by the node that serves all the same, which charges and looks', (_what, path, headers) => {
  ask(path, headers);
  const key = headers === HERE ? 'a:b:c:d' : 'a:b:c:known';
  expect(readCarried(other.sent()[8] as string)).toMatchObject({ position: key });
  expect([carried.sent(), charged]).toEqual([[], []]);
});

test('a host of a third node is asked over the link to that one, with what a link carries; without one the request goes by the node that serves', () => {
  far.isHere = () => false;
  ask('/free/x', KNOWN_HERE);
  expect(readCarried(carried.sent()[8] as string)).toMatchObject({ position: 'a:b:c:known', caller: '198.51.100.1' });
  far.deskOf = () => null;
  ask('/free/x', KNOWN_HERE);
  expect(readCarried(other.sent()[8] as string)).toMatchObject({ position: 'a:b:c:known' });
  expect(charged).toEqual([]);
});

test('a carried host is asked where the node that serves cannot be', () => {
  far.isUp = false;
  ask('/free/x', KNOWN_HERE);
  expect(carried.sent()[1]).toBe(2);
});

/** As a link hands it in. */
function at(route: number, key: string): void {
  const visit = { method: 'GET', header: () => '', watch: () => undefined, answer: () => undefined };
  const arrival = new Arrival(visit as unknown as Visit, 'far', routes[route]!, 0, 'x', () => '203.0.113.9');
  arrival.isSent = true;
  gate.forwarded(arrival, key);
}

test('what another door sends on for a host here is asked here, and what it should not have sent goes by the node that serves', () => {
  at(2, 'a:b:c:known');
  expect(carried.sent().slice(1, 3)).toEqual([2, 9]);
  at(2, 'a:b:c:other');
  expect(readCarried(other.sent()[8] as string)).toMatchObject({ position: 'a:b:c:other', caller: '203.0.113.9' });
  expect(charged).toEqual(['here 9', 'trace']);
});

test('what another door sends on goes to no third node: that one may take this one for the carrier', () => {
  far.isHere = () => false;
  at(2, 'a:b:c:known');
  expect(readCarried(other.sent()[8] as string)).toMatchObject({ position: 'a:b:c:known' });
  expect(carried.sent()).toEqual([]);
});

test('pages of a site go to the node that serves with their head, get 503 without a link, and are the own ones behind that', () => {
  const answered: string[] = [];
  const forwarded = (arrival: Arrival): void => gate.forwarded(arrival, '');
  const files = farFiles({ answer: (visit) => answered.push(visit.path) > 0 }, far, routes.length, forwarded)!;
  const site = { host: 'shop.test', position: parsePosition('a:b:c:d')!, cookies: false, web: true, compressed: false };
  let status = 0;
  const head: Readonly<Record<string, string>> = { host: 'shop.test', accept: 'text/html', cookie: 'secret' };
  const bare = {
    method: 'GET',
    path: '/a%20page',
    query: '',
    began: 0,
    header: (name: string) => head[name] ?? '',
    headers: (name: string) => head[name] ?? '',
    ip: () => '198.51.100.1',
    watch: () => undefined,
    answer: (is: number) => void (status = is),
  };
  const visit = (method = 'GET', web = true) =>
    new SiteVisit({ ...bare, method } as unknown as Visit, { ...site, web });
  const callerOf = (one: Visit): string => one.ip();
  expect(files.answer(visit(), 'id', callerOf)).toBe(true);
  const [, route, tenantNo, method, path, , , requestId, extra] = other.sent();
  expect([route, tenantNo, method, path, requestId]).toEqual([routes.length, 0, 0, '/a%20page', 'id']);
  expect(readCarried(extra as string)).toMatchObject({
    position: '',
    caller: '198.51.100.1',
    rest: 'host:shop.test\naccept:text/html\n',
  });
  expect(files.answer(bare as unknown as Visit, 'id', callerOf)).toBe(false);
  expect([files.answer(visit('POST'), 'id', callerOf), files.answer(visit('GET', false), 'id', callerOf)]).toEqual([
    false,
    false,
  ]);
  far.isUp = false;
  expect([files.answer(visit(), 'id', callerOf), status]).toEqual([true, 503]);
  far.isFar = false;
  expect([files.answer(visit(), 'id', callerOf), answered]).toEqual([true, ['/a%20page']]);
});

/** What a link brings to the node that serves; its status, or undefined while it waits. */
function forward(route: number, key: string, tenantNo = 0): number | undefined {
  far.isFar = false;
  let answered: number | undefined;
  const visit = {
    method: 'GET',
    header: () => '',
    watch: () => undefined,
    answer: (is: number) => void (answered = is),
  };
  const arrival = new Arrival(visit as unknown as Visit, 'far', routes[route]!, 0, 'x', () => '203.0.113.9');
  arrival.tenantNo = tenantNo;
  arrival.extra = 'x-api-key:k\n';
  gate.forwarded(arrival, key);
  return answered;
}

test('at the node that serves the tenant is looked for by its name and charged, and what the other door read goes on as it is', () => {
  expect(forward(0, 'a:b:c:d')).toBe(undefined);
  expect(own.sent().slice(0, 4)).toEqual([0, 0, 2, 0]);
  expect(own.sent().slice(6)).toEqual(['', 'far', 'x-api-key:k\n', '']);
  expect(charged).toEqual(['trace', 'rate', 'quota']);
});

test('there a position is refused that is unknown, or was none or malformed; a route without one has no tenant, whatever the other node says', () => {
  expect(forward(0, 'a:b:c:absent')).toBe(400);
  expect(forward(0, '', NO_POSITION)).toBe(400);
  expect(forward(0, '', MALFORMED_POSITION)).toBe(400);
  expect(own.sent()).toEqual([]);
  forward(1, 'a:b:c:d');
  expect(own.sent()[2]).toBe(NO_POSITION);
});
