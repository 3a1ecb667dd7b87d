/**
 * A tenant that its operators have suspended or made read-only, on every service that knows tenants, and its neighbour beside it.
 * Contract: docs/contract/tenants.md §1.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Standing } from '#actors/protocol/standing.ts';
import { runVerb } from '#runtime/control-verbs.ts';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import { upload } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { Headers } from '#test/kit/test-node.ts';

const FILES = {
  items: `
name: items
path: /items
auth: service
calls: { items: { service: data, path: /data/rest/item } }
response: { language: jq, program: "{ items: [.calls.items.data[] | {name}] }" }
`,
  sneak: `
name: sneak
path: /sneak
auth: service
method: POST
calls: { made: { service: data, method: POST, path: /data/rest/item, body: { name: "{{body.name}}" } } }
response: { language: jq, program: "{ made: .calls.made.data[0].name }" }
`,
};
const LOG = (tenant: string): string => `/audit/logs/${encodeURIComponent(`tenant/${tenant.replaceAll(':', '/')}`)}`;
const PLANE = 'acme:shop:dev:superadmin';
const PERSON = { login: 'ada@example.org', password: 'correct horse battery' };

let node: BffNode;
let bearer: Headers;
let neighbour: Headers;
let operator: Headers;
let item: string;
let asset: string;
let unique = 0;

const stand = (standing: Standing | null, tenant = TENANT, reason: string | null = null) =>
  runVerb(node.node, 'tenant.stand', { key: tenant, standing, reason });
/** The tenants that are awake, as a superadmin of their plane sees them. */
const awake = async (): Promise<readonly string[]> =>
  ((await node.call('GET', '/data/superadmin/tenant', operator)).json as { tenants: string[] }).tenants;

beforeAll(async () => {
  node = await startBff(FILES, { extra: 'audit: { enabled: true, name: audit.example }\n' });
  bearer = await node.service();
  const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
  const { key } = (await node.node.ask(OTHER_TENANT, 'identity', 'key.issue', wish)) as { key: string };
  const position = node.position(OTHER_TENANT);
  const exchanged = await node.call('POST', '/auth/token', { ...position, Authorization: `ApiKey ${key}` });
  neighbour = { ...position, Authorization: `Bearer ${(exchanged.json as { token: string }).token}` };
  for (const tenant of [TENANT, OTHER_TENANT])
    await node.node.ask(tenant, 'identity', 'user.ensure', { ...PERSON, roles: ['tenant_user', 'tenant_admin'] });
  await node.node.bootstrap({ tenant: PLANE, scope: null, person: null });
  await node.node.ask(PLANE, 'identity', 'user.ensure', { ...PERSON, roles: ['superadmin'] });
  const { json } = await node.call('POST', '/auth/login', node.position(PLANE), PERSON);
  operator = { ...node.position(PLANE), Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
  const made = await node.call('POST', '/data/rest/item', bearer, { name: 'first' });
  item = (made.json as { data: { id: string }[] }).data[0]!.id;
  asset = (await upload(`${node.gateway}/store/media/asset`, bearer, 'hello')).json.id as string;
});
afterAll(() => node.stop());
beforeEach(async () => void (await stand(null)));

interface Call {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: () => unknown;
  /** Its status while the tenant serves. */
  readonly status: number;
  readonly anonymous?: true;
}

const READS: readonly Call[] = [
  { what: 'data: list', method: 'GET', path: '/data/rest/item', status: 200 },
  { what: 'data: search', method: 'POST', path: '/data/rest/item/search', body: () => ({}), status: 200 },
  {
    what: 'data: GraphQL query',
    method: 'POST',
    path: '/data/graphql',
    body: () => ({ query: '{ item { edges { node { name } } } }' }),
    status: 200,
  },
  { what: 'content: assets', method: 'GET', path: '/store/media/asset', status: 200 },
  { what: 'content: posts', method: 'GET', path: '/content/blog/blog.post', status: 200 },
  { what: 'BFF', method: 'GET', path: '/bff/items', status: 200 },
  { what: 'BFF: list', method: 'GET', path: '/bff/list', status: 200 },
  { what: 'identity: login', method: 'POST', path: '/auth/login', body: () => PERSON, status: 200, anonymous: true },
];
const WRITES: readonly Call[] = [
  { what: 'data: create', method: 'POST', path: '/data/rest/item', body: named, status: 201 },
  {
    what: 'data: GraphQL mutation',
    method: 'POST',
    path: '/data/graphql',
    body: () => ({ query: `mutation { create_item(data: { name: "n${++unique}" }) { name } }` }),
    status: 200,
  },
  {
    what: 'data: operations',
    method: 'POST',
    path: '/data/rest',
    body: () => ({ operations: [{ data: { item: named() } }] }),
    status: 200,
  },
  {
    what: 'content: post',
    method: 'POST',
    path: '/content/blog/blog.post',
    body: () => ({ title: `t${++unique}` }),
    status: 201,
  },
  { what: 'BFF: write', method: 'POST', path: '/bff/sneak', body: named, status: 200 },
  {
    // A key of a service makes no key: it is refused for that when the tenant serves.
    what: 'identity: key',
    method: 'POST',
    path: '/auth/apikey',
    body: () => ({ capabilities: { scope: ['acme:dev:shop:main'] } }),
    status: 403,
  },
];

function named(): { name: string } {
  return { name: `n${++unique}` };
}

/** Status and code; '' where there is none. */
async function made({ method, path, body, anonymous }: Call, headers: Headers = bearer) {
  const position = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'Authorization'));
  const { status, json } = await node.call(method, path, anonymous === true ? position : headers, body?.());
  return [status, (json as { code?: string } | undefined)?.code ?? ''] as const;
}

