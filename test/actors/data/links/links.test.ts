/** docs/contract/data.md §5.14 and §6.9: links of rows on every surface: read, filtered, written; what they hide is in hidden.test.ts. */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { withPairs } from '#config/definitions/link.ts';
import { runSeeds } from '#actors/data/admin/seed/run.ts';
import { Work } from '#actors/host/work.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { ask, data } from '../graphql/kit.ts';
import { AGENT, begin, id, idsOf, INSIDE, link, patch, read, refused, send, serve, tagsOf, tenant } from './kit.ts';

beforeEach(begin);

describe('reads', () => {
  test('a list of ids where the request names the link, in order and without hidden rows', async () => {
    expect(await read('fields=id,tags')).toEqual([
      { id: 't1', tags: ['g1'] },
      { id: 't2', tags: ['g1', 'g2'] },
      { id: 't3', tags: [] },
    ]);
    expect(await tagsOf('t1', AGENT)).toEqual(['g1', 'g3']);
    expect((await read('id=t2'))[0]).toEqual({
      id: 't2',
      title: 'two',
      version: 1,
      deleted_at: null,
      deleted_by: null,
    });
    const one = await send('GET', 'rest/ticket/id/t2?fields=tags,title');
    expect(one.body.data).toEqual([{ title: 'two', tags: ['g1', 'g2'] }]);
    const found = await send('POST', 'rest/ticket/search?select=ticket_by_related&orderby=id', { filter: {} });
    expect(found.body.data).toEqual([
      { ticket_by_related: ['t2'] },
      { ticket_by_related: [] },
      { ticket_by_related: [] },
    ]);
  });

  test('an include shows the rows of each side, with options', async () => {
    const [, two] = await read('include=tags');
    expect((two!['tags'] as { id: string; name: string }[]).map(({ name }) => name)).toEqual(['red', 'blue']);
    const [first] = await read('include=tags&[tags][orderby]=-name&[tags][limit]=1&[tags][select]=name&id=t2');
    expect(first!['tags']).toEqual([{ name: 'red' }]);
    const [red] = await read('include=ticket_by_tags&[ticket_by_tags][select]=id', USER, 'tag');
    expect(red!['ticket_by_tags']).toEqual([{ id: 't1' }, { id: 't2' }]);
    const [deep] = await read('id=t2&include=related.tags&depth=2');
    expect((deep!['related'] as { tags: { id: string }[] }[])[0]!.tags.map((tag) => tag.id)).toEqual(['g1']);
    expect((await read('fields=id,tags&include=tags&id=t2&[tags][select]=id'))[0]).toEqual({
      id: 't2',
      tags: [{ id: 'g1' }, { id: 'g2' }],
    });
  });

  test('soft-deleted rows leave lists and come back, also with deleted=true', async () => {
    await send('DELETE', 'rest/tag/id/g1', undefined, INSIDE);
    expect(await tagsOf('t2')).toEqual(['g2']);
    expect((await read('fields=tags&deleted=true&id=t2'))[0]!['tags']).toEqual(['g1', 'g2']);
    await send('POST', 'rest/tag/id/g1/restore', undefined, INSIDE);
    expect(await tagsOf('t2')).toEqual(['g1', 'g2']);
    await send('DELETE', 'rest/tag/id/g1?purge=true', undefined, INSIDE);
    expect(await tagsOf('t2')).toEqual(['g2']);
  });

  test('filters by rows on the other side', async () => {
    expect(await idsOf('[tags.name]=red')).toEqual(['t1', 't2']);
    expect(await idsOf('[tags.name]=secret')).toEqual([]);
    expect(await idsOf('[tags.name]=secret', AGENT)).toEqual(['t1']);
    expect(await idsOf('[tags][none]={}')).toEqual(['t3']);
    expect(await idsOf('[tags][every]={"name":"red"}')).toEqual(['t1', 't3']);
    expect(await idsOf('[tags][every]={"name":"red"}', AGENT)).toEqual(['t3']);
    expect(await idsOf('[tags.name][null]=true')).toEqual([]);
    expect(await idsOf('[tags.id][in]=g2,g3')).toEqual(['t2']);
    expect(await idsOf('[ticket_by_related.title]=two')).toEqual(['t1']);
    expect(await idsOf('[ticket_by_tags.title]=two', USER, 'tag')).toEqual(['g1', 'g2']);
  });
});

