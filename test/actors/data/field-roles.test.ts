/** Roles of fields: which callers read and write them, on every way (docs/contract/data-definitions.md §2.2). */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const agent: Principal = { ...USER, subject: 'a1', roles: ['agent'] };
const viewer: Principal = { ...USER, subject: 'v1', roles: ['viewer'] };
const product = productOf([
  entityOf('team', { name: { type: 'string' }, budget: { type: 'integer', roles: { read: ['agent'] } } }),
  entityOf(
    'note',
    {
      id: { type: 'string' },
      title: { type: 'string' },
      code: { type: 'string', unique: true, roles: { read: ['agent'], write: ['agent'] } },
      state: { type: 'string', default: 'new', roles: { write: ['agent'] } },
      pin: { type: 'string', nullable: true, roles: { read: ['agent'] } },
      owner: { type: 'string', default_from: 'principal.subject', roles: { write: [] } },
      team_id: { type: 'ref', nullable: true, ref: { entity: 'team' }, roles: { read: ['agent'] } },
    },
    { traits: ['versioned'], index: [['code', 'title']] },
  ),
]);

let tenant: DataTenant;
const send = (principal: Principal, method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown, extra = '') =>
  tenant.send(method, `/data/${path}`, body, { principal, extra });

beforeAll(async () => {
  tenant = await DataTenant.open(product);
  await send(agent, 'POST', 'rest/team', { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', name: 'red', budget: 77 });
  const row = { id: 'n1', title: 'one', code: 'c-1', pin: 'p-1', team_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
  const made = await send(agent, 'POST', 'rest/note', row);
  expect([made.status, made.body]).toEqual([201, made.body]);
});

describe('a field that the caller does not read', () => {
  test('is not in a row, a list, a search, a projection, and in no answer to a write', async () => {
    const shown = { id: 'n1', title: 'one', state: 'new', owner: 'a1', version: 1 };
    for (const path of ['rest/note', 'rest/note/id/n1', 'rest/note?meta=true&stats=true'])
      expect((await send(viewer, 'GET', path)).body.data).toEqual([shown]);
    expect((await send(viewer, 'POST', 'rest/note/search', {})).body.data).toEqual([shown]);
    expect((await send(viewer, 'PATCH', 'rest/note/id/n1', { title: 'one' })).body.data).toEqual([shown]);
    expect((await send(agent, 'GET', 'rest/note')).body.data[0]).toMatchObject({ code: 'c-1', pin: 'p-1' });
    expect((await send(SUPERADMIN, 'GET', 'rest/note')).body.data[0]).toMatchObject({ code: 'c-1', pin: 'p-1' });
  });

  test.each([
    'code=c-1',
    '[or]=[{"code":"c-1"}]',
    'orderby=code',
    'select=code',
    'groupby=code',
    '[aggregate]=count(code)',
    'include=team',
  ])('is no field for %s', async (asked) => {
    const real = await send(viewer, 'GET', `rest/note?${asked}`);
    const made = await send(
      viewer,
      'GET',
      `rest/note?${asked.replaceAll('code', 'nothing').replace('team', 'nothing')}`,
    );
    expect(real.status).toBe(422);
    expect(JSON.stringify(real.body).replaceAll('code', '').replaceAll('team', '')).toBe(
      JSON.stringify(made.body).replaceAll('code', '').replaceAll('nothing', ''),
    );
    expect((await send(agent, 'GET', `rest/note?${asked}`)).status).toBe(200);
  });

  test('is in no included row, either way', async () => {
    const teams = await send(viewer, 'GET', 'rest/team?include=note_by_team');
    expect(teams).toMatchObject({ status: 422, body: { error: 'team has no relation note_by_team: it has none' } });
    const notes = await send(agent, 'GET', 'rest/team?include=note_by_team');
    expect(notes.body.data[0]).toMatchObject({ budget: 77, note_by_team: [{ code: 'c-1' }] });
  });
});

describe('a field that the caller does not write', () => {
  test('is refused, unless it is what the caller read', async () => {
    const row = { title: 'two', state: 'new', owner: 'a1' };
    expect(await send(viewer, 'PATCH', 'rest/note/id/n1', { ...row, title: 'one' })).toMatchObject({ status: 200 });
    for (const body of [{ state: 'done' }, { owner: 'v1' }, { code: 'x' }])
      expect(await send(viewer, 'PATCH', 'rest/note/id/n1', body)).toMatchObject({
        status: 422,
        body: { code: 'v2.update_failed' },
      });
    expect((await send(viewer, 'PATCH', 'rest/note/id/n1', { state: 'done' })).body.details.fields).toEqual({
      state: ['is not written by this caller'],
    });
    expect((await send(viewer, 'PATCH', 'rest/note/id/n1', { code: 'c-1' })).body.details.fields).toEqual({
      code: ['is not a field'],
    });
    expect(await send(viewer, 'POST', 'rest/note', { title: 'x', state: 'new' })).toMatchObject({ status: 422 });
  });

  test('takes its default', async () => {
    const made = await send(viewer, 'POST', 'rest/note', { id: 'n2', title: 'two', pin: 'blind' });
    expect(made).toMatchObject({ status: 201, body: { data: [{ owner: 'v1', state: 'new' }] } });
    expect((await send(agent, 'GET', 'rest/note/id/n2')).body.data[0]).toMatchObject({ pin: 'blind', code: null });
  });
});

test('a value that is written and not read always makes a version: its version does not tell what it was', async () => {
  const versions: number[] = [];
  for (const pin of ['blind', 'other', 'other'])
    versions.push((await send(viewer, 'PATCH', 'rest/note/id/n2', { pin })).body.data[0].version);
  expect(versions).toEqual([2, 3, 4]);
});
