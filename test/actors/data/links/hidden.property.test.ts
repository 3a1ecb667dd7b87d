/**
 * Links tell nothing of rows that their reader may not see: two tenants that differ in hidden rows and in the links with them alone answer every
 * request of a user alike, on each surface, whatever the user has written before.
 */
import { expect, test } from 'vitest';
import type { Method } from '#actors/protocol/method.ts';
import { withPairs } from '#config/definitions/link.ts';
import { DataTenant, entityOf, productOf, USER, type Answer } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { id, INSIDE, link } from './kit.ts';

const RUNS = rounds({ suite: 60, ci: 350 });
const seed = testSeed();

const isHidden = { hidden: { type: 'boolean' } } as const;
const rowRule = 'row.hidden != true';
const product = productOf(
  withPairs([
    entityOf(
      'ticket',
      { id, name: { type: 'string' }, ...isHidden },
      {
        index: [['name']],
        rowRule,
        traits: ['soft_delete', 'versioned'],
        links: { tags: link('tag'), related: link('ticket') },
      },
    ),
    entityOf(
      'tag',
      { id, name: { type: 'string' }, ...isHidden },
      { index: [['name']], rowRule, traits: ['soft_delete'] },
    ),
  ]),
);

/** `g8`, `g9`, `t8` and `t9` are hidden, and in one of the two tenants alone; `no` is in none. */
const TAGS = ['g1', 'g2', 'g3', 'g8', 'g9', 'no'];
const TICKETS = ['t1', 't2', 't3', 't8', 't9', 'no'];
const seen = (ids: readonly string[]) => ids.filter((one) => /[1-3]$/.test(one));

async function open(hides: boolean): Promise<DataTenant> {
  const tenant = await DataTenant.open(product);
  const post = async (entity: string, row: object) => {
    const { status } = await tenant.send('POST', `/data/rest/${entity}`, row, { principal: INSIDE });
    expect([row, status]).toEqual([row, 201]);
  };
  for (const one of ['g1', 'g2', 'g3']) await post('tag', { id: one, name: one === 'g3' ? 'red' : 'blue' });
  if (hides) for (const one of ['g8', 'g9']) await post('tag', { id: one, name: 'red', hidden: true });
  const secret = hides ? ['g8', 'g9'] : [];
  await post('ticket', { id: 't1', name: 'red', tags: ['g1', ...secret] });
  if (hides) await post('ticket', { id: 't8', name: 'red', hidden: true, tags: ['g2'] });
  await post('ticket', { id: 't2', name: 'blue', tags: ['g1', 'g2'], related: ['t1', ...(hides ? ['t8'] : [])] });
  await post('ticket', { id: 't3', name: 'blue', tags: secret });
  if (!hides) return tenant;
  await post('ticket', { id: 't9', name: 'red', hidden: true, tags: ['g1', 'g9'], related: ['t1', 't2'] });
  return tenant;
}

interface Asked {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  readonly extra?: string;
}

interface Side {
  readonly of: string;
  readonly name: string;
  readonly ids: readonly string[];
  /** A relation of the rows on the other side. */
  readonly on: string;
}

const SIDES: readonly Side[] = [
  { of: 'ticket', name: 'tags', ids: TAGS, on: 'ticket_by_tags' },
  { of: 'ticket', name: 'related', ids: TICKETS, on: 'tags' },
  { of: 'ticket', name: 'ticket_by_related', ids: TICKETS, on: 'related' },
  { of: 'tag', name: 'ticket_by_tags', ids: TICKETS, on: 'related' },
];

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
const side = fc.constantFrom(...SIDES);
const condition = (ids: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...ids).map((one) => ({ id: one })),
    fc.constantFrom({ name: 'red' }, { name: { ne: 'blue' } }, {}, { hidden: true }, { hidden: { null: true } }),
  );

/** Conditions over a link, as a query string has them. */
const crossing = side.chain((one) =>
  fc
    .oneof(
      fc.constantFrom(...one.ids).map((of) => `[${one.name}.id]=${of}`),
      fc.constantFrom('red', 'blue').map((name) => `[${one.name}.name]=${name}`),
      fc.subarray([...one.ids], { minLength: 1 }).map((ids) => `[${one.name}.id][in]=${ids.join()}`),
      fc
        .tuple(fc.constantFrom('some', 'none', 'every'), condition(one.ids))
        .map(([how, of]) => `[${one.name}][${how}]=${json(of)}`),
      fc.constantFrom('red', 'blue').map((name) => `[${one.name}.${one.on}.name]=${name}`),
    )
    .map((text) => ({ of: one.of, text })),
);

