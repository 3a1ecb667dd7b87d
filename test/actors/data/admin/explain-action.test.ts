/** POST …/actions/{name}/explain: how a statement finds its rows, and how many it looks at; nothing is written (docs/contract/data-admin.md §8.4). */
import { beforeAll, expect, test } from 'vitest';
import type { ActionDefinition, ActionSectionDefinition } from '#config/definitions/product.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const ADMIN = { ...USER, roles: ['tenant_admin'] };
const ROWS = 40;
const section = (text: string, params: ActionSectionDefinition['params'] = {}): ActionSectionDefinition => ({
  params,
  sql: { text, file: 'actions/a.yaml', line: 5, column: 7 },
  where: 'actions/a.yaml:4:3',
});
const rule = (text: string) => ({ language: 'cel' as const, rule: text, where: 'actions/a.yaml:2:2' });
const actionOf = (name: string, sections: ActionDefinition['sections'], access = 'true'): ActionDefinition => ({
  name,
  description: '',
  entities: null,
  sections,
  access: rule(access),
  where: 'actions/a.yaml:1:1',
});
const LEAST = { least: { type: 'integer', list: false, required: true, default: undefined } } as const;
const PRODUCT = {
  ...productOf([
    entityOf('ticket', {
      subject: { type: 'string' },
      priority: { type: 'integer' },
      no: { type: 'integer', index: true },
    }),
  ]),
  actions: [
    actionOf('loose', { read: section('select subject from ticket where priority >= :least', LEAST) }),
    actionOf('keyed', {
      read: section('select subject from ticket where no = :least', LEAST),
      delete: section('delete from ticket where no = :least', LEAST),
    }),
    actionOf('closed', { read: section('select subject from ticket') }, '"chief" in principal.roles'),
  ],
};

let tenant: DataTenant;
beforeAll(async () => {
  tenant = await DataTenant.open(PRODUCT);
  for (let no = 0; no < ROWS; no++)
    await tenant.send('POST', '/data/rest/ticket', { subject: `t${no}`, priority: no % 4, no });
});

const explain = (name: string, body: object, principal = ADMIN) =>
  tenant.send('POST', `/data/admin/data/actions/${name}/explain`, body, { principal });

test('rows that no index gives are looked at, each; an index gives those alone that fit', async () => {
  const loose = (await explain('loose', { params: { least: 3 } })).body;
  expect(loose).toMatchObject({
    action: 'loose',
    section: 'read',
    columns: ['subject'],
    total: ROWS / 4,
    looked_at: ROWS,
  });
  expect(loose.looks).toMatchObject([
    { entity: 'ticket', plan: { access: 'table' }, times: 1, looked: ROWS, found: ROWS / 4 },
  ]);
  const keyed = (await explain('keyed', { params: { least: 3 } })).body;
  expect([keyed.total, keyed.looked_at]).toEqual([1, 1]);
  expect(keyed.looks).toMatchObject([{ plan: { access: 'index', index: ['no'] } }]);
  expect(JSON.stringify([loose, keyed])).not.toMatch(/t3|select subject/);
});

test.each([
  ['a caller who is no administrator', 'loose', { params: { least: 1 } }, USER, 403, 'v2.requires_admin'],
  ['an action that its rule keeps from the caller', 'closed', {}, ADMIN, 403, 'v2.forbidden'],
  ['an action that is not there', 'none', {}, ADMIN, 404, 'v2.action_not_found'],
  ['a section that is not there', 'loose', { section: 'update' }, ADMIN, 404, 'v2.action_not_found'],
  ['a section that writes', 'keyed', { section: 'delete', params: { least: 1 } }, ADMIN, 422, 'v2.action_writes'],
  ['a parameter that is missing', 'loose', {}, ADMIN, 400, 'v2.bad_params'],
  ['another member', 'loose', { sql: 'select 1' }, ADMIN, 400, 'v2.invalid_body'],
] as const)('%s is refused', async (_what, name, body, principal, status, code) => {
  const answer = await explain(name, body, principal as typeof ADMIN);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

test('what writes was not carried out', async () => {
  const { body } = await tenant.send('GET', '/data/rest/ticket?limit=1');
  expect(body.total).toBe(ROWS);
});
