/** Consumer groups of a tenant in memory: where they go on, which callers use them, what ends a place, how administrators look after them. */
import { beforeEach, expect, test } from 'vitest';
import type { ChangeGroups } from '#config/definitions/change-groups.ts';
import { limits } from '#config/limits.ts';
import { forgetChanges } from '#actors/data/changes/changes.ts';
import { placedGroups, putPlace } from '#actors/data/changes/group/store.ts';
import { findHead } from '#actors/data/changes/store.ts';
import { sweepSlice } from '#actors/data/changes/sweep.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { dataService } from '#actors/data/service.ts';
import { TABLES } from '#storage/catalogue.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { Table } from '#storage/table.ts';
import { DataTenant, entityOf, productOf, USER, type Answer } from '#test/kit/data-call.ts';

const fields = {
  id: { type: 'string' },
  group: { type: 'string', nullable: true },
  owner: { type: 'string', nullable: true },
} as const;
const note = entityOf('note', fields, {
  changes: true,
  rowRule: "row.owner != 'hidden' || 'chief' in principal.roles",
});
const memo = entityOf('memo', { id: { type: 'string' } }, { changes: true });
const GROUPS: ChangeGroups = {
  mailer: { entity: 'note', services: true },
  index: { entity: 'note', services: true, shared: true },
  desk: { entity: 'note', roles: ['clerk'] },
};
const productWith = (groups: ChangeGroups | null) =>
  productOf([note, memo], { changes: { count: 50, ...(groups !== null && { groups }) } });

const BOT: Principal = { ...USER, type: 'service', subject: 'apikey:one', roles: [] };
const TWIN: Principal = { ...BOT, subject: 'apikey:two' };
const CLERK: Principal = { ...USER, subject: 'clerk', roles: ['clerk'] };
const PEER: Principal = { ...CLERK, subject: 'peer' };
const ADMIN: Principal = { ...USER, subject: 'admin', roles: ['tenant_admin', 'chief'] };
const PEOPLE = [BOT, TWIN, CLERK, PEER, ADMIN];

let store: MemoryStore;
let tenant: DataTenant;

const service = () =>
  dataService({
    bearers: () => ({
      check: (authorization) => PEOPLE.find(({ subject }) => authorization === `Bearer ${subject}`) ?? null,
    }),
    every: () => () => undefined,
  });
const open = async (groups: ChangeGroups | null = GROUPS): Promise<DataTenant> =>
  (tenant = await DataTenant.open(productWith(groups), { store, service: service() }));
beforeEach(async () => {
  store = new MemoryStore();
  await open();
});

const by = (who: Principal, extra = '') => ({ principal: who, authorization: `Bearer ${who.subject}`, extra });
const read = (who: Principal, query: string) =>
  tenant.send('GET', `/data/changes?entity=note&${query}`, undefined, by(who));
const acknowledge = (who: Principal, group: string, body?: object) =>
  tenant.send('POST', `/data/changes/groups/${group}`, body, by(who));
const create = async (id: string, more: object = {}): Promise<void> => {
  expect((await tenant.send('POST', '/data/rest/note', { id, ...more }, by(ADMIN))).status).toBe(201);
};
const idsOf = ({ body }: Answer): string[] => body.changes.map(({ id }: { id: string }) => id);
const told = ({ status, body }: Answer): [number, string] => [status, body.code];
const groups = async () =>
  (await tenant.send('GET', '/data/admin/data/changes/groups', undefined, by(ADMIN))).body.groups;
const sweep = (keep: number): void => {
  const turn = store.begin();
  sweepSlice(turn, { ms: Infinity, count: keep }, tenant.clock.now(), 100);
  turn.commit();
};

test('a group is told again what it has not acknowledged, and goes on behind what it has', async () => {
  expect(told(await read(BOT, 'group=mailer'))).toEqual([409, 'v2.changes_group_unplaced']);
  const begun = await acknowledge(BOT, 'mailer');
  expect(begun).toMatchObject({ status: 200, body: { group: 'mailer', entity: 'note' } });
  for (const id of ['a', 'b', 'c']) await create(id);
  const first = await read(BOT, 'group=mailer&limit=2');
  expect([idsOf(first), first.body.more]).toEqual([['a', 'b'], true]);
  expect(idsOf(await read(BOT, 'group=mailer'))).toEqual(['a', 'b', 'c']);
  const moved = await acknowledge(BOT, 'mailer', { after: first.body.after });
  expect(moved.body.after).toBe(first.body.after);
  await open(); // the tenant wakes anew
  expect(idsOf(await read(BOT, 'group=mailer'))).toEqual(['c']);
  // An acknowledgement that comes late takes nothing back, one without a position says where the group is.
  for (const body of [{ after: begun.body.after }, {}, { after: 0 }])
    expect((await acknowledge(BOT, 'mailer', body)).body.after).toBe(first.body.after);
});

