/** One engine, two ways to ask: generated filters, orders and pages give the same rows by REST and by GraphQL. */
import { fc } from '#test/kit/property.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { DataTenant, entityOf, productOf, USER, type Answer } from '#test/kit/data-call.ts';
import { testSeed } from '#test/kit/seed.ts';
import { ask } from './kit.ts';

const seed = testSeed();

const KINDS = ['plain', 'odd one', 'true'];
const TEXTS: ReadonlySet<string> = new Set(['t', 'owner', 'kind']);
const product = productOf([
  entityOf('shelf', { id: { type: 'integer' }, label: { type: 'string' } }),
  entityOf(
    'thing',
    {
      n: { type: 'integer' },
      x: { type: 'number' },
      d: { type: 'decimal' },
      t: { type: 'string' },
      b: { type: 'boolean' },
      day: { type: 'date' },
      kind: { type: 'enum', enum: KINDS },
      owner: { type: 'string' },
      shelf_id: { type: 'ref', ref: { entity: 'shelf' } },
      up_id: { type: 'ref', ref: { entity: 'thing' } },
      m: { type: 'json' },
    },
    {
      traits: ['soft_delete', 'versioned'],
      index: [['n'], ['kind', 'n'], ['shelf_id', 't']],
      rowRule: 'row.owner != "absent"',
    },
  ),
]);

const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  n: fc.constantFrom(0, 1, 2, 3, '9007199254740993', null),
  x: fc.constantFrom(0, 0.5, -1.25, 1e21, null),
  d: fc.constantFrom('0.10', '12', '-3.5', null),
  t: fc.constantFrom('', 'a', 'ä', '𝔸', 'a,b', 'a=b&c', '"\\', null),
  b: fc.constantFrom(true, false, null),
  day: fc.constantFrom('2026-01-01', '1999-12-31', null),
  kind: fc.constantFrom(...KINDS, null),
  owner: fc.constantFrom('u1', 'absent', 'u2'),
  shelf_id: fc.constantFrom(1, 2, null),
};
const PARTS = fc.constantFrom<unknown>('a', 1, true, null, { c: 'b' }, ['a']);
const FIELDS = Object.keys(VALUES);
const ORDERED = [...FIELDS, 'id', 'version', 'up_id'];

let tenant: DataTenant;
let columns: string[];
beforeAll(async () => {
  tenant = await DataTenant.open(product);
  for (const id of [1, 2]) await tenant.send('POST', '/data/rest/shelf', { id, label: `s${id}` });
  const m = fc.option(fc.record({ a: PARTS, b: PARTS }, { requiredKeys: [] }));
  const rows = fc.sample(fc.record({ ...VALUES, m }), { numRuns: 120, seed });
  let last: string | null = null;
  for (const [i, row] of rows.entries()) {
    const { body }: Answer = await tenant.send('POST', '/data/rest/thing', {
      ...row,
      up_id: i % 3 < 2 ? last : null,
    });
    if (body.data !== undefined) last = body.data[0].id;
    if (i % 7 === 0 && last !== null && i % 2 === 1) await tenant.send('DELETE', `/data/rest/thing/id/${last}`);
  }
  columns = Object.keys((await tenant.send('GET', '/data/rest/thing?limit=1')).body.data[0]);
});

/** Comparisons by field; `or`, `and` and `not` are groups. */
type Filter = Readonly<Record<string, unknown>>;

interface Asked {
  readonly filter: Filter;
  readonly order: readonly { readonly field: string; readonly descending: boolean }[];
  readonly limit: number;
  readonly offset: number;
  readonly deleted: boolean;
}

/** Every operator that fits a field, with values that it may hold. */
function comparison(field: string): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const value = VALUES[field]!.filter((one) => one !== null);
  const single = fc
    .constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte')
    .chain((op) => value.map((one) => ({ [op]: one })));
  const list = fc
    .constantFrom('in', 'nin')
    .chain((op) => fc.array(value, { maxLength: 3 }).map((some) => ({ [op]: some })));
  const between = fc.tuple(value, value).map((pair) => ({ between: pair }));
  const none = fc.boolean().map((truth) => ({ null: truth }));
  const pattern = fc
    .constantFrom('like', 'ilike')
    .chain((op) => fc.constantFrom('%', 'a%', '%B', '_', 'ä').map((one) => ({ [op]: one })));
  return TEXTS.has(field) ? fc.oneof(single, list, between, none, pattern) : fc.oneof(single, list, between, none);
}

