/** What SQL writes goes through the doors of every write: stateflows and the audit trail (docs/sql.md, "Rules"). */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { withInitialStates } from '#config/definitions/stateflow.ts';
import type { ActionDefinition, ProductDefinition, StateflowDefinition } from '#config/definitions/product.ts';
import type { Turn } from '#storage/port.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

const where = 'actions/a.yaml:1:1';
const OPEN = { language: 'cel', rule: 'true', where } as const;

const flow: StateflowDefinition = {
  name: 'life',
  entity: 'job',
  field: 'state',
  initial: 'open',
  states: {
    open: { events: { start: { target: 'running', guard: { language: 'cel', rule: 'row.size < 10', where } } } },
    running: { events: { stop: { target: 'done' } } },
    done: { events: {} },
  },
  where: 'stateflows/life.yaml:1:1',
};

/** An action `name` whose POST is the statement. */
const action = (name: string, text: string): ActionDefinition => ({
  name,
  description: '',
  entities: null,
  access: OPEN,
  sections: { create: { params: {}, sql: { text, file: 'actions/a.yaml', line: 2, column: 3 }, where } },
  where,
});

const product: ProductDefinition = {
  ...productOf(
    withInitialStates(
      [entityOf('job', { id: { type: 'string' }, state: { type: 'string' }, size: { type: 'integer' } })],
      [flow],
    ),
  ),
  stateflows: [flow],
  actions: [
    action('make', "insert into job (id, size) values ('a', 1), ('b', 2), ('c', 30) returning id, state"),
    action('skip', "insert into job (id, size, state) values ('d', 1, 'nowhere')"),
    action('begin', "update job set state = 'running' where size < 10 returning id, state"),
    action('begin_all', "update job set state = 'running'"),
    action('jump', "update job set state = 'done' where id = 'a'"),
    action('same', "update job set state = 'open' where id = 'a'"),
    action(
      'upsert',
      "insert into job (id, state) values ('a', 'done') on conflict (id) do update set state = excluded.state",
    ),
    action('drop', 'delete from job where size > 1'),
    action('look', 'select id from job'),
  ],
};

let tenant: DataTenant;
let events: NewAuditEvent[];
beforeAll(loadSqlParser);
beforeEach(async () => {
  tenant = await DataTenant.open(product);
  events = [];
  const commit = (turn: Turn, recorded: readonly NewAuditEvent[]): void => {
    events.push(...recorded);
    turn.commit();
  };
  Object.assign(tenant.activation, { outbox: { commit } });
});

const act = (name: string) => tenant.send('POST', `/data/actions/${name}`);
const states = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    ((await tenant.send('GET', '/data/rest/job')).body.data as { id: string; state: string }[]).map(({ id, state }) => [
      id,
      state,
    ]),
  );

describe('stateflows', () => {
  test('insert begins in the initial state; update fires the event that leads there, under its guard', async () => {
    expect((await act('make')).body).toMatchObject({ total: 3, data: [{ state: 'open' }, {}, {}] });
    expect((await act('begin')).body).toMatchObject({ total: 2 });
    expect(await states()).toEqual({ a: 'running', b: 'running', c: 'open' });
  });

  test.each([
    ['a state that no event leads to', 'jump', { status: 422, allowed: ['running'] }],
    ['a guard that fails for the last of three rows', 'begin_all', { status: 422, stateflow: 'life' }],
    ['a row that begins in no declared state', 'skip', { status: 422 }],
    ['an upsert that would jump', 'upsert', { status: 422 }],
  ])('%s is refused, and no row of the statement moves', async (_what, name, details) => {
    await act('make');
    const refused = await act(name);
    expect([refused.status, refused.body.code]).toEqual([500, 'v2.action_failed']);
    expect(refused.body.details).toMatchObject(details);
    expect(await states()).toEqual({ a: 'open', b: 'open', c: 'open' });
  });
});

describe('the audit trail', () => {
  test('a statement is one record that lists each of its rows, in the commit that changes them', async () => {
    await act('make');
    expect(events).toMatchObject([{ action: 'data.rows.change', outcome: 'ok' }]);
    const rowsOf = ({ data }: NewAuditEvent) =>
      (data as { rows: { id: string; verb: string; version: number }[] }).rows;
    expect(rowsOf(events[0]!).map(({ id, verb, version }) => [id, verb, version])).toEqual([
      ['a', 'create', 1],
      ['b', 'create', 1],
      ['c', 'create', 1],
    ]);
    await act('begin');
    expect(rowsOf(events[1]!).map(({ id, verb, version }) => [id, verb, version])).toEqual([
      ['a', 'update', 2],
      ['b', 'update', 2],
    ]);
    await act('drop');
    expect(rowsOf(events[2]!).map(({ id, verb }) => [id, verb])).toEqual([
      ['b', 'delete'],
      ['c', 'delete'],
    ]);
  });

  test('what is refused, what only reads and what changes nothing is not in it', async () => {
    await act('make');
    for (const name of ['begin_all', 'jump', 'look', 'same']) await act(name);
    expect(events).toHaveLength(1);
  });
});
