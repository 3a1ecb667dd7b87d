/** Stateflows over HTTP to a real node: docs/contract/data-behaviour.md §1.2, §1.4, each row as data. */
import { describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import type { Answer } from '#test/kit/test-node.ts';
import { bodyOf, codeOf, ordersOf, type Proof } from './stateflow-orders.ts';
import { transitionCases } from './stateflow-transitions.cases.ts';

const on = useDataNode({ product: 'orders', extra: 'jobs: { threads: 2 }' });

const { ask } = on;
const { order, write, statusOf } = ordersOf(on);

/** The same forbidden and allowed steps by each way to write a row; each gives its status and a code, if any. */
const ways: readonly (readonly [string, (id: string, to: string) => Promise<Answer>, code: string])[] = [
  ['REST', (id, status) => write(id, { status }), 'v2.update_failed'],
  ['the anonymous mirror', (id, status) => ask('PATCH', `anon/rest/order/id/${id}`, { status }), 'v2.update_failed'],
  [
    'the envelope, update',
    (id, status) => ask('PATCH', 'rest', { operations: [{ data: { order: { id, status } } }] }),
    'v2.bulk_failed',
  ],
  [
    'the envelope, upsert',
    (id, status) => ask('POST', 'rest', { operations: [{ action: 'upsert', data: { order: { id, status } } }] }),
    'v2.bulk_failed',
  ],
];

transitionCases(on);

describe('decisions: enforced on every write path', () => {
  test.each(ways)('%s', async (_way, step, code) => {
    const { id } = await order({ total: 5 });
    const refused = await step(id, 'shipped');
    expect(codeOf(refused)).toEqual([422, code]);
    expect(bodyOf(refused).details.allowed).toEqual(['review', 'cancelled']);
    expect(await statusOf(id)).toBe('draft');
    expect((await step(id, 'review')).status).toBe(200);
    expect(await statusOf(id)).toBe('review');
  });

  test('GraphQL', async () => {
    const { id } = await order({ total: 5 });
    const step = async (status: string): Promise<{ data?: unknown; errors?: readonly { extensions: object }[] }> =>
      (
        await ask('POST', 'graphql', {
          query: `mutation { update_order(id: "${id}", data: {status: "${status}"}) { status } }`,
        })
      ).json;
    expect((await step('shipped')).errors?.[0]?.extensions).toMatchObject({ code: 'v2.update_failed', status: 422 });
    expect(await statusOf(id)).toBe('draft');
    expect((await step('review')).data).toEqual({ update_order: { status: 'review' } });
    const made = await ask('POST', 'graphql', { query: 'mutation { create_order(data: {title: "g"}) { status } }' });
    expect((made.json as { data: unknown }).data).toEqual({ create_order: { status: 'draft' } });
  });

  test('scripts', async () => {
    const { id } = await order({ total: 5 });
    expect((await ask('POST', 'x/move', { id, to: 'shipped' })).json).toEqual({
      status: 422,
      allowed: ['review', 'cancelled'],
    });
    expect(await statusOf(id)).toBe('draft');
    expect((await ask('POST', 'x/move', { id, to: 'review' })).json).toBe('review');
    expect(await statusOf(id)).toBe('review');
  });

  test('bulk import: initial state where it is omitted, a row in no declared state is refused', async () => {
    const csv = 'title,status\nbulk,review\nbulk,lost\n';
    const done = await ask('POST', 'bulk?entity=order&format=csv&skiperrors=true', csv);
    expect(done.json).toMatchObject({ imported: 1, skipped: 1, errors: [{ line: 3, code: 'v2.create_failed' }] });
    const json = await ask('POST', 'bulk?entity=order', [{ title: 'bulk' }]);
    expect(json.json).toMatchObject({ imported: 1 });
    const { data } = bodyOf(await ask('GET', 'rest/order?title=bulk&orderby=status'));
    expect(data.map(({ status }) => status)).toEqual(['draft', 'review']);
  });

  test('multipart create', async () => {
    const form = new FormData();
    form.set('title', 'multi');
    const send = async (): Promise<Answer> => {
      const request = new Request(on.it.gateway, { method: 'POST', body: form });
      const text = await request.clone().text();
      return ask('POST', 'rest/order', text, { ...on.bearer, 'Content-Type': request.headers.get('content-type')! });
    };
    expect(bodyOf(await send()).data).toMatchObject([{ status: 'draft' }]);
    form.set('status', 'lost');
    expect(codeOf(await send())).toEqual([422, 'v2.create_failed']);
  });

  test('an envelope whose second step is forbidden leaves the first undone', async () => {
    const { id } = await order({ total: 5 });
    const steps = ['review', 'draft', 'shipped'].map((status) => ({ data: { order: { id, status } } }));
    expect(codeOf(await ask('PATCH', 'rest', { operations: steps }))).toEqual([422, 'v2.bulk_failed']);
    expect(await statusOf(id)).toBe('draft');
    expect((await ask('PATCH', 'rest', { operations: steps.slice(0, 1) })).status).toBe(200);
  });

  test('of many transitions at once out of one state one is made', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await order({ total: 5 });
      const wishes = Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? 'review' : 'cancelled'));
      // Each names the version that it saw: the second has not seen the first.
      const tried = await Promise.all(
        wishes.map((status) => write(id, { status }, { ...on.bearer, 'If-Match': '"1"' })),
      );
      const won = tried.filter(({ status }) => status === 200);
      expect(won.length).toBe(1);
      expect(await statusOf(id)).toBe(bodyOf(won[0]!).data[0]!['status']);
      expect(new Set(tried.map(({ status }) => status))).toEqual(new Set([200, 412, 422]));
    }
  });

  test('two transitions at once, one of them from a script: the second meets what the first made', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await order({ total: 5, status: 'review' });
      const [script, rest] = await Promise.all([
        ask('POST', 'x/move', { id, to: 'shipped' }),
        write(id, { status: 'draft' }),
      ]);
      const now = await statusOf(id);
      const moved = (script.json as unknown) === 'shipped';
      expect([moved, rest.status === 200, now]).toSatisfy(([byScript, byRest, state]) =>
        // From shipped there is no way to draft, from draft none to shipped.
        byScript === true ? byRest === false && state === 'shipped' : byRest === true && state === 'draft',
      );
    }
  });
});

