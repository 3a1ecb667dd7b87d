/**
 * What fields of other roles, computed fields and views hide stays hidden where newer ways to ask meet: conditions, orders and groups by values of other
 * rows (docs/contract/data.md §5.4.3, §5.4.4), subscribers of changes (docs/contract/changes.md), views (docs/contract/data.md §5.13).
 */
import { beforeAll, expect, test } from 'vitest';
import { dataService } from '#actors/data/service.ts';
import type { ComputedDefinition } from '#config/definitions/product.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { viewOf } from '#test/kit/view-definition.ts';
import type { Principal } from '#actors/protocol/principal.ts';

const id = { type: 'string' } as const;
const computed = (rule: string): ComputedDefinition => ({ type: 'string', language: 'cel', rule, where: 'e.yaml:1:1' });
const person = entityOf(
  'person',
  { id, first: { type: 'string' }, last: { type: 'string' }, pay: { type: 'integer', roles: { read: ['hr'] } } },
  { computed: { full: computed('row.first + " " + row.last'), band: computed('row.pay > 50 ? "high" : "low"') } },
);
const task = {
  ...entityOf(
    'task',
    { id, title: { type: 'string' }, owner: { type: 'ref', nullable: true, ref: { entity: 'person' } } },
    { computed: { loud: computed('row.title + "!"') } },
  ),
  changes: true as const,
};
const ledger = viewOf(
  'ledger',
  { id: 'string', title: 'string', pay: 'integer' },
  'select t.id, t.title, p.pay from task t join person p on p.id = t.owner',
);
const HR: Principal = { ...USER, subject: 'hr', roles: ['hr'] };
/** Identity's part: the credential of a call is its subject. */
const service = dataService({
  bearers: () => ({
    check: (authorization) => [USER, HR].find(({ subject }) => authorization === `Bearer ${subject}`) ?? null,
  }),
});
let tenant: DataTenant;

const ask = async (path: string, principal: Principal = USER): Promise<[number, string]> => {
  const { status, body } = await tenant.send('GET', `/data/${path}`, undefined, {
    principal,
    authorization: `Bearer ${principal.subject}`,
  });
  return [status, JSON.stringify(body)];
};

beforeAll(async () => {
  await loadSqlParser();
  tenant = await DataTenant.open({ ...productOf([person, task]), views: [ledger] }, { service });
  const rows = [
    ['person', { id: 'p1', first: 'Ada', last: 'King', pay: 90 }],
    ['person', { id: 'p2', first: 'Bob', last: 'Low', pay: 10 }],
    ['task', { id: 't1', title: 'one', owner: 'p1' }],
    ['task', { id: 't2', title: 'two', owner: 'p2' }],
  ] as const;
  for (const [entity, row] of rows)
    expect((await tenant.send('POST', `/data/rest/${entity}`, row, { principal: SUPERADMIN })).status).toBe(201);
});

const WAYS = (path: string, field: string): string[] => [
  `rest/task?[${path}.${field}]=x`,
  `rest/task?[${path}.${field}][ne]=x`,
  `rest/task?orderby=[${path}.${field}]`,
  `rest/task?groupby=[${path}.${field}]&count=true`,
  `rest/task?max=[${path}.${field}]`,
  `changes?entity=task&[${path}.${field}]=x`,
];

test.each(WAYS('owner', 'band'))(
  '%s: a field computed from one that the caller does not read is answered as none',
  async (way) => {
    const unknown = await ask(way.replaceAll('band', 'none'));
    expect(unknown[0]).toBe(422);
    expect(await ask(way)).toEqual([422, unknown[1].replaceAll('none', 'band')]);
  },
);

test.each([...WAYS('owner', 'full'), ...WAYS('owner', 'band')])(
  '%s: one that the caller reads says that it is computed, or no field',
  async (way) => {
    expect((await ask(way, HR))[0]).toBe(422);
  },
);

test.each(['rest/person?[task_by_owner.loud]=x', 'rest/person?[task_by_owner.loud][none]=x'])(
  '%s: nor is it asked of rows on the other side',
  async (way) => {
    expect((await ask(way))[0]).toBe(422);
  },
);

test('a subscriber is shown what it names, and what it may not read is no field', async () => {
  const [, begun] = await ask('changes?entity=task');
  const { after } = JSON.parse(begun) as { after: number };
  await tenant.send('PATCH', '/data/rest/task/id/t1', { title: 'uno' }, { principal: SUPERADMIN });
  const [status, text] = await ask(`changes?entity=task&after=${after}&fields=id,loud`);
  expect([status, text]).toEqual([200, expect.stringContaining('"row":{"id":"t1","loud":"uno!"}')]);
  expect((await ask(`changes?entity=task&after=${after}&fields=id,nothing`))[0]).toBe(422);
  await tenant.send('PATCH', '/data/rest/task/id/t1', { title: 'one' }, { principal: SUPERADMIN });
});

test('a view has no changes, no relations, and no values that its caller does not read', async () => {
  expect((await ask('changes?entity=ledger'))[0]).toBe(501);
  expect((await ask('rest/ledger?orderby=[task.title]'))[0]).toBe(422);
  const rows = async (query: string, principal: Principal) =>
    JSON.parse((await ask(`rest/ledger?${query}`, principal))[1]) as { data: { id: string; pay: number | null }[] };
  expect((await rows('orderby=-pay', HR)).data.map((row) => [row.id, row.pay])).toEqual([
    ['t1', 90],
    ['t2', 10],
  ]);
  expect((await rows('orderby=id', USER)).data.map((row) => row.pay)).toEqual([null, null]);
  expect((await rows('orderby=pay,id', USER)).data.map((row) => row.id)).toEqual(['t1', 't2']);
  expect((await rows('orderby=-pay,id', USER)).data.map((row) => row.id)).toEqual(['t1', 't2']);
  expect((await rows('pay[gt]=0', USER)).data).toEqual([]);
});