const comparisons: fc.Arbitrary<Filter> = fc
  .uniqueArray(fc.constantFrom(...FIELDS), { maxLength: 3 })
  .chain((fields) => fc.record(Object.fromEntries(fields.map((field) => [field, comparison(field)]))));

/** Conditions of the row above, of its shelf, and of a part of a json field. */
interface Far {
  readonly up?: Filter;
  readonly label?: Filter;
  readonly part?: readonly [path: string, comparison: Filter];
}

const far: fc.Arbitrary<Filter> = fc
  .record({
    up: fc
      .constantFrom('n', 't', 'd', 'day', 'b', 'shelf_id')
      .chain((field) => fc.record({ [field]: comparison(field) })),
    label: fc.constantFrom({ eq: 's1' }, { ne: 's1' }, { null: true }, { in: ['s2'] }),
    part: fc.tuple(
      fc.constantFrom('a', 'b', 'a/c', 'b/0'),
      fc.constantFrom({ eq: 'a' }, { ne: 1 }, { null: false }, { in: ['b', true] }, { gte: 0 }, { like: '%' }),
    ),
  })
  .chain((all) =>
    fc.oneof(
      fc.constant({ far: all }),
      fc.constantFrom(...(['label', 'part', 'part', 'up'] as const)).map((key) => ({ far: { [key]: all[key] } })),
    ),
  );

const some = fc.array(comparisons, { minLength: 1, maxLength: 3 });
const filters: fc.Arbitrary<Filter> = fc.oneof(
  comparisons,
  fc.tuple(comparisons, some).map(([plain, or]) => ({ ...plain, or })),
  fc.tuple(some, comparisons).map(([or, and]) => ({ not: { or }, and: [and, { not: and }] })),
  fc.tuple(comparisons, comparisons).map(([plain, not]) => ({ ...plain, not })),
  { arbitrary: far, weight: 3 },
  fc.tuple(far, comparisons).map(([one, plain]) => ({ ...one, or: [plain, { not: one }] })),
);

type Form = { readonly nameOf: (group: string) => string; readonly farOf: (far: Far) => Filter };

/** A filter with groups, and conditions of far values, as a surface writes them. */
function written(filter: unknown, form: Form): unknown {
  if (Array.isArray(filter)) return filter.map((one) => written(one, form));
  const parts = Object.entries(filter as Filter).flatMap(([key, value]) => {
    if (key === 'far') return Object.entries(form.farOf(value as Far));
    return [['or', 'and', 'not'].includes(key) ? [form.nameOf(key), written(value, form)] : [key, value]];
  });
  return Object.fromEntries(parts);
}

const inBody = (filter: Filter): unknown =>
  written(filter, {
    nameOf: (group) => `[${group}]`,
    farOf: ({ up = {}, label, part }) => ({
      ...Object.fromEntries(Object.entries(up).map(([field, value]) => [`[up.${field}]`, value])),
      ...(label && { '[up.shelf.label]': label }),
      ...(part && { [`[m/${part[0]}]`]: part[1] }),
    }),
  });

const asked: fc.Arbitrary<Asked> = fc.record({
  filter: filters,
  order: fc.array(fc.record({ field: fc.constantFrom(...ORDERED), descending: fc.boolean() }), { maxLength: 3 }),
  limit: fc.integer({ min: 0, max: 40 }),
  offset: fc.integer({ min: 0, max: 10 }),
  deleted: fc.boolean(),
});

/** A search's URL; its body is the filter itself. */
function byRest({ order, limit, offset, deleted }: Asked): string {
  const query = new URLSearchParams();
  if (order.length > 0)
    query.set('orderby', order.map(({ field, descending }) => (descending ? '-' : '') + field).join());
  query.set('limit', String(limit));
  query.set('offset', String(offset));
  query.set('deleted', String(deleted));
  query.set('stats', 'true');
  return `/data/rest/thing/search?${query.toString()}`;
}

const QUERY = (
  names: string,
) => `query ($filter: ThingFilter, $order: [ThingOrder!], $n: Int, $o: Int, $deleted: Boolean) {
  thing(filter: $filter, order: $order, first: $n, offset: $o, deleted: $deleted) {
    nodes { ${names} shelf { id label } up { id t } } total pageInfo { hasNextPage hasPreviousPage }
  }
}`;

const orderOf = (order: Asked['order']): string[] =>
  order.map(({ field, descending }) => `${field}_${descending ? 'desc' : 'asc'}`);