async function served(call: Call): Promise<void> {
  const [status, code] = await made(call);
  expect([status, code.startsWith('tenant_')], call.what).toEqual([call.status, false]);
}

const rows = async (): Promise<number> =>
  ((await node.call('GET', '/data/rest/item?limit=1000', bearer)).json as { data: unknown[] }).data.length;

describe('a suspended tenant', () => {
  test.each([...READS, ...WRITES])('$what: refused, resumed, and its neighbour served', async (call) => {
    await stand('suspended');
    expect(await made(call)).toEqual([403, 'tenant_suspended']);
    expect((await made(call, neighbour))[1], 'the neighbour').not.toMatch(/^tenant_/);
    await stand(null);
    await served(call);
  });

  test('its credentials open no audit log, its auditors’ log keeps what was recorded', async () => {
    const { json } = await node.call('POST', '/auth/login', node.position(), PERSON);
    const admin = { Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    const read = async () => node.call('GET', `${LOG(TENANT)}/records`, admin);
    await expect.poll(async () => (await read()).status).toBe(200);
    await stand('suspended');
    expect([(await read()).status, ((await read()).json as { code: string }).code]).toEqual([403, 'tenant_suspended']);
    const record = { action: 'a.b', target: 't' };
    const appended = await node.call('POST', `${LOG(TENANT)}/records`, bearer, { ...record, actor: 'x' });
    expect([appended.status, (appended.json as { code: string }).code]).toEqual([403, 'tenant_suspended']);
    await stand(null);
    expect((await read()).status).toBe(200);
  });

  test('is not woken, sleeps, and its operators still act on it', async () => {
    await made(READS[0]!);
    expect(await awake()).toContain(TENANT);
    await stand('suspended', TENANT, 'billing');
    await expect.poll(awake, { timeout: 20_000 }).not.toContain(TENANT);
    for (const call of READS) await made(call);
    expect(await awake()).not.toContain(TENANT);
    const keys = (await runVerb(node.node, 'key.list', { tenant: TENANT })) as unknown[];
    expect(keys.length).toBeGreaterThan(0);
    const listed = (await runVerb(node.node, 'tenant.list', null)) as {
      position: { key: string };
      standing?: string;
      reason?: string;
    }[];
    expect(listed.find(({ position }) => position.key === TENANT)).toMatchObject({
      standing: 'suspended',
      reason: 'billing',
    });
    expect(listed.find(({ position }) => position.key === OTHER_TENANT)!.standing).toBeUndefined();
  });

  test('an unknown tenant, a plane and a reason over two lines are refused in words', async () => {
    await expect(stand('suspended', 'acme:shop:dev:absent')).rejects.toThrow(
      'no tenant acme:shop:dev:absent in the registry',
    );
    await expect(stand('suspended', PLANE)).rejects.toThrow('only tenants are suspended');
    await expect(stand('suspended', TENANT, 'a\nb')).rejects.toThrow('one line');
  });
});

describe('a read-only tenant', () => {
  test.each(READS)('$what: answered as before', async (call) => {
    await stand('read-only');
    expect((await made(call))[0]).toBe(call.status);
  });

  test.each(WRITES)('$what: refused, nothing kept, resumed', async (call) => {
    const before = await rows();
    await stand('read-only');
    expect(await made(call)).toEqual([403, 'tenant_read_only']);
    expect(await rows()).toBe(before);
    expect((await made(call, neighbour))[1], 'the neighbour').not.toMatch(/^tenant_/);
    await stand(null);
    await served(call);
  });

  test('neither a row nor an asset is changed or deleted, and no file is taken', async () => {
    await stand('read-only');
    const tries = [
      ['PATCH', `/data/rest/item/id/${item}`, { name: 'other' }],
      ['DELETE', `/data/rest/item/id/${item}`],
      ['PATCH', `/store/media/asset/${asset}`, { alt: 'x' }],
      ['DELETE', `/store/media/asset/${asset}`],
      ['POST', '/data/admin/data/seeds/runs', {}],
    ] as const;
    for (const [method, path, body] of tries) {
      const { status, json } = await node.call(method, path, bearer, body);
      expect([path, status, (json as { code: string }).code]).toEqual([path, 403, 'tenant_read_only']);
    }
    const { status, json } = await upload(`${node.gateway}/store/media/asset`, bearer, 'more');
    expect([status, json.code]).toEqual([403, 'tenant_read_only']);
    expect((await node.call('GET', `/store/media/asset/${asset}/download`, bearer)).text).toBe('hello');
  });

  test('users log in, renew and end their sessions; operators change what they want', async () => {
    await stand('read-only');
    const login = await node.call('POST', '/auth/login', node.position(), PERSON);
    const { access_token, refresh_token } = login.json as { access_token: string; refresh_token: string };
    expect(login.status).toBe(200);
    const renewed = await node.call('POST', '/auth/refresh', node.position(), { refresh_token });
    expect(renewed.status).toBe(200);
    const session = { ...node.position(), Authorization: `Bearer ${access_token}` };
    expect((await node.call('POST', '/internal/session/list', session, {})).status).toBe(200);
    const again = (renewed.json as { refresh_token: string }).refresh_token;
    expect((await node.call('POST', '/auth/logout', node.position(), { refresh_token: again })).status).toBe(200);
    const exchanged = await node.call('POST', '/auth/token', {
      ...node.position(),
      Authorization: `ApiKey ${node.serviceKey}`,
    });
    expect(exchanged.status).toBe(200);
    const issued = await runVerb(node.node, 'user.add', {
      tenant: TENANT,
      email: 'bob@example.org',
      password: PERSON.password,
      roles: [],
    });
    expect(issued).toMatchObject({ created: true });
  });
});

test('each act is in the log of the node', async () => {
  await stand('suspended', TENANT, 'billing');
  await stand('read-only', TENANT);
  await stand(null);
  const { platform } = node;
  const { skep } = await import('#test/runtime/cli/recorder.ts');
  const actions = async (): Promise<string> =>
    (await skep(`audit query ${platform.audit.base_dir}/node/platform --limit 1000 --output json`)).out;
  for (const action of ['suspend', 'read_only', 'resume'])
    await expect.poll(actions, { timeout: 20_000 }).toContain(`platform.tenant.${action}`);
  expect(await actions()).toContain('billing');
});
