/** Links of rows over HTTP, attacked by several principals: docs/contract/data.md §5.14, §6.9. */
import { beforeAll, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'linked' });
const PEOPLE = ['agent', 'ann', 'bob'] as const;
type Name = (typeof PEOPLE)[number];
const as = {} as Record<Name, Headers>;
const id = {} as Record<Name, string>;
const PASSWORD = 'correct horse battery';

async function logIn(name: Name): Promise<void> {
  const email = `${name}@example.org`;
  const roles = name === 'agent' ? ['agent'] : ['tenant_user'];
  await on.it.node.ask(TENANT, 'identity', 'person.ensure', { email, password: PASSWORD, roles, replace: true });
  const answer = await on.it.call('POST', '/auth/login', on.it.position(), { login: email, password: PASSWORD });
  const { access_token: token } = answer.json as { access_token: string };
  as[name] = { ...on.it.position(), Authorization: `Bearer ${token}` };
  id[name] = ((await on.it.call('GET', '/auth/me', as[name])).json as { id: string }).id;
}

const ask = (name: Name, method: string, path: string, body?: unknown, more: Headers = {}): Promise<Answer> =>
  on.it.call(method, `/data/${path}`, { ...as[name], ...more }, body);

async function make(entity: string, values: object): Promise<void> {
  const made = await ask('agent', 'POST', `rest/${entity}`, values);
  expect([made.status, made.text]).toEqual([201, made.text]);
}

