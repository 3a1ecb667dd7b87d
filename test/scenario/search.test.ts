/** Searches by words over HTTP to a real node: docs/contract/data.md §5.12. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'articles' });
const PASSWORD = 'correct horse battery';
const as = {} as Record<'ada' | 'bob', Headers>;
const id = {} as Record<'ada' | 'bob', string>;

interface Found {
  readonly data: readonly { readonly id: string }[];
  readonly total?: number;
  readonly highlights?: readonly object[];
}

const search = (entity: string, body: object, headers?: Headers, query = ''): Promise<Answer> =>
  on.ask('POST', `rest/${entity}/search${query}`, body, headers);

async function found(entity: string, body: object, headers?: Headers, query = ''): Promise<Found> {
  const answer = await search(entity, body, headers, query);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}
const idsOf = async (...asked: Parameters<typeof found>): Promise<string[]> =>
  (await found(...asked)).data.map((row) => row.id);

beforeAll(async () => {
  for (const name of ['ada', 'bob'] as const) {
    const email = `${name}@example.org`;
    const person = { email, password: PASSWORD, roles: ['tenant_user'], replace: true };
    await on.it.node.ask(TENANT, 'identity', 'person.ensure', person);
    const answer = await on.it.call('POST', '/auth/login', on.it.position(), { login: email, password: PASSWORD });
    const { access_token: token } = answer.json as { access_token: string };
    as[name] = { ...on.it.position(), Authorization: `Bearer ${token}` };
    id[name] = ((await on.it.call('GET', '/auth/me', as[name])).json as { id: string }).id;
  }
  const articles = [
    { id: 'dogs', title: 'The lazy dog', body: 'A dog sleeps & dreams of <b>running</b>.' },
    { id: 'foxes', title: 'Foxes', body: 'Quick foxes run over lazy dogs.' },
    { id: 'secret', title: 'Plans of a merger', body: 'lazy dogs', draft: true },
  ];
  const made = await on.ask('POST', 'rest/article', articles, as.ada);
  expect([made.status, made.text]).toEqual([201, made.text]);
});

describe('searches', () => {
  test('find by stems, beginnings and phrases, in the commit of each write', async () => {
    expect((await idsOf('article', { query: 'RUNNING dogs' }, as.bob)).toSorted()).toEqual(['dogs', 'foxes']);
    expect(await idsOf('article', { query: '"lazy dogs"' }, as.bob, '?orderby=id')).toEqual(['dogs', 'foxes']);
    expect(await idsOf('article', { query: '"dogs lazy"' }, as.bob)).toEqual([]);
    expect(await idsOf('article', { query: 'drea*' }, as.bob)).toEqual(['dogs']);
    expect((await on.ask('PATCH', 'rest/article/id/dogs', { body: 'A dog sleeps.' }, as.bob)).status).toBe(200);
    expect(await idsOf('article', { query: 'drea*' }, as.bob)).toEqual([]);
    expect((await on.ask('DELETE', 'rest/article/id/dogs', undefined, as.bob)).status).toBe(200);
    expect(await idsOf('article', { query: 'sleep' }, as.bob)).toEqual([]);
    expect((await on.ask('POST', 'rest/article/id/dogs/restore', undefined, as.bob)).status).toBe(200);
    expect(await idsOf('article', { query: 'sleep' }, as.bob)).toEqual(['dogs']);
  });

  test('rank by what the words of all rows weigh, and page by offset', async () => {
    const recipes = [
      ...Array.from({ length: 30 }, (_, no) => ({ id: `r${no}`, name: 'Suppe mit Nudeln' })),
      { id: 'best', name: 'Suppe Suppe Nudel' },
    ];
    expect((await on.ask('POST', 'rest/recipe', recipes)).status).toBe(201);
    expect((await idsOf('recipe', { query: 'suppen nudel' }, undefined, '?limit=2'))[0]).toBe('best');
    const first = await found('recipe', { query: 'suppe' }, undefined, '?limit=20&offset=0&stats=true');
    const second = await idsOf('recipe', { query: 'suppe' }, undefined, '?limit=20&offset=20');
    expect([first.total, new Set([...first.data.map((row) => row.id), ...second]).size]).toEqual([31, 31]);
  });

  test('an entity without a text index answers 501', async () => {
    expect(await search('plain', { query: 'x' })).toMatchObject({
      status: 501,
      json: { code: 'v2.search_text_not_supported' },
    });
  });
});

describe('a draft of another author', () => {
  test('is neither found, counted nor highlighted, by any parameter', async () => {
    const words = { query: 'merger', highlight: true };
    expect(await found('article', words, as.bob, '?stats=true')).toMatchObject({ data: [], total: 0, highlights: [] });
    expect(await idsOf('article', { query: 'merg*' }, as.bob, '?orderby=-id')).toEqual([]);
    expect((await found('article', { query: 'merger' }, as.bob, '?[aggregate]=count')).data).toEqual([{ count: 0 }]);
    expect(await idsOf('article', { query: 'merger', filter: { author: id.ada } }, as.bob)).toEqual([]);
    const own = await found('article', words, as.ada, '?stats=true');
    expect(own).toMatchObject({ total: 1, highlights: [{ title: ['Plans of a ', 'merger'] }] });
  });
});

test('the words of a person go with the rows when the person is erased', async () => {
  const cara = { email: 'cara@example.org', password: PASSWORD, roles: ['tenant_user'], replace: true };
  await on.it.node.ask(TENANT, 'identity', 'person.ensure', cara);
  const login = await on.it.call('POST', '/auth/login', on.it.position(), { login: cara.email, password: PASSWORD });
  const headers = {
    ...on.it.position(),
    Authorization: `Bearer ${(login.json as { access_token: string }).access_token}`,
  };
  expect((await on.ask('POST', 'rest/article', { id: 'diary', title: 'My diary' }, headers)).status).toBe(201);
  expect(await idsOf('article', { query: 'diary' }, as.bob)).toEqual(['diary']);
  const erased = await on.it.call('DELETE', '/auth/me', headers, { password: PASSWORD });
  expect([erased.status, erased.text]).toEqual([200, '{"ok":true}']);
  await expect.poll(() => idsOf('article', { query: 'diary' }, as.bob), { timeout: 20_000 }).toEqual([]);
  expect(await idsOf('article', { query: 'fox*' }, as.bob)).toEqual(['foxes']);
});
