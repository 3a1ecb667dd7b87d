/**
 * What a plan's apply brings is met by every service from the same turn on, the tenant awake all the while: content stores and apps,
 * webhooks, BFF endpoints, sessions, seeds. Source: docs/contract/data-admin.md §3.3, `POST plans/{id}/apply`.
 */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { magazineDirectory, upload } from '#test/kit/magazine.ts';
import { Operators } from '#test/kit/operators.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, type Headers } from '#test/kit/test-node.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-plan-readers-'));
const product = join(dir, 'product');
const stores = join(product, 'content', 'stores', 'stores.yaml');
/** Nothing of what is edited here changes the schema: plans of no steps bring it. */
const DONE = { status: 'applied', steps_applied: 0 };
const anonymous = positionHeaders(TENANT);

let world: Operators;
let receiver: Receiver;
let service: Headers;

const endpoint = (program: string): void =>
  writeFileSync(
    join(product, 'bff', 'titles.yaml'),
    `name: titles
path: /titles
auth: service
cache: 1h
calls:
  posts: { service: content, path: /content/blog/post }
response: { language: jq, program: '${program}' }
`,
  );

beforeAll(async () => {
  receiver = await startReceiver();
  mkdirSync(product);
  cpSync(magazineDirectory, product, { recursive: true });
  mkdirSync(join(product, 'bff'));
  endpoint('[.calls.posts.data[].title]');
  world = await Operators.open({
    localdir: product,
    dir,
    extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }`,
  });
  service = await world.node.service();
}, 60_000);
afterAll(async () => {
  await world.node.stop();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function apply(): Promise<{ readonly status: string; readonly error?: string }> {
  const { status, json, text } = await world.send('admin', 'POST', 'admin/data/plans');
  expect(status, text).toBe(200);
  const body = { confirm_max_risk: 'high' };
  return (await world.send('superadmin', 'POST', `admin/data/plans/${json.plan_id}/apply`, body)).json;
}

const get = (path: string, headers = service) => world.node.call('GET', path, headers);
const statusOf = async (path: string, headers = service): Promise<number> => (await get(path, headers)).status;

/** A published document; the status of its creation, then of its publication. */
async function post(title: string): Promise<number> {
  const made = await world.node.call('POST', '/content/blog/blog.post', service, { title });
  const { id } = made.json as { id: string };
  return (await world.node.call('PATCH', `/content/blog/blog.post/${id}`, service, { status: 'published' })).status;
}

/** Whether a login opens a session, which its answer names. */
async function opensSession(): Promise<boolean> {
  const body = { login: 'user@example.org', password: 'correct horse battery' };
  const { status, json } = await world.node.call('POST', '/auth/login', anonymous, body);
  expect(status).toBe(200);
  return (json as { session_id?: string }).session_id !== undefined;
}

test(
  'stores, apps, webhooks, endpoints and sessions are the new ones with the answer of apply',
  { timeout: 60_000 },
  async () => {
    expect(await post('first')).toBe(200);
    const cached = await get('/bff/titles');
    expect([cached.status, cached.json, cached.headers.get('X-Cache')]).toEqual([200, ['first'], 'MISS']);
    expect((await get('/bff/titles')).headers.get('X-Cache')).toBe('HIT');
    const asset = await upload(`${world.node.gateway}/store/media/asset`, service, 'bytes', {
      fields: { credit: 'me' },
    });
    expect(asset.status).toBe(201);
    expect(await statusOf(`/store/media/asset/${asset.json.id}`, anonymous)).toBe(200);
    expect(await statusOf('/store/scans/asset')).toBe(404);
    expect(await statusOf('/content/leaf/note')).toBe(404);

    const rules = readFileSync(stores, 'utf8').replace(
      'readasset: { language: cel, rule: \'!("hidden" in row.tags) ||',
      "readasset: { language: cel, rule: '",
    );
    writeFileSync(
      stores,
      `${rules}  - { name: scans, type: native, access: { readasset: { language: cel, rule: 'true' } } }\n`,
    );
    const app = join(product, 'content', 'apps', 'blog', 'app.yaml');
    const hook = `  - { name: all, url: "http://127.0.0.1:${receiver.port}/all", secret: "\${SKEP_TEST_WEBHOOK}" }`;
    appendFileSync(app, `webhooks:\n${hook}\n`);
    mkdirSync(join(product, 'content', 'apps', 'leaf'));
    writeFileSync(join(product, 'content', 'apps', 'leaf', 'app.yaml'), 'name: leaf\ncontenttypes: [note]\n');
    endpoint('{ titles: [.calls.posts.data[].title] }');
    expect(await apply()).toMatchObject(DONE);

    expect(await statusOf(`/store/media/asset/${asset.json.id}`, anonymous)).toBe(401);
    expect(await statusOf(`/store/media/asset/${asset.json.id}`)).toBe(200);
    expect(await statusOf('/store/scans/asset')).toBe(200);
    expect(await statusOf('/content/leaf/note')).toBe(200);
    const anew = await get('/bff/titles');
    expect([anew.status, anew.json, anew.headers.get('X-Cache')]).toEqual([200, { titles: ['first'] }, 'MISS']);
    expect(await post('second')).toBe(200);
    await expect.poll(() => receiver.received.map(({ path }) => path), { timeout: 10_000 }).toEqual(['/all', '/all']);
  },
);

test('what is taken away is gone, and its webhooks watch nothing', { timeout: 60_000 }, async () => {
  const app = join(product, 'content', 'apps', 'blog', 'app.yaml');
  writeFileSync(app, readFileSync(app, 'utf8').replace(/webhooks:[^]*$/, ''));
  writeFileSync(stores, readFileSync(stores, 'utf8').replace(/ {2}- \{ name: scans[^]*$/, ''));
  rmSync(join(product, 'bff', 'titles.yaml'));
  receiver.received.length = 0;
  expect(await apply()).toMatchObject(DONE);
  expect(await statusOf('/store/scans/asset')).toBe(404);
  expect(await statusOf('/bff/titles')).toBe(404);
  expect(await post('third')).toBe(200);
  const activation = await world.node.node.ask(TENANT, 'content', 'hook.list', {});
  expect(activation).toMatchObject({ count: { waiting: 0 } });
  expect(receiver.received).toEqual([]);
});

test(
  'definitions that one service refuses are planned by no service and served by none',
  { timeout: 60_000 },
  async () => {
    const scans = "  - { name: scans, type: native, access: { readasset: { language: cel, rule: 'true' } } }\n";
    const { json: planned } = await world.send('admin', 'POST', 'admin/data/plans');
    appendFileSync(stores, scans);
    endpoint('[.calls.posts.data[].title | ascii_upcase]');
    const { status, json } = await world.send('admin', 'POST', 'admin/data/plans');
    expect([status, json.code, json.error]).toEqual([
      422,
      'v2.definitions_invalid',
      expect.stringContaining('titles.yaml:7:'),
    ]);
    // A plan of before, whose checkout became faulty: told in the result, and nothing of it is served.
    const path = `admin/data/plans/${planned.plan_id}/apply`;
    const late = await world.send('superadmin', 'POST', path, { confirm_max_risk: 'high' });
    expect(late.json).toMatchObject({ status: 'failed', error: expect.stringContaining('titles.yaml:7:') });
    expect(await statusOf('/store/scans/asset')).toBe(404);
    expect(await statusOf('/bff/titles')).toBe(404);
    endpoint('[.calls.posts.data[].title]');
    expect(await apply()).toMatchObject(DONE);
    expect(await statusOf('/store/scans/asset')).toBe(200);
    expect((await get('/bff/titles')).json).toContain('first');
  },
);

test('logins open sessions from the apply on that says so', { timeout: 60_000 }, async () => {
  expect(await opensSession()).toBe(false);
  appendFileSync(join(product, 'product.yaml'), 'sessions: { mode: managed }\n');
  expect(await apply()).toMatchObject(DONE);
  expect(await opensSession()).toBe(true);
});