const rowsOf = async (name: Name, path: string): Promise<Record<string, unknown>[]> => {
  const answer = await ask(name, 'GET', `rest/${path}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return (answer.json as { data: Record<string, unknown>[] }).data;
};
const tagsOf = async (name: Name, ticket: string) =>
  (await rowsOf(name, `ticket/id/${ticket}?fields=tags`))[0]!['tags'];

beforeAll(async () => {
  for (const name of PEOPLE) await logIn(name);
  await make('tag', [
    { id: 'g1', name: 'printer' },
    { id: 'g2', name: 'network' },
    { id: 'g3', name: 'fraud', internal: true },
  ]);
  await make('watcher', { id: 'w1', name: 'Wendy' });
  await make('ticket', [
    { id: 't1', title: 'of ann', requester: id.ann, tags: ['g1', 'g3'], watchers: ['w1'] },
    { id: 't2', title: 'of bob', requester: id.bob, tags: ['g1', 'g2'], related: ['t1'] },
    { id: 't3', title: 'of ann, too', requester: id.ann, tags: ['g3'] },
  ]);
});

test('each principal sees the links between rows that it sees, and finds by them', async () => {
  const lists = { agent: [['g1', 'g3'], ['g1', 'g2'], ['g3']], ann: [['g1'], []], bob: [['g1', 'g2']] };
  const printers = { agent: ['t1', 't2'], ann: ['t1'], bob: ['t2'] };
  const tagged = { agent: ['t1', 't2', 't3'], ann: ['t1'], bob: ['t2'] };
  const frauds = { agent: ['t1', 't3'], ann: [], bob: [] };
  const related = { agent: [['t1']], ann: [], bob: [[]] };
  for (const name of PEOPLE) {
    const shown = await rowsOf(name, 'ticket?fields=tags&orderby=id');
    expect([name, shown.map(({ tags }) => tags)]).toEqual([name, lists[name]]);
    const found = async (query: string) => (await rowsOf(name, `ticket?${query}&orderby=id`)).map((row) => row['id']);
    expect([name, await found('[tags.name]=printer')]).toEqual([name, printers[name]]);
    expect([name, await found('[tags][some]={}')]).toEqual([name, tagged[name]]);
    expect([name, await found('[tags.name]=fraud')]).toEqual([name, frauds[name]]);
    // The plan names rows by their keys, and counts no hidden one.
    const { stats } = (await ask(name, 'GET', 'rest/ticket?[tags.name]=printer&stats=true')).json as {
      stats: { plan: { access: string; keys?: number } };
    };
    expect([name, stats.plan.access, stats.plan.keys ?? 1]).toEqual([name, 'key', printers[name].length]);
    const [tag] = await rowsOf(name, 'tag?id=g1&include=ticket_by_tags&[ticket_by_tags][select]=id');
    expect([name, (tag!['ticket_by_tags'] as { id: string }[]).map((row) => row.id)]).toEqual([name, printers[name]]);
    const two = name === 'ann' ? [] : await rowsOf(name, 'ticket?id=t2&fields=related');
    expect([name, two.map((row) => row['related'])]).toEqual([name, related[name]]);
    const query = '{ ticket(order: [id_asc]) { nodes { tags(order: [id_asc]) { nodes { id } } } } }';
    const { data } = (await ask(name, 'POST', 'graphql', { query })).json as {
      data: { ticket: { nodes: { tags: { nodes: { id: string }[] } }[] } };
    };
    expect([name, data.ticket.nodes.map(({ tags }) => tags.nodes.map((node) => node.id))]).toEqual([name, lists[name]]);
  }
});

test('a write leaves what its caller does not see, and its version says nothing of it', async () => {
  const [before] = await rowsOf('agent', 'ticket?id=t3&fields=version');
  const same = await ask('ann', 'PATCH', 'rest/ticket/id/t3', { tags: [] });
  expect([same.status, same.headers.get('etag')]).toEqual([200, `"${String(before!['version'])}"`]);
  const match = { 'If-Match': `"${String(before!['version'])}"` };
  expect((await ask('ann', 'PATCH', 'rest/ticket/id/t3', { tags: ['g2'] }, match)).status).toBe(200);
  expect((await ask('ann', 'PATCH', 'rest/ticket/id/t3', { tags: ['g1'] }, match)).status).toBe(412);
  expect([await tagsOf('ann', 't3'), await tagsOf('agent', 't3')]).toEqual([['g2'], ['g2', 'g3']]);
  // A row that the caller does not see is not written, and its links neither.
  expect((await ask('bob', 'PATCH', 'rest/ticket/id/t3', { tags: [] })).status).toBe(404);
});

test('writes at the same time all hold, and the row and its links are one commit', async () => {
  const names = Array.from({ length: 20 }, (_, no) => `p${String(no).padStart(2, '0')}`);
  await make(
    'tag',
    names.map((name) => ({ id: name, name })),
  );
  const answers = await Promise.all(
    names.map((name) => ask('ann', 'PATCH', 'rest/ticket/id/t1', { tags: { add: [name] } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(await tagsOf('ann', 't1')).toEqual(['g1', ...names]);
  const failed = await ask('ann', 'PATCH', 'rest/ticket/id/t1', {
    title: 'lost',
    tags: { remove: names, add: ['none'] },
  });
  expect([failed.status, failed.text.includes('refers to no row of tag')]).toEqual([422, true]);
  expect(await tagsOf('ann', 't1')).toEqual(['g1', ...names]);
  expect((await rowsOf('ann', 'ticket?id=t1&fields=title'))[0]).toEqual({ title: 'of ann' });
});

test('an import of JSON takes the links with the rows', async () => {
  const rows = [
    { id: 'i1', title: 'imported', requester: id.bob, tags: ['g2'] },
    { id: 'i2', title: 'refused', requester: id.bob, tags: ['none'] },
  ];
  const answer = await ask('agent', 'POST', 'bulk?entity=ticket&format=json&skiperrors=true', rows);
  expect([answer.status, (answer.json as { imported: number }).imported]).toEqual([200, 1]);
  expect(await tagsOf('bob', 'i1')).toEqual(['g2']);
  expect((await ask('bob', 'GET', 'rest/ticket/id/i2')).status).toBe(404);
});

test('a link that roles hide is not known, and the pairs are reached by none', async () => {
  for (const path of [
    'ticket?fields=watchers',
    'ticket?include=watchers',
    'ticket?[watchers.name]=Wendy',
    'watcher?include=ticket_by_watchers',
  ])
    expect([path, (await ask('ann', 'GET', `rest/${path}`)).status]).toEqual([path, 422]);
  expect((await ask('ann', 'PATCH', 'rest/ticket/id/t1', { watchers: [] })).status).toBe(422);
  expect((await rowsOf('agent', 'ticket?id=t1&fields=watchers'))[0]).toEqual({ watchers: ['w1'] });
  for (const name of PEOPLE) expect((await ask(name, 'GET', 'rest/ticket.tags')).status).toBe(404);
});

test('a row that is deleted physically takes its pairs along; one in the bin keeps them', async () => {
  expect((await ask('agent', 'DELETE', 'rest/tag/id/g1')).status).toBe(200);
  expect(await tagsOf('bob', 't2')).toEqual(['g2']);
  expect((await ask('agent', 'DELETE', 'rest/ticket/id/t2')).status).toBe(200);
  expect((await ask('agent', 'POST', 'rest/ticket/id/t2/restore')).status).toBe(200);
  expect(await tagsOf('bob', 't2')).toEqual(['g2']);
  expect((await ask('agent', 'DELETE', 'rest/ticket/id/t2?purge=true')).status).toBe(200);
  expect(await rowsOf('agent', 'tag?id=g2&fields=id,ticket_by_tags')).toEqual([
    { id: 'g2', ticket_by_tags: ['i1', 't3'] },
  ]);
});