describe('the machine object (docs/contract/data-behaviour.md §1.2)', () => {
  const fulfilment = {
    name: 'fulfilment',
    field: 'status',
    initial_state: 'draft',
    states: {
      draft: {
        name: 'draft',
        events: {
          submit: { name: 'submit', target: 'review', has_guard: true },
          cancel: { name: 'cancel', target: 'cancelled' },
          count: { name: 'count', target: 'counted', has_guard: true },
          break: { name: 'break', target: 'broken', has_guard: true },
        },
      },
      review: {
        name: 'review',
        events: {
          approve: { name: 'approve', target: 'shipped', has_guard: true },
          return: { name: 'return', target: 'draft' },
        },
      },
      counted: { name: 'counted' },
      broken: { name: 'broken' },
      shipped: { name: 'shipped', type: 'final' },
      cancelled: { name: 'cancelled', type: 'final' },
    },
  };

  test('GET /data/stateflows wraps machines as {stateflows, count}, sorted by name; no body of a guard', async () => {
    const answer = await ask('GET', 'stateflows');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ stateflows: [expect.objectContaining({ name: 'billing' }), fulfilment], count: 2 });
    expect(answer.text).not.toContain('total');
  });

  test.each<Proof>([
    [
      'GET /data/stateflow/{name}: one machine',
      async () => expect((await ask('GET', 'stateflow/fulfilment')).json).toEqual(fulfilment),
    ],
    [
      '400 v2.missing_name',
      async () => expect(codeOf(await ask('GET', 'stateflow/'))).toEqual([400, 'v2.missing_name']),
    ],
    [
      '404 v2.stateflow_not_found',
      async () => expect(codeOf(await ask('GET', 'stateflow/nope'))).toEqual([404, 'v2.stateflow_not_found']),
    ],
    [
      '403 v2.no_tenant',
      async () => {
        const headers = { ...on.bearer, 'X-Tenant': 'sleeping' };
        for (const [method, path] of [
          ['GET', 'stateflows'],
          ['GET', 'stateflow/fulfilment'],
          ['DELETE', 'cache'],
        ] as const)
          expect(codeOf(await ask(method, path, undefined, headers))).toEqual([403, 'v2.no_tenant']);
      },
    ],
    [
      'a bearer token is needed',
      async () => expect((await ask('GET', 'stateflows', undefined, on.it.position())).text).toBe('Unauthorized'),
    ],
    [
      'retired: GET /data/stateflows/{name} is a bare 404',
      async () => expect(await ask('GET', 'stateflows/fulfilment')).toMatchObject({ status: 404, text: '' }),
    ],
  ])('%s', (_row, proof) => proof());
});

