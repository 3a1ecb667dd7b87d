/** Deliveries of content's webhooks as a tenant's administrators see them, and another try of one. Source: docs/contract/content.md §8.4. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

const PASSWORD = 'correct horse battery';

let node: TestNode;
let receiver: Receiver;
let dir: string;
let boss: Headers;
let reader: Headers;

const hooks = (port: number): string => `webhooks:
  - { name: site, url: "http://127.0.0.1:${port}/site?key=hidden", secret: "\${SKEP_TEST_WEBHOOK}" }
  - { name: asleep, url: "http://127.0.0.1:${port}/asleep", secret: "\${SKEP_TEST_WEBHOOK}", active: false }
`;

interface Delivery {
  readonly id: string;
  readonly webhook: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly documents: readonly string[];
}
interface Listed {
  readonly count: { readonly waiting: number; readonly logged: number };
  readonly deliveries: readonly Delivery[];
  readonly page: { readonly has_next_page: boolean; readonly end_cursor: string | null };
}

async function personOf(login: string, roles: readonly string[]): Promise<Headers> {
  await node.node.ask(TENANT, 'identity', 'user.ensure', { login, password: PASSWORD, roles });
  const { json } = await node.call('POST', '/auth/login', node.position(), { login, password: PASSWORD });
  return { ...node.position(), Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

const listed = async (query = ''): Promise<Listed> =>
  (await node.call('GET', `/content/-/deliveries${query}`, boss)).json;
const again = (id: string, headers = boss) => node.call('POST', `/content/-/deliveries/${id}/redeliver`, headers);
const make = async (title: string): Promise<string> => {
  const { json } = await node.call('POST', '/content/blog/post', await node.service(), { title });
  return (json as { document_id: string }).document_id;
};
const codeOf = (json: unknown) => (json as { code: string }).code;
const logged = (count: number) =>
  expect.poll(async () => (await listed()).count.logged, { timeout: 10_000 }).toBe(count);

beforeAll(async () => {
  receiver = await startReceiver();
  dir = mkdtempSync(join(tmpdir(), 'skep-hooks-'));
  node = await startMagazine({
    localdir: magazineWith(dir, hooks(receiver.port)),
    extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }`,
  });
  boss = await personOf('boss@example.org', ['tenant_admin']);
  reader = await personOf('reader@example.org', ['tenant_user']);
});
afterAll(async () => {
  await node.stop();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('webhooks are listed with the host of their receiver, and nothing else of its address', async () => {
  const { text, json } = await node.call('GET', '/content/-/apps', boss);
  const { apps } = json as { apps: { name: string; webhooks: object[] }[] };
  const host = `127.0.0.1:${receiver.port}`;
  expect(apps.find(({ name }) => name === 'blog')!.webhooks).toEqual([
    { name: 'site', host, events: [], active: true },
    { name: 'asleep', host, events: [], active: false },
  ]);
  expect(text).not.toMatch(/hidden|webhook-secret/);
});

test('what a receiver refused is listed with its answer, and sent again under its id', async () => {
  receiver.answer = (_received, response) => void response.writeHead(400).end();
  const id = await make('Bees');
  await logged(1);
  const { deliveries, page } = await listed('?outcome=refused');
  expect([deliveries, page]).toMatchObject([
    [
      {
        app: 'blog',
        webhook: 'site',
        event: 'AfterContentCreateSuccess',
        type: 'blog.post',
        documents: [id],
        documents_count: 1,
        outcome: 'refused',
        status: 400,
        attempts: 1,
      },
    ],
    { has_next_page: false, end_cursor: null },
  ]);
  receiver.answer = (_received, response) => void response.end();
  const [{ id: delivery }] = deliveries as [Delivery];
  const { status, json } = await again(delivery);
  expect([status, json]).toEqual([200, { id: delivery, redelivered: true }]);
  await expect
    .poll(async () => (await listed()).deliveries.map(({ outcome }) => outcome), { timeout: 10_000 })
    .toEqual(['delivered']);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery, delivery]);
});

test('a list goes on page by page, newest first', async () => {
  const ids = [await make('Two'), await make('Three')].toReversed();
  await logged(3);
  const seen: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const { deliveries, page }: Listed = await listed(`?limit=1&after=${after}`);
    seen.push(...deliveries.flatMap(({ documents }) => documents));
    after = page.end_cursor;
  }
  expect(seen.slice(0, 2)).toEqual(ids);
  expect(seen).toHaveLength(3);
});

test('administrators alone, and with words that have a meaning', async () => {
  const [{ id }] = (await listed()).deliveries as [Delivery];
  for (const headers of [reader, await node.service()])
    expect([codeOf((await again(id, headers)).json)]).toEqual(['content.forbidden']);
  expect(codeOf((await node.call('GET', '/content/-/deliveries', reader)).json)).toBe('content.forbidden');
  expect(codeOf((await again('01M8KF8DRS6RYV010GYMADHNZR')).json)).toBe('content.delivery_not_found');
  for (const query of ['?outcome=gone', '?after=x', '?limit=0', '?x=1'])
    expect([query, codeOf((await node.call('GET', `/content/-/deliveries${query}`, boss)).json)]).toEqual([
      query,
      'content.bad_query',
    ]);
});
