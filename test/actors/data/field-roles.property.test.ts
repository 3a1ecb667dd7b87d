/**
 * A field that a caller neither reads nor writes does not exist for it: the same random requests to a tenant with such fields and to one that
 * does not declare them have the same answers, to the letter (docs/contract/data-definitions.md §2.2).
 */
import { expect, test } from 'vitest';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { Method } from '#actors/protocol/method.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';

const roles = { read: ['chief'], write: ['chief'] };
const HIDDEN: Readonly<Record<string, FieldDefinition>> = {
  secret: { type: 'string', nullable: true, unique: true, roles },
  grade: { type: 'integer', nullable: true, index: true, roles },
  chief_id: { type: 'ref', nullable: true, ref: { entity: 'team' }, roles },
};
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  id: { type: 'string' },
  name: { type: 'string', nullable: true },
  size: { type: 'integer', nullable: true, index: true },
  code: { type: 'string', nullable: true, unique: true },
  team_id: { type: 'ref', nullable: true, ref: { entity: 'team' } },
};
const TEAM: Readonly<Record<string, FieldDefinition>> = { id: { type: 'string' }, name: { type: 'string' } };
const PLAN: FieldDefinition = { type: 'string', nullable: true, roles };

/** Rules see whole rows in both, and say the same. */
const productWith = (hidden: typeof HIDDEN, plan: Record<string, FieldDefinition>, index: string[][]) =>
  productOf([
    entityOf('team', { ...TEAM, ...plan }),
    entityOf(
      'item',
      { ...FIELDS, ...hidden },
      { traits: ['versioned', 'soft_delete'], index, rowRule: 'row.size != 3' },
    ),
  ]);

const ROWS = [
  { id: 'i1', name: 'one', size: 1, code: 'a', team_id: 't1' },
  { id: 'i2', name: 'two', size: 2, code: 'b', team_id: 't2' },
  { id: 'i3', name: null, size: 3, code: null, team_id: 't1' },
  { id: 'i4', name: 'four', size: null, code: 'd', team_id: null },
];
const secretOf = (at: number) => ({ secret: `s${at}`, grade: at, chief_id: at % 2 === 0 ? 't2' : null });

async function tenantWith(hides: boolean): Promise<DataTenant> {
  const product = hides
    ? productWith(HIDDEN, { plan: PLAN }, [
        ['grade', 'size'],
        ['size', 'name'],
      ])
    : productWith({}, {}, [['size', 'name']]);
  const tenant = await DataTenant.open(product);
  const make = async (entity: string, row: object): Promise<void> => {
    const made = await tenant.send('POST', `/data/rest/${entity}`, row, { principal: INTERNAL });
    expect([made.status, made.body]).toEqual([201, made.body]);
  };
  for (const id of ['t1', 't2']) await make('team', { id, name: id, ...(hides && { plan: `of ${id}` }) });
  for (const [at, row] of ROWS.entries()) await make('item', { ...row, ...(hides && secretOf(at)) });
  return tenant;
}

interface Wish {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  readonly extra?: string;
}

const SHOWN = Object.keys(FIELDS);
/** Names of fields: shown, hidden, and of none. */
const field = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SHOWN) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(HIDDEN), 'plan') },
  { weight: 1, arbitrary: fc.constant('nothing') },
);
const value = fc.constantFrom('one', 's1', 'a', 't1', 'i1', '1', '2', '0', 'zzz');
const op = fc.constantFrom('', '[ne]', '[gt]', '[null]', '[like]');
const fields = fc.uniqueArray(field, { minLength: 1, maxLength: 3 });
const relation = fc.constantFrom(
  'team',
  'chief',
  'item_by_team',
  'item_by_chief',
  'team.item_by_chief',
  'team.item_by_team',
);