test('reading moves nothing, whichever way it is read', async () => {
  const { body } = await acknowledge(BOT, 'mailer');
  await create('a');
  await read(BOT, 'group=mailer&wait=1');
  const { outcome } = await tenant.begin(
    'GET',
    '/data/changes?entity=note&group=mailer',
    undefined,
    // What a stream was told before counts for nothing: it was not acknowledged.
    by(BOT, 'accept:text/event-stream\nlast-event-id:1\n'),
  );
  if (isRefusal(outcome) || outcome.stream === undefined) throw new Error('no stream');
  const pieces = outcome.stream.pieces[Symbol.asyncIterator]();
  let text = '';
  while (!text.includes('event: change')) text += Buffer.from((await pieces.next()).value as Uint8Array).toString();
  outcome.stream.left?.();
  expect(text).toContain('"id":"a"');
  expect((await groups()).find(({ name }: { name: string }) => name === 'mailer').after).toBe(body.after);
});

test('which callers use a group', async () => {
  for (const [who, group] of [
    [BOT, 'desk'],
    [CLERK, 'mailer'],
    [ADMIN, 'mailer'],
    [{ ...ADMIN, superadmin: true }, 'desk'],
  ] as const) {
    expect(told(await acknowledge(who, group))).toEqual([403, 'v2.changes_group_denied']);
    expect(told(await read(who, `group=${group}`))).toEqual([403, 'v2.changes_group_denied']);
  }
  for (const name of ['none', '__proto__', 'constructor', 'x'.repeat(300)])
    for (const answer of [await acknowledge(BOT, name), await read(BOT, `group=${name}`)])
      expect(told(answer)).toEqual([404, 'v2.changes_group_not_found']);
  expect(placedGroups(store.begin())).toEqual([]);
});

test('the first caller that acknowledges has a group, unless it is shared', async () => {
  const { body } = await acknowledge(CLERK, 'desk');
  await create('a');
  const next = (await read(CLERK, 'group=desk')).body.after;
  expect(told(await acknowledge(PEER, 'desk', { after: next }))).toEqual([403, 'v2.changes_group_denied']);
  expect(told(await read(PEER, 'group=desk'))).toEqual([403, 'v2.changes_group_denied']);
  // The same subject as another kind of caller is another one.
  const alike: Principal = { ...BOT, subject: 'clerk' };
  expect((await acknowledge({ ...alike, roles: ['clerk'] }, 'desk', { after: next })).status).toBe(403);
  expect(idsOf(await read(CLERK, 'group=desk'))).toEqual(['a']);
  expect((await acknowledge(CLERK, 'desk')).body.after).toBe(body.after);
  await acknowledge(BOT, 'index');
  await create('b');
  const twin = await read(TWIN, 'group=index');
  expect(idsOf(twin)).toEqual(['b']);
  expect((await acknowledge(TWIN, 'index', { after: twin.body.after })).status).toBe(200);
  expect(idsOf(await read(BOT, 'group=index'))).toEqual([]);
});

test('a group shows no more than its caller sees', async () => {
  await acknowledge(CLERK, 'desk');
  await create('h', { owner: 'hidden' });
  await create('a');
  expect(idsOf(await read(CLERK, 'group=desk'))).toEqual(['a']);
  expect(idsOf(await read(CLERK, 'group=desk&owner=x'))).toEqual([]);
});

test('a place that is too old is told to reader and acknowledger, and goes on from a newer position', async () => {
  const { body } = await acknowledge(BOT, 'mailer');
  for (const id of ['a', 'b', 'c']) await create(id);
  sweep(1);
  const gone = await read(BOT, 'group=mailer');
  expect(told(gone)).toEqual([410, 'v2.changes_position_over']);
  for (const wish of [{}, { after: body.after }]) {
    const refused = await acknowledge(BOT, 'mailer', wish);
    expect(told(refused)).toEqual([410, 'v2.changes_position_over']);
    expect(refused.body.details.after).toBe(findHead(store.begin())!.seq);
  }
  expect((await groups()).find(({ name }: { name: string }) => name === 'mailer').over).toBe(true);
  expect((await acknowledge(BOT, 'mailer', { after: gone.body.details.after })).status).toBe(200);
  await create('d');
  expect(idsOf(await read(BOT, 'group=mailer'))).toEqual(['d']);
});

test.each([
  ['an erasure', () => forgetChanges(tenant.activation)],
  [
    // A backup holds places and no changes.
    'a restore',
    () => {
      const turn = store.begin();
      new Table('change_head', TABLES.change_head).del(turn, 'current');
      turn.commit();
      tenant.clock.advance(limits.changes.idleLagMs * 2);
    },
  ],
])('%s makes places too old', async (_what, happens) => {
  await acknowledge(BOT, 'mailer');
  await create('a');
  happens();
  await create('b');
  tenant.clock.advance(limits.changes.idleLagMs * 2);
  expect(told(await read(BOT, 'group=mailer'))).toEqual([410, 'v2.changes_position_over']);
  expect(told(await acknowledge(BOT, 'mailer'))).toEqual([410, 'v2.changes_position_over']);
});