describe('writes', () => {
  test('a list replaces the links, an object changes some', async () => {
    await patch({ tags: ['g2'] }, AGENT);
    expect(await tagsOf('t1', AGENT)).toEqual(['g2']);
    await patch({ tags: { add: ['g1', 'g3'], remove: ['g2', 'g9'] } }, AGENT);
    expect(await tagsOf('t1', AGENT)).toEqual(['g1', 'g3']);
    await patch({ tags: [] }, AGENT);
    expect(await tagsOf('t1', AGENT)).toEqual([]);
    await patch({ related: ['t1', 't3'] });
    expect((await read('id=t1&fields=related,ticket_by_related'))[0]).toEqual({
      related: ['t1', 't3'],
      ticket_by_related: ['t1', 't2'],
    });
  });

  test('the row and its links are one write', async () => {
    const fields = { tags: ['refers to no row of tag'] };
    expect(await refused('PATCH', 'rest/ticket/id/t1', { title: 'new', tags: ['g1', 'nothing'] })).toEqual([
      422,
      'tags refers to no row of tag',
      fields,
    ]);
    expect((await refused('POST', 'rest/ticket', { id: 't4', tags: ['nothing'] }))[0]).toBe(422);
    expect(await read('fields=id,title')).toEqual([
      { id: 't1', title: 'one' },
      { id: 't2', title: 'two' },
      { id: 't3', title: 'three' },
    ]);
    await send('DELETE', 'rest/tag/id/g2', undefined, INSIDE);
    expect((await refused('PATCH', 'rest/ticket/id/t3', { tags: ['g2'] }))[0]).toBe(422);
    const many = await send('POST', 'rest/ticket', [
      { id: 'm1', tags: ['g1'] },
      { id: 'm2', tags: ['no'] },
    ]);
    expect([many.status, many.body.details.row]).toEqual([422, 1]);
    const create = { action: 'create', data: { ticket: { id: 'o1', tags: ['g1'] } } };
    const update = { action: 'update', data: { ticket: { id: 'o1', tags: { add: ['g3'] } } } };
    expect((await send('POST', 'rest', { operations: [create, update] }, AGENT)).status).toBe(200);
    expect(await tagsOf('o1', AGENT)).toEqual(['g1', 'g3']);
  });

  test.each([
    ['g1', 'must be a list of ids'],
    [null, 'must be a list of ids'],
    [{}, 'must be a list of ids'],
    [{ add: 'g1' }, 'must be a list of ids'],
    [{ add: [], set: [] }, 'must be a list of ids'],
    [[1], 'must hold ids of tag'],
    [[{ id: 'g1' }], 'must hold ids of tag'],
    [{ remove: [null] }, 'must hold ids of tag'],
    [{ add: ['g1'], remove: ['g1'] }, 'has an id under both add and remove'],
  ])('%j is refused', async (tags, message) => {
    const [status, error] = await refused('PATCH', 'rest/ticket/id/t1', { tags });
    expect([status, error]).toEqual([422, expect.stringContaining(`tags ${message}`)]);
    expect((await refused('POST', 'rest/ticket', { tags }))[0]).toBe(422);
  });

  test('writes are bounded', async () => {
    const most = limits.data.linkIdsMax;
    const names = Array.from({ length: limits.data.linkReplacedMax + 1 }, (_, no) => `n${no}`);
    for (let at = 0; at < names.length; at += most) {
      const add = names.slice(at, at + most);
      await send(
        'POST',
        'rest/tag',
        add.map((name) => ({ id: name, public: true })),
        INSIDE,
      );
      await patch({ tags: { add } }, AGENT, 't3');
    }
    const [status, error] = await refused('PATCH', 'rest/ticket/id/t3', { tags: names.slice(0, most + 1) }, AGENT);
    expect([status, error]).toEqual([422, expect.stringContaining(`at most ${most} ids`)]);
    const late = await refused('PATCH', 'rest/ticket/id/t3', { tags: [] }, AGENT);
    expect(late).toEqual([
      422,
      expect.stringContaining(`more than ${limits.data.linkReplacedMax} links`),
      expect.anything(),
    ]);
    await patch({ tags: { remove: ['n0'] } }, AGENT, 't3');
    await patch({ tags: [] }, AGENT, 't3');
    expect(await tagsOf('t3', AGENT)).toEqual([]);
  });

  test('each form of a write takes links: PUT, a unique key, a filter, an envelope, imports, a seed', async () => {
    const sent = async (method: Method, path: string, body: unknown, extra = '') => {
      const answer = await tenant.send(method, `/data/${path}`, body, { principal: USER, extra });
      expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined]);
      return answer.body;
    };
    await sent('PUT', 'rest/ticket/id/t3', { tags: ['g1'] });
    expect(await tagsOf('t3')).toEqual(['g1']);
    await sent('POST', 'rest/ticket?[on]=id', [
      { id: 't3', tags: { add: ['g2'] } },
      { id: 't4', tags: ['g2'] },
    ]);
    expect([await tagsOf('t3'), await tagsOf('t4')]).toEqual([['g1', 'g2'], ['g2']]);
    const many = await sent(
      'PATCH',
      'rest/ticket?[tags.id]=g2&stats=true',
      { tags: { remove: ['g1'] } },
      'if-count:3\n',
    );
    expect([many.total, many.stats.rows_affected]).toEqual([3, 2]);
    expect(await read('fields=id,tags')).toEqual([
      { id: 't1', tags: ['g1'] },
      ...['t2', 't3', 't4'].map((ticket) => ({ id: ticket, tags: ['g2'] })),
    ]);
    await sent('PATCH', 'rest', { operations: [{ action: 'upsert', data: { ticket: { id: 't4', tags: ['g1'] } } }] });
    expect(await tagsOf('t4')).toEqual(['g1']);
    await sent('POST', 'bulk?entity=ticket&format=jsonl', '{"id":"t5","tags":["g1"]}\n{"id":"t6","tags":["g2"]}\n');
    await sent('POST', 'bulk?entity=ticket', [{ id: 't7', tags: ['g1', 'g2'] }]);
    expect([await tagsOf('t5'), await tagsOf('t6'), await tagsOf('t7')]).toEqual([['g1'], ['g2'], ['g1', 'g2']]);
    const csv = await send('POST', 'bulk?entity=ticket&format=csv', 'id,tags\nt8,g1\n');
    expect([csv.status, JSON.stringify(csv.body)]).toEqual([csv.status, expect.stringContaining('tags')]);
    expect(csv.status).toBeGreaterThanOrEqual(207);
    const input = { id: 't3', tags: ['g3'] };
    const seed = {
      name: 'linked',
      entity: 'ticket',
      strategy: 'replace',
      environments: null,
      source: '',
      file: null,
    } as const;
    Object.assign(tenant.activation.product, {
      seeds: [{ ...seed, rows: [{ line: 1, input }], checksum: '1', where: 'seeds/linked.yaml:1:1' }],
    });
    const wish = { planId: 'p1', names: null, environment: 'dev', dryRun: false, force: false };
    const { outcomes } = await runSeeds(new Work(tenant.activation), wish, () => undefined);
    expect(outcomes).toEqual([expect.objectContaining({ Status: 'applied', Reason: '' })]);
    expect(await tagsOf('t3', AGENT)).toEqual(['g3']);
  });

  test('a transaction changes so many links, however short the request is', async () => {
    const most = limits.data.linkIdsMax;
    const rows = (kind: string, count: number) =>
      Array.from({ length: count }, (_, no) => ({ id: `${kind}${no}`, public: true }));
    expect((await send('POST', 'rest/tag', rows('n', most), INSIDE)).status).toBe(201);
    const count = limits.data.linkChangesMax / most;
    const tickets = rows('m', count + 1).map((row) => ({ id: row.id, title: 'many' }));
    expect((await send('POST', 'rest/ticket', tickets, INSIDE)).status).toBe(201);
    const add = rows('n', most).map((row) => row.id);
    const change = (query: string, rowCount: number) =>
      tenant.send(
        'PATCH',
        `/data/rest/ticket?${query}`,
        { tags: { add } },
        { principal: AGENT, extra: `if-count:${rowCount}\n` },
      );
    const { status, body } = await change('title=many', count + 1);
    expect([status, body.error]).toEqual([
      422,
      expect.stringContaining(`more than ${limits.data.linkChangesMax} links`),
    ]);
    expect(await tagsOf('m0')).toEqual([]);
    expect((await change('id=m1', 1)).status).toBe(200);
    expect(await tagsOf('m1')).toHaveLength(most);
  });

  test('the other side shows the link and does not write it', async () => {
    expect(await refused('PATCH', 'rest/tag/id/g1', { ticket_by_tags: [] })).toEqual([
      422,
      'ticket_by_tags is written at ticket, as tags',
      { ticket_by_tags: ['is written at ticket, as tags'] },
    ]);
  });
});

