/** What a tenant's administrators are told of its content: apps, their types with fields. Source: docs/contract/content.md §6.1. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMagazine } from '#test/kit/magazine.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';

let node: TestNode;
let boss: Headers;
let reader: Headers;

async function personOf(login: string, roles: readonly string[]): Promise<Headers> {
  await node.node.ask(TENANT, 'identity', 'user.ensure', { login, password: PASSWORD, roles });
  const { json } = await node.call('POST', '/auth/login', node.position(), { login, password: PASSWORD });
  return { ...node.position(), Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

const get = (path: string, headers: Headers = boss) => node.call('GET', `/content/-/${path}`, headers);
const codeOf = (json: unknown) => (json as { code: string }).code;

beforeAll(async () => {
  node = await startMagazine();
  boss = await personOf('boss@example.org', ['tenant_admin']);
  reader = await personOf('reader@example.org', ['tenant_user']);
});
afterAll(() => node.stop());

test('apps are listed with types, locales and whether previews can be made; no rule and no secret is', async () => {
  const { status, json, text } = await get('apps');
  expect([status, json]).toEqual([
    200,
    {
      apps: [
        {
          name: 'blog',
          active: true,
          faulty: false,
          contentstore: 'media',
          locale: { default: 'en', supported: ['en', 'fr', 'de'] },
          versioned: true,
          preview: true,
          types: [{ name: 'blog.post', entity: 'post', fields: 4 }],
          webhooks: [],
        },
        {
          name: 'plain',
          active: true,
          faulty: false,
          contentstore: null,
          locale: null,
          versioned: false,
          preview: false,
          types: [{ name: 'note', entity: 'note', fields: 1 }],
          webhooks: [],
        },
      ],
    },
  ]);
  expect(text).not.toMatch(/principal|preview-secret/);
});

test('a type is described by its fields, which say what differs from language to language', async () => {
  const { status, json } = await get('apps/blog/post');
  const { fields, ...type } = json as { fields: object[] };
  expect([status, type]).toEqual([200, { app: 'blog', name: 'blog.post', entity: 'post' }]);
  expect(fields).toEqual([
    {
      name: 'title',
      type: 'string',
      required: true,
      nullable: false,
      read_only: false,
      localized: true,
      max_length: 200,
    },
    { name: 'body', type: 'text', required: false, nullable: true, read_only: false, localized: true },
    {
      name: 'slug',
      type: 'string',
      required: false,
      nullable: true,
      read_only: false,
      localized: false,
      max_length: 100,
    },
    { name: 'stars', type: 'integer', required: false, nullable: true, read_only: false, localized: false, min: 0 },
  ]);
  expect((await get('apps/blog/blog.post')).status).toBe(200);
  expect(codeOf((await get('apps/blog/note')).json)).toBe('content.type_not_found');
  expect(codeOf((await get('apps/none/note')).json)).toBe('content.app_not_found');
});

test('administrators alone ask, whatever the rules of apps say', async () => {
  for (const path of ['apps', 'apps/blog/post']) {
    expect([path, (await get(path, node.position())).status]).toEqual([path, 401]);
    for (const headers of [reader, await node.service()])
      expect([path, codeOf((await get(path, headers)).json)]).toEqual([path, 'content.forbidden']);
  }
  expect(codeOf((await get('apps?limit=1')).json)).toBe('content.bad_query');
});

test('the paths shadow no app, and no app shadows them', async () => {
  const service = await node.service();
  expect(codeOf((await node.call('GET', '/content/-/posts', service)).json)).toBe('content.app_not_found');
  expect((await node.call('GET', '/content/blog/post', service)).status).toBe(200);
});