const get = (path: string): Asked => ({ method: 'GET', path: `rest/${path}` });
const reads = fc.oneof(
  side.map(({ of, name }) => get(`${of}?fields=id,${name}&orderby=id&stats=true`)),
  side.map(({ of, name }) => get(`${of}?include=${name}&[${name}][limit]=1&orderby=id`)),
  fc
    .tuple(side, condition(TAGS))
    .map(([{ of, name, on }, filter]) =>
      get(`${of}?include=${name}.${on}&depth=2&[${name}][filter]=${json(filter)}&[${name}][orderby]=-id&orderby=id`),
    ),
  side.chain(({ of, name, ids }) => fc.constantFrom(...ids).map((one) => get(`${of}/id/${one}?fields=${name}`))),
  crossing.map(({ of, text }) => get(`${of}?${text}&orderby=id&stats=true`)),
  crossing.map(({ of, text }) => get(`${of}?${text}&limit=1&after=`)),
  crossing.map(({ of, text }) => get(`${of}?${text}&[aggregate]=count,count_distinct(name)`)),
  crossing.map(({ of, text }) => get(`${of}?${text}&groupby=name&orderby=name`)),
  crossing.map(({ of, text }) => ({ method: 'PATCH' as const, path: `bulk?entity=${of}&format=json&${text}` })),
  fc.constantFrom('some', 'none', 'every').chain((how) =>
    fc.constantFrom('red', 'blue').map((name) => ({
      method: 'POST' as const,
      path: 'graphql',
      extra: 'content-type:application/json\naccept:application/graphql-response+json\n',
      body: {
        query: `{ ticket(filter: {tags: {${how}: {name: {eq: "${name}"}}}}, order: [id_asc]) { total nodes { id tags(order: [id_desc]) { total nodes { id } } ticket_by_related { total } } } }`,
      },
    })),
  ),
);

const change = (ids: readonly string[]) =>
  fc.oneof(
    fc.subarray([...seen(ids)]),
    fc.subarray([...ids]),
    fc.record({ add: fc.subarray([...seen(ids)]) }),
    fc.record({ remove: fc.subarray([...ids]) }),
    fc.record({ add: fc.subarray([...ids]) }),
  );
const written = fc.oneof(
  change(TAGS).map((tags) => ({ tags })),
  change(TICKETS).map((related) => ({ related })),
);
const ticket = fc.constantFrom(...TICKETS);
const ofTicket = fc.constantFrom('tags', 'related', 'ticket_by_related');
const writes = fc.oneof(
  fc.tuple(ticket, written).map(([of, body]) => ({ method: 'PATCH' as const, path: `rest/ticket/id/${of}`, body })),
  fc.tuple(fc.constantFrom('t1', 't2', 't3'), written).map(([of, body]) => ({
    method: 'POST' as const,
    path: 'rest/ticket?[on]=id',
    body: { ...body, id: of },
  })),
  fc.tuple(fc.constantFrom('t1', 't2', 't3'), written).map(([of, body]) => ({
    method: 'POST' as const,
    path: 'rest?stats=true',
    body: { operations: [{ action: 'upsert', data: { ticket: { ...body, id: of } } }] },
  })),
  fc.tuple(ofTicket, fc.constantFrom('red', 'blue'), fc.nat({ max: 3 })).map(([name, of, count]) => ({
    method: 'PATCH' as const,
    path: `rest/ticket?[${name}.name]=${of}`,
    body: { name: 'red' },
    extra: `if-count:${count}\n`,
  })),
  fc
    .tuple(
      fc.constantFrom('tag/id/g1', 'tag/id/g9', 'ticket/id/t1', 'ticket/id/t9'),
      fc.constantFrom('', '?purge=true'),
    )
    .map(([path, purge]) => ({ method: 'DELETE' as const, path: `rest/${path}${purge}` })),
  fc
    .constantFrom('tag/id/g1', 'tag/id/g9', 'ticket/id/t1', 'ticket/id/t9')
    .map((path) => ({ method: 'POST' as const, path: `rest/${path}/restore` })),
);
const asked = fc.oneof({ weight: 3, arbitrary: reads }, { weight: 2, arbitrary: writes });

const reached = { ok: 0, refused: 0, absent: 0, written: 0, told: 0 };

const answerOf = (tenant: DataTenant, { method, path, body, extra = '' }: Asked): Promise<Answer> =>
  tenant.send(method, `/data/${path}`, body, { principal: USER, extra });

test(`no answer tells a hidden row from an absent one (seed ${seed})`, async () => {
  const property = fc.asyncProperty(
    fc.array(asked as fc.Arbitrary<Asked>, { minLength: 20, maxLength: 40 }),
    async (all) => {
      const [hiding, bare] = [await open(true), await open(false)];
      for (const one of all) {
        const [shown, expected] = [await answerOf(hiding, one), await answerOf(bare, one)];
        expect([one, shown]).toEqual([one, expected]);
        const { status } = shown;
        reached.ok += Number(status === 200);
        reached.refused += Number(status === 422 || status === 412);
        reached.absent += Number(status === 404);
        reached.written += Number(status === 200 && one.body !== undefined && one.path.startsWith('rest'));
        // Where the reader may see all, the answers differ: else the two tenants would prove nothing.
        if (one.method !== 'GET' || reached.told > 200) continue;
        const whole = await hiding.send('GET', `/data/${one.path}`, undefined, { principal: INSIDE });
        reached.told += Number(JSON.stringify(whole.body) !== JSON.stringify(shown.body));
      }
    },
  );
  await fc.assert(property, { seed, numRuns: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);