const forGraphQL = (filter: Filter): unknown =>
  written(filter, {
    nameOf: (group) => group.toUpperCase(),
    farOf: ({ up, label, part }) => ({
      ...((up ?? label) && { up: { ...up, ...(label && { shelf: { label } }) } }),
      ...(part && { m: [{ path: part[0], ...part[1] }] }),
    }),
  });

function byGraphQL({ filter, order, limit, offset, deleted }: Asked): Record<string, unknown> {
  return { filter: forGraphQL(filter), order: orderOf(order), n: limit, o: offset, deleted };
}

type Row = Record<string, unknown>;

async function rowOf(entity: string, id: string | number | null): Promise<Row | null> {
  if (id === null) return null;
  return (await tenant.send('GET', `/data/rest/${entity}/id/${id}`)).body.data?.[0] ?? null;
}

/** The row of REST with what it refers to, as the query above shows it. */
async function withRelations(row: Row): Promise<Row> {
  const shelf = await rowOf('shelf', row['shelf_id'] as number | null);
  const up = await rowOf('thing', row['up_id'] as string | null);
  return { ...row, shelf, up: up === null ? null : { id: up['id'], t: up['t'] } };
}

describe(`seed ${seed}`, () => {
  test('the same rows, totals and relations', async () => {
    const seen = { rows: 0, more: 0, filtered: 0, grouped: 0, related: 0, far: 0 };
    const property = fc.asyncProperty(asked, async (question) => {
      const rest = await tenant.send('POST', byRest(question), { filter: inBody(question.filter) });
      expect(rest.status).toBe(200);
      const answer = await ask(tenant, QUERY(columns.join(' ')), byGraphQL(question), { principal: USER });
      expect(answer.body.errors).toBeUndefined();
      const { nodes, total, pageInfo } = answer.body.data.thing;
      const expected = await Promise.all(rest.body.data.map(withRelations));
      expect(nodes).toEqual(expected);
      expect(total).toBe(rest.body.stats.total_count);
      // A page of nothing does not look further.
      expect(pageInfo.hasNextPage).toBe(question.limit > 0 && total > question.offset + rest.body.count);
      seen.rows += nodes.length;
      seen.filtered += Number(Object.keys(question.filter).length > 0 && nodes.length > 0);
      seen.far += Number(nodes.length > 0 && JSON.stringify(question.filter).includes('"far":{"'));
      seen.grouped += Number(nodes.length > 0 && ['or', 'not'].some((group) => group in question.filter));
      expect(pageInfo.hasPreviousPage).toBe(question.offset > 0);
      seen.more += Number(pageInfo.hasNextPage);
      seen.related += nodes.filter((node: Row) => node['up'] !== null).length;
    });
    await fc.assert(property, { numRuns: 500, seed });
    // A generator that never reached rows, filters, further pages or relations would prove nothing of them.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });

  test('walking by cursors, forward and back, meets every row once in order', async () => {
    const page = `query ($filter: ThingFilter, $order: [ThingOrder!], $first: Int, $after: String, $last: Int, $before: String) {
      thing(filter: $filter, order: $order, first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`;
    const property = fc.asyncProperty(asked, fc.integer({ min: 1, max: 40 }), async (question, size) => {
      const all = await tenant.send('POST', byRest({ ...question, limit: 1000, offset: 0, deleted: false }), {
        filter: inBody(question.filter),
      });
      const ids = all.body.data.map((row: Row) => row['id']);
      const base = { filter: forGraphQL(question.filter), order: orderOf(question.order) };
      const walk = async (forward: boolean): Promise<unknown[]> => {
        const walked: unknown[] = [];
        let cursor: string | null = null;
        for (;;) {
          const paging: object = forward ? { first: size, after: cursor } : { last: size, before: cursor };
          const { body }: Answer = await ask(tenant, page, { ...base, ...paging });
          expect(body.errors).toBeUndefined();
          const { edges, pageInfo } = body.data.thing;
          const found = edges.map((edge: { node: Row }) => edge.node['id']);
          if (forward) walked.push(...found);
          else walked.unshift(...found);
          expect(pageInfo.startCursor).toBe(edges[0]?.cursor ?? null);
          expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null);
          cursor = forward ? pageInfo.endCursor : pageInfo.startCursor;
          if (!(forward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return walked;
        }
      };
      expect(await walk(true)).toEqual(ids);
      expect(await walk(false)).toEqual(ids);
    });
    await fc.assert(property, { numRuns: 40, seed });
  });
});
