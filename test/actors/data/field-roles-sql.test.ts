/** Roles of fields in statements of actions: a field that the caller does not read is shown as null, and nothing is computed with it (docs/contract/data-definitions.md §2.2). */
import { beforeAll, expect, test } from 'vitest';
import type { ActionDefinition } from '#config/definitions/product.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const agent: Principal = { ...USER, subject: 'a1', roles: ['agent'] };
const viewer: Principal = { ...USER, subject: 'v1', roles: ['viewer'] };
const SHOWN = [
  'select * from note',
  'select json_agg(n) as x from note n',
  'select row_to_json(n) as x from note n',
  // Of a column that is shown, and so of null.
  'with recursive r as (select body as x from note union all select x || x from r where length(x) < 9) select x from r',
];
const COMPUTED = [
  'select id, row_number() over (order by body) as x from note',
  'select id, lag(body) over (order by id) as x from note',
  'select json_agg(id order by body) as x from note',
  "select count(*) filter (where body like 's%') as x from note",
  'select distinct on (body) id from note order by body',
  'select n.id, l.x from note n, lateral (select length(n.body) as x) l',
  "select id, regexp_replace(body, 'e', 'E') as x from note",
  "select id, meta ->> 'a' as x from note",
  'select n.id, (select max(m.body) from note m where m.id = n.id) as x from note n',
];
const actions = [...SHOWN, ...COMPUTED].map((text, no): ActionDefinition => {
  const access = { language: 'cel' as const, rule: 'true', where: 'actions/a.yaml:2:2' };
  const sql = { text, file: 'actions/a.yaml', line: 5, column: 7 };
  const sections = { read: { params: {}, sql, where: 'actions/a.yaml:4:3' } };
  return { name: `a${no}`, description: '', entities: null, access, sections, where: 'actions/a.yaml:1:1' };
});

let tenant: DataTenant;
const run = (principal: Principal, text: string) =>
  tenant.send('GET', `/data/actions/a${[...SHOWN, ...COMPUTED].indexOf(text)}`, undefined, { principal });

beforeAll(async () => {
  const hidden = { roles: { read: ['agent'] } };
  const note = entityOf('note', {
    id: { type: 'string' },
    body: { type: 'string', ...hidden },
    meta: { type: 'json', ...hidden },
  });
  tenant = await DataTenant.open({ ...productOf([note]), actions });
  const row = { id: 'n1', body: 'secret', meta: { a: 'secret' } };
  expect((await tenant.send('POST', '/data/rest/note', row, { principal: agent })).status).toBe(201);
});

test.each(SHOWN)('%s shows it to those who read it', async (text) => {
  const [theirs, ours] = [await run(agent, text), await run(viewer, text)];
  expect([theirs.status, ours.status, JSON.stringify(theirs.body)]).toEqual([
    200,
    200,
    expect.stringContaining('secret'),
  ]);
  expect(JSON.stringify(ours.body)).not.toContain('secret');
});

test.each(COMPUTED)('%s is refused', async (text) => {
  expect((await run(agent, text)).status).toBe(200);
  const { status, body } = await run(viewer, text);
  expect([status, JSON.stringify(body).includes('secret')]).toEqual([403, false]);
});