test('a group that follows another entity now has no place in its changes', async () => {
  await acknowledge(BOT, 'mailer');
  await open({ mailer: { entity: 'memo', services: true } });
  expect(told(await read(BOT, 'group=mailer'))).toEqual([422, 'v2.query_failed']);
  const memos = await tenant.send('GET', '/data/changes?entity=memo&group=mailer', undefined, by(BOT));
  expect(told(memos)).toEqual([410, 'v2.changes_position_over']);
});

test('a request that does not fit is refused by name', async () => {
  const { body } = await acknowledge(BOT, 'mailer');
  for (const query of [`after=${body.after}`, 'snapshot=true'])
    expect(told(await read(BOT, `group=mailer&${query}`))).toEqual([422, 'v2.query_failed']);
  for (const [wish, code] of [
    [{ after: 'x' }, 'v2.invalid_body'],
    [{ after: -1 }, 'v2.invalid_body'],
    [{ after: 1.5 }, 'v2.invalid_body'],
    [{ until: 1 }, 'v2.invalid_body'],
    ['[', 'v2.bad_json'],
  ] as const)
    expect(told(await acknowledge(BOT, 'mailer', wish as object))).toEqual([400, code]);
  expect(told(await acknowledge(BOT, 'mailer', { after: Number.MAX_SAFE_INTEGER }))).toEqual([
    410,
    'v2.changes_position_over',
  ]);
});

test('where a product declares no groups, `group` is a condition on a field, as before', async () => {
  await open(null);
  const { body } = await read(BOT, '');
  await create('a', { group: 'x' });
  await create('b', { group: 'y' });
  expect(idsOf(await read(BOT, `after=${body.after}&group=y`))).toEqual(['b']);
  await open();
  expect(idsOf(await read(BOT, `after=${body.after}&group[eq]=y`))).toEqual(['b']);
});

test('administrators list groups and remove places, and the next caller goes on where it was', async () => {
  const { body } = await acknowledge(BOT, 'mailer');
  await create('a');
  const at = new Date(tenant.clock.now()).toISOString().slice(0, 19);
  expect(await groups()).toEqual([
    expect.objectContaining({ name: 'desk', roles: ['clerk'], after: null, over: false, acknowledged_by: null }),
    expect.objectContaining({ name: 'index', shared: true, services: true }),
    {
      name: 'mailer',
      declared: true,
      entity: 'note',
      services: true,
      roles: [],
      shared: false,
      after: body.after,
      over: false,
      acknowledged_at: expect.stringContaining(at),
      acknowledged_by: 'service apikey:one',
    },
  ]);
  const path = '/data/admin/data/changes/groups/mailer';
  expect(told(await tenant.send('DELETE', path, undefined, by(BOT)))).toEqual([403, 'v2.requires_admin']);
  const removed = await tenant.send('DELETE', path, undefined, by(ADMIN));
  expect([removed.status, removed.body.after]).toEqual([200, body.after]);
  expect(told(await tenant.send('DELETE', path, undefined, by(ADMIN)))).toEqual([404, 'v2.changes_group_not_found']);
  expect((await acknowledge(TWIN, 'mailer', { after: removed.body.after })).status).toBe(200);
  expect(idsOf(await read(TWIN, 'group=mailer'))).toEqual(['a']);
});

test('no tenant keeps more places than groups may be declared', async () => {
  const turn = store.begin();
  for (let n = 0; n < limits.changes.groupsMax - 1; n++)
    putPlace(turn, `old-${n}`, { after: 1, entity: 'note', at: 0, type: 'service', subject: 's' });
  turn.commit();
  await acknowledge(BOT, 'mailer');
  expect(placedGroups(store.begin())).toHaveLength(limits.changes.groupsMax);
  expect((await groups()).filter(({ declared }: { declared: boolean }) => !declared)).toHaveLength(99);
  await acknowledge(BOT, 'index');
  expect(placedGroups(store.begin())).toEqual(['index', 'mailer']);
});

test('a damaged place hurts its group alone, and is removed', async () => {
  await acknowledge(BOT, 'mailer');
  await acknowledge(CLERK, 'desk');
  const turn = store.begin();
  const places = new Table('change_place', TABLES.change_place);
  turn.put(places.key('mailer'), Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  new Table('change_head', TABLES.change_head).del(turn, 'current'); // as after a restore, which looks at all places
  turn.commit();
  await create('a');
  await expect(read(BOT, 'group=mailer')).rejects.toThrow();
  expect(told(await acknowledge(CLERK, 'desk'))).toEqual([410, 'v2.changes_position_over']);
  expect(await groups()).toEqual([
    expect.objectContaining({ name: 'desk', over: true, after: 0 }),
    expect.objectContaining({ name: 'index', over: false, after: null }),
    expect.objectContaining({ name: 'mailer', over: true, after: null, acknowledged_by: null }),
  ]);
  const removed = await tenant.send('DELETE', '/data/admin/data/changes/groups/mailer', undefined, by(ADMIN));
  expect([removed.status, removed.body.after]).toEqual([200, null]);
  expect((await acknowledge(BOT, 'mailer')).status).toBe(200);
});