describe('`states` (docs/contract/data.md §2.1): one object per row keyed by stateflow name, each {field, current, events[]}', () => {
  const billing = { field: 'payment', current: 'open', events: ['pay'] };
  const fulfilmentOf = (current: string, events: readonly string[]): object => ({
    fulfilment: { field: 'status', current, events },
    billing,
  });

  test('on a read, a list and the answer of a write; the events that are possible now', async () => {
    const { id } = await order({ title: 'states' });
    const one = await ask('GET', `rest/order/id/${id}?states=true`);
    expect(bodyOf(one).states).toEqual([fulfilmentOf('draft', ['cancel'])]);
    const written = await ask('PATCH', `rest/order/id/${id}?sendstates=true`, { total: 3 });
    expect(bodyOf(written).states).toEqual([fulfilmentOf('draft', ['submit', 'cancel'])]);
    await order({ title: 'states', status: 'shipped' });
    const listed = await ask('GET', 'rest/order?title=states&states=true&select=id&orderby=status');
    expect(bodyOf(listed).states).toEqual([fulfilmentOf('draft', ['submit', 'cancel']), fulfilmentOf('shipped', [])]);
    expect(bodyOf(listed).data[0]).toEqual({ id });
    const searched = await ask('POST', 'rest/order/search?states=true', { filter: { id } });
    expect(bodyOf(searched).states).toHaveLength(1);
    const created = await ask('POST', 'rest/order?states=true', {});
    expect(bodyOf(created).states).toEqual([fulfilmentOf('draft', ['cancel'])]);
    expect(bodyOf(await ask('GET', `rest/order/id/${id}`)).states).toBeUndefined();
  });

  test('they depend on the caller: guards and access rules count', async () => {
    const { id } = await order({ status: 'review' });
    const mine = bodyOf(await ask('GET', `rest/order/id/${id}?states=true`)).states;
    expect(mine).toEqual([fulfilmentOf('review', ['approve', 'return'])]);
    const bare = await on.it.call('GET', `/data/anon/rest/order/id/${id}?states=true`, on.it.position());
    expect(bodyOf(bare).states).toEqual([fulfilmentOf('review', ['return'])]);
    await write(id, { title: 'closed' });
    const closed = await on.it.call('GET', `/data/anon/rest/order/id/${id}?states=true`, on.it.position());
    expect(bodyOf(closed).states).toEqual([
      { fulfilment: { field: 'status', current: 'review', events: [] }, billing: { ...billing, events: [] } },
    ]);
  });

  test('nothing is possible for a deleted row; a row of an entity without machines, a group and a purged row have none', async () => {
    const { id } = await order({ title: 'gone' });
    await ask('DELETE', `rest/order/id/${id}`);
    const deleted = bodyOf(await ask('GET', `rest/order/id/${id}?deleted=true&states=true`)).states;
    expect(deleted).toMatchObject([{ fulfilment: { current: 'draft', events: [] }, billing: { events: [] } }]);
    expect(bodyOf(await ask('DELETE', `rest/order/id/${id}?purge=true&states=true`)).states).toEqual([{}]);
    expect(bodyOf(await ask('POST', 'rest/plain?states=true', { name: 'x' })).states).toEqual([{}]);
    const groups = bodyOf(await ask('GET', 'rest/order?groupby=payment&states=true'));
    expect(groups.states).toEqual(groups.data.map(() => ({})));
  });

  test('more rows than a slice holds, in their order', async () => {
    const wished = Array.from({ length: 1500 }, (_, i) => ({ title: 'many', total: i }));
    expect((await ask('POST', 'bulk?entity=order', wished)).json).toMatchObject({ imported: 1500 });
    const { data, states } = bodyOf(await ask('GET', 'rest/order?title=many&states=true&limit=1500&orderby=total'));
    expect(data.length).toBe(1500);
    expect(states).toEqual(data.map((_, i) => fulfilmentOf('draft', i > 0 ? ['submit', 'cancel'] : ['cancel'])));
  });

  test('state() of a script', async () => {
    const { id } = await order();
    const state = async (entity: string, row = id): Promise<unknown> =>
      (await ask('GET', `x/state?entity=${entity}&id=${row}`)).json;
    expect(await state('order')).toEqual(fulfilmentOf('draft', ['cancel']));
    expect(await state('order', '01J0000000000000000000000A')).toBeNull();
    expect(await state('plain')).toEqual({ code: 'v2.stateflow_not_found', status: 404 });
  });
});

test('GET /data/contentstore/list: the catalogue as a JSON map, without rules', async () => {
  const answer = await ask('GET', 'contentstore/list');
  expect([answer.status, answer.json]).toEqual([
    200,
    {
      media: { name: 'media', type: 'native', active: true, index: 'database', cacheexpiry: '1h', images: [] },
      plans: {
        name: 'plans',
        type: 'native',
        active: false,
        index: 'database',
        version: { enabled: true },
        images: [],
      },
    },
  ]);
});

test('DELETE /data/cache drops cached per-tenant resources: {cleared: true, tenant}', async () => {
  const kept = async (): Promise<unknown> => (await ask('GET', 'x/kept')).json;
  const first = await kept();
  expect(await kept()).toBe(first);
  const schema = (await ask('GET', 'schema')).text;
  const cleared = await ask('DELETE', 'cache');
  expect([cleared.status, cleared.json]).toEqual([200, { cleared: true, tenant: 'acme:shop:dev:main' }]);
  expect(await kept()).not.toBe(first);
  expect((await ask('GET', 'schema')).text).toBe(schema);
  const { id } = await order();
  expect((await write(id, { status: 'shipped' })).status).toBe(422);
});
