/** A user's own account over HTTP: what a look, a change and a login cost. */
import { hashPassword } from '#actors/kit/password.ts';
import type { Bench, BenchCase } from './harness.ts';
import { ADMIN, withDataNode, type DataNode } from './kit/data-node.ts';
import { ratioOf, type Figure, type Pair, type Target } from './kit/figure.ts';
import { httpSeconds, measureUrl } from './kit/http-load.ts';
import type { LoadRequest } from './kit/load-script.ts';
import { median, mediansOf } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import { unexpected, type LoadResult } from './kit/wrk-output.ts';

const SECONDS = 10;
const WARM_SECONDS = 2;
const CONNECTIONS = 64;
/** As many hashes as two cores compute at once, and as many that wait. */
const LOGINS = 4;
/** The profiles that guard these routes give one caller a request a second. */
const UNBOUNDED = 'rates: { auth_me: off, auth_login: off }';

const atLeast = (than: number): Target => ({ of: 'ratio', bound: 'min', than });

export const ownAccount: BenchCase = {
  name: 'own-account',
  measures: `GET /auth/me beside the hello, PATCH /auth/me beside durable creates (${CONNECTIONS} connections), logins beside argon2 alone (${LOGINS} at once)`,
  target: '≥ 0.3 ×, ≥ 0.8 ×, ≥ 0.8 ×',
  http: true,
  seconds: (options) => 3 * httpSeconds({ seconds: SECONDS }, options),
  run: (bench) =>
    withDataNode(
      bench,
      async (node) => [await looked(bench, node), await changed(bench, node), await loggedIn(bench, node)],
      { more: UNBOUNDED },
    ),
};

const me = (node: DataNode): string => `${node.gateway}/auth/me`;

async function looked(bench: Bench, node: DataNode): Promise<Figure> {
  const headers = await node.adminHeaders();
  return measureUrl(bench, {
    name: 'own-account look',
    url: me(node),
    request: () => Promise.resolve({ method: 'GET', headers, body: null }),
    connections: CONNECTIONS,
    seconds: SECONDS,
    expect: 200,
    target: atLeast(0.3),
  });
}

async function changed(bench: Bench, node: DataNode): Promise<Figure> {
  const json = { 'Content-Type': 'application/json' };
  const user = { ...(await node.adminHeaders()), ...json };
  const service = { ...(await node.headers()), ...json };
  const change: LoadRequest = { method: 'PATCH', headers: user, body: ['{"firstname":"', { kind: 'unique' }, '"}'] };
  const row = ['{"country":"DE","population":1,"name":"', { kind: 'unique' } as const, '"}'];
  const create: LoadRequest = { method: 'POST', headers: service, body: row };
  const load = (url: string, request: LoadRequest) => (seconds: number) =>
    runWrk({ url, request, connections: CONNECTIONS, threads: bench.options.threads, seconds });
  return besideOf(bench, {
    name: 'own-account change',
    note: 'ratio to creates of the same run',
    base: { run: load(`${node.gateway}/data/rest/place`, create), expect: 201 },
    work: { run: load(me(node), change), expect: 200 },
  });
}

interface Side {
  readonly run: (seconds: number) => Promise<LoadResult>;
  readonly expect: number;
}

interface Beside {
  readonly name: string;
  readonly note: string;
  readonly base: Side;
  readonly work: Side;
}

/** Alternating pairs of two loads; the side that goes first changes from pair to pair. */
async function besideOf({ options }: Bench, { name, note, base, work }: Beside): Promise<Figure> {
  const { pairs: count, seconds = SECONDS } = options;
  for (const { run } of [base, work]) await run(Math.min(seconds, WARM_SECONDS));
  const bases: LoadResult[] = [];
  const works: LoadResult[] = [];
  for (let i = 0; i < count; i++) {
    if (i % 2 === 1) works.push(await work.run(seconds));
    bases.push(await base.run(seconds));
    if (i % 2 === 0) works.push(await work.run(seconds));
  }
  const pairs: Pair[] = works.map(({ perSecond }, at) => ({ ceiling: bases[at]!.perSecond, value: perSecond }));
  return {
    name,
    unit: 'req/s',
    value: median(pairs.map(({ value }) => value)),
    ...mediansOf(works),
    ...busyOf(works),
    ceiling: median(pairs.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(pairs),
    pairs,
    errors: errorsOf(bases, base.expect) + errorsOf(works, work.expect),
    target: atLeast(0.8),
    note,
  };
}

const errorsOf = (results: readonly LoadResult[], expect: number): number =>
  results.reduce((sum, result) => sum + unexpected(result, expect), 0);

async function loggedIn(bench: Bench, node: DataNode): Promise<Figure> {
  const { Authorization: _, ...position } = await node.adminHeaders();
  const headers = { ...position, 'Content-Type': 'application/json' };
  const body = [JSON.stringify({ login: ADMIN.login, password: ADMIN.password })];
  const login: LoadRequest = { method: 'POST', headers, body };
  const url = `${node.gateway}/auth/login`;
  const { pairs: count, seconds = SECONDS } = bench.options;
  const pairs: Pair[] = [];
  const logins: LoadResult[] = [];
  for (let i = 0; i < count; i++) {
    const hashes = await hashesPerSecond(seconds);
    const asked = await runWrk({ url, request: login, connections: LOGINS, threads: 1, seconds });
    logins.push(asked);
    pairs.push({ ceiling: hashes, value: asked.perSecond });
  }
  return {
    name: 'own-account login',
    unit: 'req/s',
    value: median(pairs.map(({ value }) => value)),
    ...mediansOf(logins),
    ...busyOf(logins),
    ceiling: median(pairs.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(pairs),
    pairs,
    errors: errorsOf(logins, 200),
    target: atLeast(0.8),
    note: `ratio to argon2 hashes of the same parameters, ${LOGINS} at once in a process of their own`,
  };
}

async function hashesPerSecond(seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const line = async (): Promise<void> => {
    for (; performance.now() < end; done++) await hashPassword(ADMIN.password);
  };
  await Promise.all(Array.from({ length: LOGINS }, line));
  return done / seconds;
}
