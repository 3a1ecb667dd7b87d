/**
 * Roles of fields where a query leads to other rows, goes into json or searches by words (docs/contract/data-definitions.md §2.2, docs/contract/data.md
 * §5.4.1, §5.4.2, §5.6.2, §5.12): what a caller does not read, it does not reach by any of them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { ask, data } from './graphql/kit.ts';

const agent: Principal = { ...USER, subject: 'a1', roles: ['agent'] };
const viewer: Principal = { ...USER, subject: 'v1', roles: ['viewer'] };
const hidden = { roles: { read: ['agent'] } };
const id = { type: 'string' } as const;
const ref = (entity: string) => ({ type: 'ref', nullable: true, ref: { entity } }) as const;
const product = productOf([
  entityOf('firm', {
    id,
    name: { type: 'string' },
    rating: { type: 'string', ...hidden },
    notes: { type: 'json', ...hidden },
    parent_id: { ...ref('firm'), ...hidden },
  }),
  entityOf(
    'note',
    {
      id,
      title: { type: 'string' },
      body: { type: 'string', ...hidden },
      firm_id: ref('firm'),
      meta: { type: 'json', ...hidden },
      open: { type: 'json' },
    },
    { search: { fields: ['title', 'body'], language: 'english', stopWords: [] } },
  ),
]);

let tenant: DataTenant;
const send = (principal: Principal, method: 'GET' | 'POST', path: string, body?: unknown) =>
  tenant.send(method, `/data/rest/${path}`, body, { principal });

beforeAll(async () => {
  tenant = await DataTenant.open(product);
  const made = [
    ['firm', { id: 'f0', name: 'Mother', rating: 'AAA', notes: {} }],
    ['firm', { id: 'f1', name: 'Acme', rating: 'BB', notes: { who: 'x' }, parent_id: 'f0' }],
    ['note', { id: 'n1', title: 'foxes', body: 'secret', firm_id: 'f1', meta: { a: 1 }, open: { b: 2 } }],
  ] as const;
  for (const [entity, row] of made) expect((await send(agent, 'POST', entity, row)).status).toBe(201);
});

const options = (option: string, value: string) =>
  `firm?include=note_by_firm&[note_by_firm][${option}]=${encodeURIComponent(value)}`;

describe('a field that the caller does not read', () => {
  test.each([
    'note?[firm.rating]=BB',
    'note?[firm.rating][null]=false',
    'note?[firm.notes/who]=x',
    'note?[firm.parent.name]=Mother',
    'note?[meta/a]=1',
    'note?select=meta/a',
    'firm?[parent.name]=Mother',
    'firm?include=parent',
    options('filter', '{"body":"secret"}'),
    options('filter', '{"[meta/a]":1}'),
    options('filter', '{"[firm.rating]":"BB"}'),
    options('orderby', 'body'),
    options('select', 'body'),
    options('select', 'meta/a'),
  ])('is no field for %s', async (path) => {
    const names = /rating|notes|parent|body|meta/g;
    const plain = ({ status, body }: Awaited<ReturnType<typeof send>>): string =>
      `${status} ${JSON.stringify(body).replaceAll(names, '').replaceAll('nothing', '')}`;
    const asked = await send(viewer, 'GET', path);
    expect(asked.status).toBe(422);
    expect(plain(asked)).toBe(plain(await send(viewer, 'GET', path.replaceAll(names, 'nothing'))));
    const { status, body } = await send(agent, 'GET', path);
    expect([status, body.data.length > 0]).toEqual([200, true]);
  });

  test('is not reached by filters of GraphQL, and its neighbours are', async () => {
    const by = (filter: string) => `{ note(filter: ${filter}) { nodes { id } } }`;
    for (const filter of [
      '{firm: {rating: {eq: "BB"}}}',
      '{firm: {parent: {name: {eq: "Mother"}}}}',
      '{body: {eq: "secret"}}',
    ]) {
      expect((await ask(tenant, by(filter), {}, { principal: viewer })).body.errors, filter).toBeDefined();
      expect((await data(tenant, by(filter), {}, agent)).note.nodes, filter).toHaveLength(1);
    }
    expect((await data(tenant, by('{firm: {name: {eq: "Acme"}}}'), {}, viewer)).note.nodes).toHaveLength(1);
  });

  test('is not searched by words: a search that would look into it is refused', async () => {
    const search = (principal: Principal, query: string) =>
      send(principal, 'POST', 'note/search', { query, highlight: true });
    for (const word of ['secret', 'foxes', 'absent']) expect((await search(viewer, word)).status).toBe(403);
    expect((await search(agent, 'secret')).body.data).toHaveLength(1);
  });
});

test('what lies beside it is read as ever', async () => {
  for (const path of [
    'note?[firm.name]=Acme',
    'note?[open/b]=2',
    'note?select=id,open/b',
    options('filter', '{"title":"foxes"}'),
  ]) {
    const { status, body } = await send(viewer, 'GET', path);
    expect([path, status, body.data?.length > 0]).toEqual([path, 200, true]);
  }
});
