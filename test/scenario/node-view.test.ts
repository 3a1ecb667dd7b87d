/** What the node shows of itself over HTTP, and to whom. Spec: docs/contract/node.md. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { nodeViewRoutes } from '#actors/identity/node-view/routes.ts';
import { ACCESS_COOKIE_NAME } from '#actors/protocol/cookies.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import type { NodeBuckets, NodeConfiguration, NodeHealth, NodeLoad, NodeSlow } from '#actors/protocol/node-view.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, untilWhole } from '#test/kit/test-node.ts';
import type { Answer, Headers, TestNode } from '#test/kit/test-node.ts';

const PLANE = 'acme:shop:dev:superadmin';
const PASSWORD = 'correct horse battery';
const LOGIN = 'root@example.org';
const HOSTS = 2;
const PATHS = Object.values(nodeViewRoutes).map(({ path }) => path);

let it: TestNode;
const bearers = new Map<string, Headers>();
const ask = (tenant: string, verb: string, body: unknown): Promise<unknown> =>
  it.node.ask(tenant, 'identity', verb, body);

beforeAll(async () => {
  it = await startTestNode({
    hosts: HOSTS,
    rates: '  auth_login: off\n  auth_token: { burst: 2, per_second: 0.001 }\n',
    extra: 'audit: { enabled: true }',
  });
  await it.node.bootstrap({ tenant: PLANE, scope: null, person: null });
  for (const place of [CONTROL_PLANE, PLANE, TENANT]) {
    await ask(place, 'person.ensure', { email: LOGIN, password: PASSWORD, roles: ['superadmin', 'tenant_admin'] });
    bearers.set(place, await bearerOf(place, LOGIN));
  }
}, 60_000);
afterAll(() => it.stop());

async function bearerOf(place: string, login: string): Promise<Headers> {
  const { json, text, status } = await it.call('POST', '/auth/login', positionHeaders(place), {
    login,
    password: PASSWORD,
  });
  expect(status, text).toBe(200);
  return { Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

async function keyOf(place: string, capabilities: object): Promise<Headers> {
  const { key } = (await ask(place, 'key.issue', { capabilities })) as { key: string };
  return { Authorization: `ApiKey ${key}` };
}

const root = (): Headers => ({ ...positionHeaders(CONTROL_PLANE), ...bearers.get(CONTROL_PLANE)! });
const codeOf = ({ status, json }: Answer): [number, string | undefined] => [
  status,
  (json as { code?: string } | undefined)?.code,
];

async function show<T>(path: string): Promise<T> {
  const { json, text, status, headers } = await it.call('GET', path, root());
  expect(status, text).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  return json;
}

describe('callers', () => {
  const at = positionHeaders(CONTROL_PLANE);
  const CALLERS: Readonly<Record<string, () => Promise<readonly [Headers, readonly [number, string]]>>> = {
    'no credential': async () => [at, [401, 'auth_required']],
    'a cookie of a site': async () => [
      { ...at, Cookie: `${ACCESS_COOKIE_NAME}=${bearers.get(CONTROL_PLANE)!['Authorization']!.slice(7)}` },
      [401, 'auth_required'],
    ],
    'the control plane’s superadmin without a position': async () => [bearers.get(CONTROL_PLANE)!, [400, 'no_tenant']],
    'the same at a tenant': async () => [
      { ...positionHeaders(TENANT), ...bearers.get(CONTROL_PLANE)! },
      [401, 'invalid_token'],
    ],
    'a tenant’s superadmin': async () => [
      { ...positionHeaders(TENANT), ...bearers.get(TENANT)! },
      [403, 'requires_superadmin'],
    ],
    'a tenant’s superadmin at the control plane': async () => [
      { ...at, ...bearers.get(TENANT)! },
      [401, 'invalid_token'],
    ],
    'an operator plane’s superadmin': async () => [
      { ...positionHeaders(PLANE), ...bearers.get(PLANE)! },
      [403, 'requires_superadmin'],
    ],
    'a user of the control plane with every role but that one': async () => {
      const roles = ['platform_admin', 'tenant_admin', 'impersonate'];
      await ask(CONTROL_PLANE, 'person.ensure', { email: 'other@example.org', password: PASSWORD, roles });
      return [{ ...at, ...(await bearerOf(CONTROL_PLANE, 'other@example.org')) }, [403, 'requires_superadmin']];
    },
    'a tenant’s key': async () => [
      { ...positionHeaders(TENANT), ...(await keyOf(TENANT, { is_superadmin: true })) },
      [401, 'auth_required'],
    ],
    'a key of the control plane that may do everything': async () => [
      { ...at, ...(await keyOf(CONTROL_PLANE, { roles: ['superadmin'], is_superadmin: true })) },
      [401, 'auth_required'],
    ],
    'a service token over every tenant': async () => {
      const key = await keyOf(CONTROL_PLANE, { scope: ['*:*:*:*'] });
      const { json } = await it.call('POST', '/auth/token', { ...at, ...key });
      const bearer = { Authorization: `Bearer ${(json as { token: string }).token}` };
      return [{ ...at, ...bearer }, [403, 'requires_superadmin']];
    },
    'an impersonation of a tenant’s superadmin': async () => {
      await ask(PLANE, 'person.ensure', { email: 'op@example.org', password: PASSWORD, roles: ['impersonate'] });
      const { id } = (await ask(PLANE, 'operator.find', { operator: 'op@example.org' })) as { id: string };
      const grant = { operator: id, tenant: TENANT, granted_by: 'test', for_ms: 3_600_000 };
      await ask(CONTROL_PLANE, 'grant.put', grant);
      await ask(TENANT, 'user.set', { user: LOGIN, allow_impersonation: true });
      const operator = { ...positionHeaders(PLANE), ...(await bearerOf(PLANE, 'op@example.org')) };
      const wish = { tenant: TENANT, user: LOGIN, reason: 'a test', mode: 'full' };
      const { json, text, status } = await it.call('POST', '/superadmin/impersonate', operator, wish);
      expect(status, text).toBe(200);
      const bearer = { Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
      return [{ ...positionHeaders(TENANT), ...bearer }, [403, 'requires_superadmin']];
    },
  };

  test.each(Object.keys(CALLERS))('%s sees nothing', async (name) => {
    const [headers, refused] = await CALLERS[name]!();
    for (const path of PATHS) {
      const answer = await it.call('GET', path, headers);
      expect([path, ...codeOf(answer)]).toEqual([path, ...refused]);
      expect(Object.keys(answer.json)).not.toContain('threads');
    }
  });

  test('the control plane’s superadmin sees each, from every page of which no answer can be read', async () => {
    for (const path of PATHS) {
      const answer = await it.call('GET', path, { ...root(), Origin: 'https://elsewhere.example' });
      expect([path, answer.status]).toEqual([path, 200]);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('nothing is changed by any verb', async () => {
    for (const path of PATHS)
      for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expect((await it.call(verb, path, root())).status, `${verb} ${path}`).toBe(405);
  });

  test('each look is on record in the control plane’s log, refused ones where they were asked', async () => {
    const outside = { ...positionHeaders(TENANT), ...bearers.get(TENANT)! };
    const outcomes = async (who: Headers, log: string, action: string): Promise<readonly string[]> => {
      const path = `/audit/logs/${encodeURIComponent(log)}/records?limit=500&action=${action}`;
      const { records } = (await it.call('GET', path, who)).json as { records: { outcome: string; actor: string }[] };
      expect(records.every(({ actor }) => actor !== '')).toBe(true);
      return records.map(({ outcome }) => outcome);
    };
    for (const path of PATHS) {
      await it.call('GET', path, root());
      await it.call('GET', path, outside);
      const action = `auth.node_${path.split('/').at(-1)}.after`;
      const control = `tenant/${CONTROL_PLANE.replaceAll(':', '/')}`;
      const tenant = `tenant/${TENANT.replaceAll(':', '/')}`;
      await expect.poll(() => outcomes(root(), control, action), { timeout: 10_000 }).toContain('ok');
      await expect.poll(() => outcomes(outside, tenant, action), { timeout: 10_000 }).toContain('requires_superadmin');
    }
  });
});

describe('health', () => {
  const health = (): Promise<NodeHealth> => show('/superadmin/node/health');

  test('a whole node: every thread serves, the hosts share all shards out', async () => {
    await untilWhole(it.node);
    const { ready, reasons, threads, hosts, disk, degraded, degraded_more, journal_copy, started_at } = await health();
    expect({ ready, reasons, degraded, degraded_more, journal_copy }).toEqual({
      ready: true,
      reasons: [],
      degraded: [],
      degraded_more: 0,
      journal_copy: null,
    });
    const names = threads.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['host-0', 'host-1', 'intake-writer', 'audit-sealer']));
    for (const { state, since, restarts } of threads) {
      expect([state, restarts]).toEqual(['serving', 0]);
      expect(Date.parse(since!)).toBeGreaterThanOrEqual(Date.parse(started_at));
    }
    expect(hosts.map(({ name }) => name)).toEqual(['host-0', 'host-1']);
    const shards = hosts.flatMap((host) => host.shards).sort((a, b) => a - b);
    expect(shards).toEqual(Array.from({ length: shards.length }, (_, no) => no));
    expect(disk.free_bytes).toBeGreaterThan(0);
    await expect.poll(async () => (await health()).hosts.every(({ journal_bytes }) => journal_bytes > 0)).toBe(true);
  });

  test('a host that died is counted, with the time at which its place was taken again', async () => {
    const before = (await health()).threads.find(({ name }) => name === 'host-1')!;
    await it.node.drill.killHost(1);
    await expect
      .poll(async () => (await health()).threads.find(({ name }) => name === 'host-1'), { timeout: 20_000 })
      .toMatchObject({ state: 'serving', restarts: 1 });
    const { threads } = await health();
    expect(threads.filter(({ restarts }) => restarts > 0).map(({ name }) => name)).toEqual(['host-1']);
    const after = threads.find(({ name }) => name === 'host-1')!;
    expect(Date.parse(after.since!)).toBeGreaterThan(Date.parse(before.since!));
    await untilWhole(it.node);
  });
});

describe('configuration', () => {
  const page = (query = ''): Promise<NodeConfiguration> => show(`/superadmin/node/configuration${query}`);

  test('settings, pages and sources; no secret, and of tenants the number alone', async () => {
    const whole = await page('?limit=500');
    expect(whole).toMatchObject({ file: join(it.dir, 'platform.yaml'), tenants: 3, next: null });
    expect(whole.settings).toContainEqual({
      key: 'hosts',
      value: HOSTS,
      secret: false,
      set: true,
      source: 'file',
      from: 'line 1',
    });
    expect(whole.settings).toContainEqual({
      key: 'bootstrap.token',
      value: null,
      secret: true,
      set: true,
      source: 'file',
      from: expect.stringMatching(/^line \d+$/),
    });
    expect(whole.settings.some(({ source }) => source === 'default')).toBe(true);
    expect(JSON.stringify(whole)).not.toContain('bootstrap-secret');
    const paged: NodeConfiguration['settings'][number][] = [];
    let after: string | null = null;
    do {
      const { settings, next }: NodeConfiguration = await page(`?limit=7${after === null ? '' : `&after=${after}`}`);
      expect(settings.length).toBeLessThanOrEqual(7);
      paged.push(...settings);
      after = next;
    } while (after !== null);
    expect(paged).toEqual(whole.settings);
  });
});

describe('rate buckets', () => {
  test('profiles with their source and routes; who was refused most is told by tenant, and no caller is named', async () => {
    const buckets = async () => (await show<NodeBuckets>('/superadmin/node/buckets')).profiles;
    const of = (profiles: NodeBuckets['profiles'], name: string) => profiles.find(({ profile }) => profile === name)!;
    const before = of(await buckets(), 'auth_token');
    for (let i = 0; i < 3; i++) await it.call('POST', '/auth/token', positionHeaders(TENANT));
    const answer = await it.call('POST', '/auth/token', positionHeaders(OTHER_TENANT));
    expect(answer.status).not.toBe(429);
    const profiles = await buckets();
    const token = of(profiles, 'auth_token');
    expect(token).toMatchObject({
      off: false,
      burst: 2,
      per_second: 0.001,
      source: 'file',
      from: expect.stringMatching(/^line \d+$/),
      overflowed: 0,
    });
    expect(token.routes).toContain('POST /auth/token');
    expect(token.refused).toBeGreaterThan(before.refused);
    expect(token.tenants[0]).toMatchObject({ tenant: TENANT, over: 0 });
    expect(token.tenants.map(({ tenant }) => tenant)).not.toContain(OTHER_TENANT);
    expect(token.callers).toBeGreaterThanOrEqual(2);
    expect(of(profiles, 'auth_login')).toMatchObject({ off: true, burst: null, per_second: null, refused: 0 });
    expect(of(profiles, 'auth_admin')).toMatchObject({ burst: limits.rates.auth_admin.burst, source: 'default' });
    expect(of(profiles, 'auth_admin').routes).toContain('GET /superadmin/node/buckets');
    expect(of(profiles, 'intake_ip').routes).not.toEqual([]);
    const refused = profiles.map((profile) => profile.refused);
    expect(refused).toEqual(refused.toSorted((a, b) => b - a));
    expect(JSON.stringify(profiles)).not.toContain('127.0.0.1');
  });
});

describe('tenants', () => {
  interface Shown {
    readonly key: string;
    readonly revision: string | null;
    readonly host: string | null;
    readonly shard: number;
  }
  interface Page {
    readonly tenants: readonly Shown[];
    readonly next: string | null;
  }
  const page = (query = ''): Promise<Page> => show(`/superadmin/node/tenants${query}`);

  test('those of the registry by key, with state, place and revision; a part of the key finds them', async () => {
    const { tenants, next } = await page();
    expect(next).toBeNull();
    expect(tenants.map(({ key }) => key)).toEqual([OTHER_TENANT, PLANE, TENANT].toSorted());
    expect(tenants.find(({ key }) => key === TENANT)).toEqual({
      key: TENANT,
      customer: 'acme',
      product: 'shop',
      env: 'dev',
      tenant: 'main',
      state: 'active',
      standing: 'serving',
      product_source: expect.stringMatching(/shop$/),
      created_at: expect.stringMatching(/^2\d{3}-/),
      shard: expect.any(Number),
      host: expect.stringMatching(/^host-[01]$/),
      revision: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(tenants.find(({ key }) => key === PLANE)).toMatchObject({ product_source: null, revision: null });
    expect((await page('?q=DEV:MAI')).tenants.map(({ key }) => key)).toEqual([TENANT]);
    expect(await page('?q=none')).toEqual({ tenants: [], next: null });
    const { hosts } = await show<NodeHealth>('/superadmin/node/health');
    for (const { host, shard } of tenants) expect(hosts.find(({ shards }) => shards.includes(shard))?.name).toBe(host);
  });

  test('page by page they are the same', async () => {
    const whole = (await page()).tenants.map(({ key }) => key);
    const paged: string[] = [];
    let after: string | null = null;
    do {
      const { tenants, next }: Page = await page(`?limit=1${after === null ? '' : `&after=${after}`}`);
      paged.push(...tenants.map(({ key }) => key));
      after = next;
    } while (after !== null);
    expect(paged).toEqual(whole);
  });

  test('a tenant says how it stands', async () => {
    const wish = { key: OTHER_TENANT, standing: 'read-only', reason: 'a test' } as const;
    await it.node.stand(wish);
    expect((await page(`?q=${OTHER_TENANT}`)).tenants).toMatchObject([{ state: 'active', standing: 'read-only' }]);
    await it.node.stand({ ...wish, standing: null });
  });
});

describe('load and slow requests', () => {
  const asMain = (): Headers => ({ ...positionHeaders(TENANT), ...bearers.get(TENANT)! });

  test('requests are counted by tenant, route and status, those of the door too', async () => {
    const figuresOf = async () => {
      const load = await show<NodeLoad>('/superadmin/node/load');
      const tenant = load.tenants.find((row) => row.tenant === TENANT)!;
      const route = load.routes.find((row) => row.route === 'GET /data/rest/{entity}');
      const missing = load.statuses.find(({ status }) => status === 404);
      return { tenant, route: route?.requests ?? 0, missing: missing?.by_door ?? 0, more: load.routes_more.requests };
    };
    const before = await figuresOf();
    for (let i = 0; i < 5; i++) await it.call('GET', '/data/rest/item?secret=hunter2', asMain());
    for (let i = 0; i < 3; i++) await it.call('GET', '/nowhere/hunter2', asMain());
    const after = await figuresOf();
    expect(after.route - before.route).toBe(5);
    expect(after.tenant.requests - before.tenant.requests).toBeGreaterThanOrEqual(5);
    expect([after.missing - before.missing, after.more - before.more]).toEqual([3, 3]);
    const { rates, minutes } = await show<NodeLoad>('/superadmin/node/load?minutes=2&limit=1');
    expect(minutes).toBe(2);
    expect(rates.map(({ profile }) => profile)).toContain('auth_admin');
  });

  test('a slow request is told by its declared route, with its id, and nothing of what its caller sent', async () => {
    const wrong = { login: 'hunter2@example.org', password: 'hunter2 hunter2' };
    // Many at once take longer than the single logins before, which may have all places of their route in this minute.
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { headers } = await it.call('POST', '/auth/login?hunter2=1', positionHeaders(TENANT), wrong);
        return headers.get('x-request-id');
      }),
    );
    const { requests } = await show<NodeSlow>('/superadmin/node/slow');
    expect(requests.find(({ request_id }) => ids.includes(request_id))).toMatchObject({
      status: 401,
      method: 'POST',
      route: '/auth/login',
      service: 'identity',
      tenant: TENANT,
      by_door: false,
    });
    const times = requests.map(({ ms }) => ms);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const [slowest, ...more] = (await show<NodeSlow>('/superadmin/node/slow?limit=1')).requests;
    expect(more).toEqual([]);
    expect(slowest!.ms).toBeGreaterThanOrEqual(times[0]!);
  });

  test('neither shows what callers sent', async () => {
    for (const path of PATHS) expect((await it.call('GET', path, root())).text).not.toContain('hunter2');
  });

  test.each([
    ['tenants', 'limit=201'],
    ['tenants', `q=${'x'.repeat(257)}`],
    ['tenants', 'state=active'],
    ['load', 'minutes=0'],
    ['load', `minutes=${limits.nodeView.keptMinutes + 1}`],
    ['load', 'limit=101'],
    ['slow', 'limit=-1'],
    ['slow', 'tenant=x'],
    ['configuration', 'limit=501'],
    ['configuration', `after=${'x'.repeat(513)}`],
  ])('%s?%s is refused', async (name, query) => {
    expect(codeOf(await it.call('GET', `/superadmin/node/${name}?${query}`, root()))).toEqual([400, 'bad_request']);
  });
});