describe('the pairs', () => {
  test('are reached by no route, by superadmins neither', async () => {
    for (const [method, path, body] of [
      ['GET', 'rest/ticket.tags'],
      ['GET', 'rest/ticket.tags/id/x'],
      ['POST', 'rest/ticket.tags', { source: 't1', target: 'g1' }],
      ['POST', 'rest/ticket.tags/search', {}],
      ['PATCH', 'bulk?entity=ticket.tags'],
      ['GET', 'schema/entities/ticket.tags'],
    ] as const) {
      const answer = await send(method, path, body, SUPERADMIN);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const envelope = { operations: [{ action: 'create', data: { 'ticket.tags': { source: 't1', target: 'g1' } } }] };
    expect((await send('POST', 'rest', envelope, SUPERADMIN)).status).toBe(422);
    for (const query of [
      'include=ticket.tags_by_source',
      '[ticket.tags_by_source.id]=x',
      'include=ticket.tags_by_target',
    ])
      expect((await send('GET', `rest/ticket?${query}`, undefined, SUPERADMIN)).status).toBe(422);
  });

  test('are in no document', async () => {
    for (const path of [
      'schema',
      'schema/entities',
      'schema/graphql',
      'schema/openapi.json',
      'admin/data/references/tag',
    ]) {
      const { status, body } = await send('GET', path, undefined, SUPERADMIN);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      expect([path, status]).toEqual([path, 200]);
      expect([path, /ticket\.tags|TicketTags|"source"/.test(text)]).toEqual([path, false]);
    }
  });

  test('documents show the link to those who read it', async () => {
    const relations = async (principal: Principal) =>
      (await send('GET', 'schema/entities/ticket', undefined, principal)).body.relations.map(
        ({ name }: { name: string }) => name,
      );
    expect(await relations(USER)).toEqual(['tags', 'related', 'ticket_by_related', 'marks']);
    expect(await relations(AGENT)).toEqual(['tags', 'related', 'ticket_by_related', 'watchers', 'marks', 'hues']);
    const { body } = await send('GET', 'schema/openapi.json');
    const { properties } = body.components.schemas['ticket.update'];
    expect(properties.tags.anyOf[0]).toMatchObject({ type: 'array', maxItems: limits.data.linkIdsMax });
    expect(Object.keys(properties)).not.toContain('watchers');
    expect(Object.keys(properties)).not.toContain('marks');
  });
});

describe('a link that is new in a product', () => {
  test('is served once it is provisioned, over rows that were there before', async () => {
    const store = new MemoryStore();
    const bare = (links: boolean) =>
      productOf(
        withPairs([entityOf('ticket', { id }, links ? { links: { tags: link('tag') } } : {}), entityOf('tag', { id })]),
      );
    serve(await DataTenant.open(bare(false), { store }));
    for (const entity of ['tag', 'ticket']) await send('POST', `rest/${entity}`, { id: 'x' });
    serve(await DataTenant.open(bare(true), { store, provision: false }));
    expect((await refused('PATCH', 'rest/ticket/id/x', { tags: ['x'] })).slice(0, 2)).toEqual([
      422,
      'tags is not a field',
    ]);
    expect((await refused('GET', 'rest/ticket?fields=tags'))[0]).toBe(422);
    serve(await DataTenant.open(bare(true), { store }));
    await patch({ tags: ['x'] }, USER, 'x');
    expect(await tagsOf('x')).toEqual(['x']);
  });
});

describe('GraphQL', () => {
  test('shows lists of rows on both sides, filters and orders them', async () => {
    const found = await data(
      tenant,
      '{ ticket(order: [id_asc]) { nodes { id tags(order: [id_desc]) { total nodes { name } } } } }',
    );
    expect(found.ticket.nodes).toEqual([
      { id: 't1', tags: { total: 1, nodes: [{ name: 'red' }] } },
      { id: 't2', tags: { total: 2, nodes: [{ name: 'blue' }, { name: 'red' }] } },
      { id: 't3', tags: { total: 0, nodes: [] } },
    ]);
    const back = await data(tenant, '{ tag_by_id(id: "g1") { ticket_by_tags(order: [id_asc]) { nodes { id } } } }');
    expect(back.tag_by_id.ticket_by_tags.nodes).toEqual([{ id: 't1' }, { id: 't2' }]);
    const filtered = await data(tenant, '{ ticket(filter: {tags: {none: {name: {eq: "red"}}}}) { nodes { id } } }');
    expect(filtered.ticket.nodes).toEqual([{ id: 't3' }]);
  });

  test('takes a list of keys, and knows no link that the caller may not read or write', async () => {
    const made = await data(
      tenant,
      'mutation { create_ticket(data: {id: "t9", tags: ["g1", "g2"]}) { id tags { nodes { id } } } }',
    );
    expect(made.create_ticket).toEqual({ id: 't9', tags: { nodes: [{ id: 'g1' }, { id: 'g2' }] } });
    const changed = await data(
      tenant,
      'mutation { update_ticket(id: "t9", data: {tags: ["g2"]}) { tags { nodes { id } } } }',
    );
    expect(changed.update_ticket.tags.nodes).toEqual([{ id: 'g2' }]);
    for (const query of [
      '{ ticket { nodes { watchers { nodes { id } } } } }',
      'mutation { create_ticket(data: {id: "t8", watchers: []}) { id } }',
    ])
      expect((await ask(tenant, query)).body.errors).toEqual([
        expect.objectContaining({ message: expect.stringContaining('watchers') }),
      ]);
  });
});
