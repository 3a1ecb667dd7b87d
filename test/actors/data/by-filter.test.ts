/** PATCH and DELETE of the rows that a filter finds (docs/contract/data.md §6.7), as a caller meets them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { withInitialStates } from '#config/definitions/stateflow.ts';
import { limits } from '#config/limits.ts';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Turn } from '#storage/port.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const OPEN = { create: 'true', read: 'true', update: 'true', delete: 'true' };
const task = entityOf(
  'task',
  {
    id: { type: 'integer' },
    state: { type: 'string' },
    size: { type: 'integer' },
    owner: { type: 'string' },
    secret: { type: 'string', mask: 'redact' },
  },
  {
    traits: ['soft_delete', 'versioned'],
    access: { ...OPEN, update: "row.owner != 'locked'", delete: "row.owner != 'locked'", purge: 'false' },
    rowRule: "row.owner != 'hidden' || principal.superadmin",
  },
);
const product = {
  ...productOf(
    withInitialStates(
      [
        task,
        entityOf('node', {
          id: { type: 'integer' },
          part_of: { type: 'ref', ref: { entity: 'node', on_delete: 'cascade' } },
          held_by: { type: 'ref', ref: { entity: 'node', on_delete: 'restrict' } },
          code: { type: 'integer', unique: true },
        }),
        entityOf('shut', { n: { type: 'integer' } }, { access: { create: 'true', read: 'true' } }),
        entityOf('blind', { n: { type: 'integer' } }, { access: { create: 'true', update: 'true', delete: 'true' } }),
      ],
      [
        {
          name: 'life',
          entity: 'task',
          field: 'state',
          initial: 'open',
          states: { open: { events: { end: { target: 'done' } } }, done: { events: {} } },
          where: 'x',
        },
      ],
    ),
  ),
  stateflows: [
    {
      name: 'life',
      entity: 'task',
      field: 'state',
      initial: 'open',
      states: { open: { events: { end: { target: 'done' } } }, done: { events: {} } },
      where: 'x',
    },
  ],
};

let tenant: DataTenant;
let events: NewAuditEvent[];
beforeEach(async () => {
  tenant = await DataTenant.open(product);
  events = [];
  for (const [id, owner, size] of [
    [1, 'ada', 1],
    [2, 'ada', 2],
    [3, 'bob', 3],
    [4, 'locked', 4],
    [5, 'hidden', 5],
  ] as const)
    await tenant.send('POST', '/data/rest/task', { id, owner, size, secret: 'x' }, { principal: SUPERADMIN });
  const commit = (turn: Turn, recorded: readonly NewAuditEvent[]): void => {
    events.push(...recorded);
    turn.commit();
  };
  Object.assign(tenant.activation, { outbox: { commit } });
});

interface Asked {
  readonly principal?: Principal;
  readonly extra?: string;
}
const send = (
  verb: 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  count: string | null,
  body?: unknown,
  { principal = USER, extra = '' }: Asked = {},
) =>
  tenant.send(verb, `/data/rest/${path}`, body, {
    principal,
    extra: `${count === null ? '' : `if-count:${count}\n`}${extra}`,
  });
const tasks = async () => {
  const { body } = await tenant.send('GET', '/data/rest/task?deleted=true&limit=10000', undefined, {
    principal: SUPERADMIN,
  });
  return body.data as { id: number; size: number; version: number; state: string; deleted_at: string | null }[];
};
const sizes = async () => (await tasks()).map(({ size }) => size);

describe('without If-Count the answers are those of before', () => {
  test('a body without a key is 400', async () => {
    const answer = await send('PATCH', 'task?owner=ada', null, { size: 9 });
    expect([answer.status, answer.body.code]).toEqual([400, 'v2.missing_id']);
    expect(await send('PUT', 'task', null, {})).toMatchObject({ status: 400, body: { code: 'v2.missing_id' } });
  });

  test('a delete without an id is 400, whatever its filter', async () => {
    expect(await send('DELETE', 'task?owner=ada', null)).toMatchObject({ status: 400, body: { code: 'v2.bad_path' } });
    expect(await send('DELETE', '', '1')).toMatchObject({ status: 400, body: { code: 'v2.bad_path' } });
    expect(await sizes()).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('with If-Count', () => {
  test('all rows that match are changed, in one commit, each with its version and its event', async () => {
    const answer = await send('PATCH', 'task?owner=ada&stats=true', '2', { size: 7 });
    expect(answer).toMatchObject({ status: 200, body: { data: [], count: 0, total: 2 } });
    expect(answer.body.stats).toMatchObject({ rows_affected: 2, total_count: 2 });
    expect(answer.body.stats.sql).toBe(`UPDATE "task" SET "size" = 7 WHERE "owner" = 'ada' AND "deleted_at" IS NULL`);
    expect((await tasks()).map(({ size, version }) => [size, version])).toEqual([
      [7, 2],
      [7, 2],
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
    expect(events).toHaveLength(1);
    expect((events[0]!.data as { rows: { id: number }[] }).rows.map(({ id }) => id)).toEqual([1, 2]);
    const old = await tenant.send('GET', '/data/rest/task/id/1?version=1');
    expect(old.body.data[0].size).toBe(1);
  });

  test.each([
    ['1', 'more than 1 rows', null],
    ['3', '2 rows', 2],
    ['0', 'more than 0 rows', null],
  ])('where they are not %s nothing changes: 412', async (count, said, found) => {
    for (const verb of ['PATCH', 'DELETE'] as const) {
      const answer = await send(verb, 'task?owner=ada', count, verb === 'PATCH' ? { size: 9 } : undefined);
      expect([answer.status, answer.body.code]).toEqual([412, 'v2.count_differs']);
      expect(answer.body.error).toContain(said);
      expect(answer.body.details).toEqual({ if_count: Number(count), found });
    }
    expect(await sizes()).toEqual([1, 2, 3, 4, 5]);
    expect(events).toEqual([]);
  });

  test('rows that the caller may not see or not change are neither counted nor changed', async () => {
    expect((await send('PATCH', 'task', '3', { size: 0 })).body).toMatchObject({ total: 3 });
    expect(await sizes()).toEqual([0, 0, 0, 4, 5]);
    expect((await send('DELETE', 'task?size[gte]=0', '3')).body).toMatchObject({ total: 3 });
    expect((await tasks()).map((row) => row.deleted_at !== null)).toEqual([true, true, true, false, false]);
    expect(await send('DELETE', 'task', '0')).toMatchObject({ status: 200, body: { total: 0 } });
  });

  test('groups of conditions go with it, and no match is a count of 0', async () => {
    const or = `[or]=${encodeURIComponent('[{"owner":"bob"},{"[not]":{"size":{"gt":1}}}]')}`;
    expect(await send('PATCH', `task?${or}`, '2', { size: 20 })).toMatchObject({ status: 200 });
    expect(await sizes()).toEqual([20, 2, 20, 4, 5]);
    expect(await send('PATCH', 'task?owner=none', ' 0 ', { size: 1 })).toMatchObject({
      status: 200,
      body: { total: 0 },
    });
  });

  test('the rules of writes hold: an operation that no rule allows, a row that the row rule would hide, a filter by a masked field', async () => {
    expect(await send('PATCH', 'shut', '0', { n: 1 })).toMatchObject({
      status: 403,
      body: { code: 'v2.update_failed' },
    });
    expect(await send('DELETE', 'shut', '0')).toMatchObject({ status: 403, body: { code: 'v2.delete_failed' } });
    expect(await send('DELETE', 'blind', '0')).toMatchObject({ status: 403, body: { code: 'v2.delete_failed' } });
    expect(await send('DELETE', 'task?purge=true', '3')).toMatchObject({ status: 403 });
    expect(await send('PATCH', 'task?secret=x', '3', { size: 1 })).toMatchObject({ status: 403 });
    expect(await send('PATCH', 'task?owner=ada', '2', { owner: 'hidden' })).toMatchObject({
      status: 403,
      body: { details: { id: '1' } },
    });
    expect(
      await send('PATCH', 'task?owner=ada', '2', { size: 1 }, { principal: { ...USER, readonly: true } }),
    ).toMatchObject({
      status: 403,
    });
    expect(await sizes()).toEqual([1, 2, 3, 4, 5]);
  });

  test('one row that cannot take the change undoes all, and is named', async () => {
    await tenant.send('PATCH', '/data/rest/task/id/2', { state: 'done' });
    const answer = await send('PATCH', 'task?owner[in]=ada,bob', '3', { state: 'open', size: 0 });
    expect([answer.status, answer.body.code]).toEqual([422, 'v2.update_failed']);
    expect(answer.body.error).toMatch(/^row 2: /);
    expect(answer.body.details).toMatchObject({ id: '2', current: 'done' });
    expect(await sizes()).toEqual([1, 2, 3, 4, 5]);
    expect(await send('PATCH', 'task?owner=ada', '2', { size: 'many', nope: 1 })).toMatchObject({
      status: 422,
      body: { details: { fields: { size: expect.any(Array), nope: expect.any(Array) } } },
    });
  });

  test('a value that only one row may hold is refused where there are two, given where there is one', async () => {
    for (const id of [1, 2]) await tenant.send('POST', '/data/rest/node', { id });
    expect(await send('PATCH', 'node', '2', { code: 7 })).toMatchObject({
      status: 422,
      body: { details: { id: '2' } },
    });
    expect(await send('PATCH', 'node?id=2', '1', { code: 7 })).toMatchObject({ status: 200 });
  });

  test('a delete takes rows along that refer to it, and counts each that it found once', async () => {
    for (const row of [{ id: 1 }, { id: 2, part_of: 1 }, { id: 3, part_of: 2 }, { id: 4 }])
      await tenant.send('POST', '/data/rest/node', row);
    const answer = await send('DELETE', 'node?id[lte]=2', '2');
    expect(answer).toMatchObject({ status: 200, body: { total: 2 } });
    expect((await tenant.send('GET', '/data/rest/node')).body.data.map(({ id }: { id: number }) => id)).toEqual([4]);
    await tenant.send('POST', '/data/rest/node', { id: 5, held_by: 4 });
    expect(await send('DELETE', 'node?id=4', '1')).toMatchObject({ status: 422, body: { code: 'v2.delete_failed' } });
  });

  test.each(['', 'x', '-1', '1.5', '1e2', '0x1', '1234567890'])('%j is no count: 400', async (count) => {
    if (count === '') return;
    expect(await send('DELETE', 'task', count)).toMatchObject({ status: 400, body: { code: 'v2.count_invalid' } });
  });

  test.each([
    'limit=1',
    'offset=1',
    'page=1&limit=2',
    'orderby=id',
    'after=',
    'include=x',
    'groupby=owner',
    '[aggregate]=count',
    'deleted=true',
    'version=1',
    'datastore=other',
    'nope=1',
  ])('what chooses among the rows does not go with it: %s', async (asked) => {
    expect(await send('PATCH', `task?${asked}`, '3', { size: 0 })).toMatchObject({ status: 422 });
    expect(await sizes()).toEqual([1, 2, 3, 4, 5]);
  });

  test('a key, a version of one row and more rows than a request may change are refused', async () => {
    expect(await send('PATCH', 'task', '3', { id: 1, size: 0 })).toMatchObject({ status: 422 });
    expect(await send('DELETE', 'task', '3', undefined, { extra: 'if-match:"1"\n' })).toMatchObject({
      status: 422,
      body: { details: { header: 'if-match' } },
    });
    expect(await send('DELETE', 'task', String(limits.data.filteredRowsMax + 1))).toMatchObject({
      status: 422,
      body: { details: { most: limits.data.filteredRowsMax } },
    });
    expect(await send('DELETE', 'none', '1')).toMatchObject({ status: 404, body: { code: 'v2.delete_failed' } });
  });

  test('a retry under one Idempotency-Key gets the first answer; with another count it is another request', async () => {
    const keyed = { extra: 'idempotency-key:k1\n' };
    const first = await send('DELETE', 'task?owner=ada', '2', undefined, keyed);
    expect(first.status).toBe(200);
    expect((await send('DELETE', 'task?owner=ada', '2', undefined, keyed)).body).toEqual(first.body);
    expect(await send('DELETE', 'task?owner=ada', '0', undefined, keyed)).toMatchObject({
      status: 422,
      body: { code: 'v2.idempotency_key_reused' },
    });
  });
});

describe('a filter that takes longer than a turn', () => {
  const MANY = limits.data.turnScanRowsMax + 200;
  beforeEach(async () => {
    const rows = Array.from({ length: MANY }, (_, i) => ({ id: 100 + i, owner: i % 4 === 0 ? 'eve' : 'dan', size: i }));
    const made = await tenant.send('POST', '/data/rest', { operations: [{ data: { task: rows } }] });
    expect(made.status).toBe(200);
    events = [];
  });

  test('changes its rows in one commit', async () => {
    expect(await send('PATCH', 'task?owner=eve', String(MANY / 4), { size: -1 })).toMatchObject({
      body: { total: MANY / 4 },
    });
    expect((await sizes()).filter((size) => size === -1)).toHaveLength(MANY / 4);
    expect(events).toHaveLength(1);
    expect(await send('DELETE', 'task?owner=eve&size=-1', '1')).toMatchObject({
      status: 412,
      body: { details: { found: null } },
    });
  });

  test('changes nothing where a row that it found is another by then', async () => {
    const long = send('PATCH', 'task?owner=eve', String(MANY / 4), { size: -1 });
    await tenant.send('PATCH', '/data/rest/task/id/100', { owner: 'dan' });
    expect(await long).toMatchObject({ status: 412, body: { details: { found: MANY / 4 - 1 } } });
    expect(await sizes()).not.toContain(-1);
  });
});