const parameter = fc.oneof(
  fc.tuple(field, op, value).map(([name, how, to]) => `${name}${how}=${how === '[null]' ? 'true' : to}`),
  fc.tuple(field, value).map(([name, to]) => `[or]=${JSON.stringify([{ [name]: to }, { name: 'two' }])}`),
  fields.map((names) => `orderby=${names.join(',')}`),
  fields.map((names) => `select=${names.join(',')}`),
  field.map((name) => `groupby=${name}`),
  field.map((name) => `[aggregate]=count(${name}),max(${name})`),
  relation.map((name) => `include=${name}&depth=2`),
  fc.constantFrom(
    'sendhash=true',
    'meta=true',
    'stats=true',
    'deleted=true',
    'limit=2',
    'unmask=true',
    'version=1',
    'allowedactions=true',
  ),
);
const query = fc.array(parameter, { maxLength: 3 }).map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`));

const given = fc.constantFrom<unknown>('one', 's1', 'new', null, 1, 7, 't1', 't2');
const values = fc.dictionary(
  field.filter((name) => name !== 'id'),
  given,
  { maxKeys: 3 },
);
const id = fc.constantFrom('i1', 'i2', 'i3', 'i4', 'n1', 'n2');
const entity = fc.constantFrom('item', 'item', 'team');
const at = (path: string, method: Method, body?: unknown, extra = ''): Wish => ({ method, path, body, extra });

const graphqlFields = fc.uniqueArray(
  fc.constantFrom(...SHOWN, 'secret', 'team { id plan }', 'team { id name }', 'chief { id }'),
  {
    minLength: 1,
    maxLength: 3,
  },
);

const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(entity, query).map(([of, asked]) => at(`rest/${of}${asked}`, 'GET')) },
  { weight: 2, arbitrary: fc.tuple(id, query).map(([key, asked]) => at(`rest/item/id/${key}${asked}`, 'GET')) },
  fc.tuple(values, query).map(([filter, asked]) => at(`rest/item/search${asked}`, 'POST', { filter })),
  { weight: 3, arbitrary: fc.tuple(id, values).map(([key, row]) => at(`rest/item/id/${key}`, 'PATCH', row)) },
  { weight: 2, arbitrary: fc.tuple(id, values).map(([key, row]) => at('rest/item', 'POST', { id: key, ...row })) },
  fc
    .tuple(id, values, fc.constantFrom('code', 'secret', 'id', 'nothing'))
    .map(([key, row, on]) => at(`rest/item?[on]=${on}`, 'POST', [{ id: key, ...row }])),
  fc
    .tuple(field, value, values, fc.constantFrom('0', '1', '2'))
    .map(([name, to, row, count]) => at(`rest/item?${name}=${to}`, 'PATCH', row, `if-count:${count}\n`)),
  fc
    .tuple(id, values, fc.constantFrom('create', 'update', 'upsert', 'delete', 'restore'))
    .map(([key, row, action]) => at('rest', 'POST', { operations: [{ action, data: { item: { id: key, ...row } } }] })),
  fc
    .tuple(fc.constantFrom('json', 'jsonl', 'csv'), fc.option(fields), fc.option(fc.tuple(field, value)))
    .map(([format, only, filter]) =>
      at(
        `bulk?entity=item&format=${format}${only === null ? '' : `&fields=${only.join(',')}`}${filter === null ? '' : `&filter=${filter.join('=')}`}`,
        'PATCH',
      ),
    ),
  id.map((key) => at(`rest/item/id/${key}`, 'DELETE')),
  id.map((key) => at(`rest/item/id/${key}/restore`, 'POST')),
  graphqlFields.map((names) => at('graphql', 'POST', { query: `{ item { nodes { ${names.join(' ')} } total } }` })),
  fc.tuple(id, fc.constantFrom('name', 'secret', 'grade'), graphqlFields).map(([key, name, names]) =>
    at('graphql', 'POST', {
      query: `mutation { update_item(id: "${key}", data: { ${name}: ${name === 'grade' ? '1' : '"s1"'} }) { ${names.join(' ')} } }`,
    }),
  ),
  fc
    .constantFrom('', '/entities', '/entities/item', '/entities/team', '/graphql', '/openapi.json')
    .map((path) => at(`schema${path}`, 'GET')),
);

test('a tenant with hidden fields answers as one that does not have them', async () => {
  const reached = { requests: 0, answered: 0, refused: 0, named: 0, written: 0 };
  const hidden = /secret|grade|chief|plan/;
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 12 }), async (wishes) => {
      const [real, twin] = await Promise.all([tenantWith(true), tenantWith(false)]);
      for (const { method, path, body, extra = '' } of wishes) {
        const send = (tenant: DataTenant) => tenant.send(method, `/data/${path}`, body, { principal: USER, extra });
        const [one, other] = [await send(real), await send(twin)];
        expect({ status: one.status, body: one.body, etag: one.headers['ETag'] }, `${method} ${path}`).toEqual({
          status: other.status,
          body: other.body,
          etag: other.headers['ETag'],
        });
        reached.requests++;
        if (one.status < 300) reached.answered++;
        else reached.refused++;
        if (hidden.test(path + JSON.stringify(body ?? ''))) reached.named++;
        if (method !== 'GET' && one.status < 300 && path.startsWith('rest')) reached.written++;
      }
      // Nothing that was hidden has been changed.
      const { data } = (
        await real.send('GET', '/data/rest/item?orderby=id&limit=4&deleted=true', undefined, { principal: INTERNAL })
      ).body;
      for (const row of data as { id: string }[]) {
        const place = ROWS.findIndex((known) => known.id === row.id);
        expect(row).toMatchObject(place === -1 ? { secret: null, grade: null, chief_id: null } : secretOf(place));
      }
    }),
    { numRuns: 250 },
  );
  expect(reached.requests).toBeGreaterThan(1000);
  for (const part of ['answered', 'refused', 'named'] as const) expect(reached[part]).toBeGreaterThan(300);
  expect(reached.written).toBeGreaterThan(50);
}, 180_000);
