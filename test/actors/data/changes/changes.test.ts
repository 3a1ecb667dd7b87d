/** GET /data/changes in a tenant in memory, under the simulated clock: polls, streams, rules, ends, bounds. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { dataService } from '#actors/data/service.ts';
import { sweepSlice } from '#actors/data/changes/sweep.ts';
import { findHead, oldestEntries } from '#actors/data/changes/store.ts';
import { forgetChanges } from '#actors/data/changes/changes.ts';
import { SESSION_GATE } from '#actors/host/service-kit.ts';
import type { SessionGate } from '#actors/kit/session-gate.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { TABLES } from '#storage/catalogue.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const fields = {
  id: { type: 'string' },
  title: { type: 'string', nullable: true },
  owner: { type: 'string', nullable: true },
  mail: { type: 'string', nullable: true, mask: 'email' },
  wage: { type: 'integer', nullable: true, roles: { read: ['chief'], write: ['chief'] } },
} as const;
const note = entityOf('note', fields, {
  traits: ['soft_delete', 'versioned'],
  changes: true,
  rowRule: "row.owner == principal.subject || 'chief' in principal.roles",
});
const quiet = entityOf('quiet', { id: { type: 'string' } });
const product = productOf([note, quiet]);
const ANN: Principal = { ...USER, subject: 'ann' };
const BOB: Principal = { ...USER, subject: 'bob' };
const CHIEF: Principal = { ...USER, subject: 'chief', roles: ['chief'] };

let tenant: DataTenant;
let store: MemoryStore;
/** Whom the credential of a call stands for: a test may end one. */
let ended: Set<string>;
let ticks: (() => void)[];
/** What runs a few milliseconds later; null where nothing is gathered. */
let laters: (() => void)[] | null;

/** The credential of a call is the subject; identity's part is played by the test. */
const service = (subscribersMax?: number) => {
  const made = dataService({
    bearers: () => ({
      check: (authorization) => {
        const who = [ANN, BOB, CHIEF].find(({ subject }) => authorization === `Bearer ${subject}`);
        return who === undefined || ended.has(who.subject) ? null : who;
      },
    }),
    every: (_ms, run) => {
      ticks.push(run);
      return () => void ticks.splice(ticks.indexOf(run), 1);
    },
    ...(subscribersMax !== undefined && { subscribersMax }),
    ...(laters !== null && { after: (_ms: number, run: () => void) => void laters!.push(run) }),
  });
  return made;
};

beforeEach(async () => {
  ended = new Set();
  ticks = [];
  laters = null;
  store = new MemoryStore();
  tenant = await DataTenant.open(product, { store, service: service() });
});

const by = (who: Principal) => ({ principal: who, authorization: `Bearer ${who.subject}` });
const poll = (who: Principal, query = '') =>
  tenant.send('GET', `/data/changes?entity=note${query}`, undefined, by(who));
const write = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, who = CHIEF) => {
  const answer = await tenant.send(method, `/data/rest/note${path}`, body, by(who));
  expect([answer.status, answer.body]).toEqual([expect.toSatisfy((status) => status < 300), answer.body]);
};
const create = (row: object, who = CHIEF) => write('POST', '', row, who);
const opsOf = (body: { changes: { op: string; id: string }[] }) => body.changes.map(({ op, id }) => `${op} ${id}`);
const from = async (who: Principal): Promise<number> => (await poll(who)).body.after;

/** A stream, and what it has said so far. */
async function streamOf(who: Principal, query = '', extra = '') {
  const { call, outcome } = await tenant.begin('GET', `/data/changes?entity=note${query}`, undefined, {
    ...by(who),
    extra: `accept:text/event-stream${extra}\n`,
  });
  if (isRefusal(outcome) || outcome.stream === undefined) throw new Error('no stream');
  const { pieces, left } = outcome.stream;
  let text = '';
  let over = false;
  void (async () => {
    for await (const piece of pieces) text += Buffer.from(piece).toString();
    over = true;
  })();
  return { call, left: () => left?.(), said: () => text, isOver: () => over };
}

const tick = (ms: number): void => {
  tenant.clock.advance(ms);
  for (const run of ticks) run();
};

test('changes behind a position are told once, in their order, with the row as it is now', async () => {
  const after = await from(CHIEF);
  await create({ id: 'a', title: 'one' });
  await write('PATCH', '/id/a', { title: 'two' });
  await create({ id: 'b' });
  const { status, body } = await poll(CHIEF, `&after=${after}`);
  expect([status, opsOf(body), body.more]).toEqual([200, ['create a', 'update a', 'create b'], false]);
  expect(body.changes.map(({ version }: { version: number }) => version)).toEqual([1, 2, 1]);
  expect(body.changes[0].row).toMatchObject({ id: 'a', title: 'two', version: 2 });
  expect(body.changes[0].seq).toBeLessThan(body.changes[1].seq);
  expect(body.after).toBe(body.changes[2].seq);
  expect((await poll(CHIEF, `&after=${body.after}`)).body.changes).toEqual([]);
  const first = (await poll(CHIEF, `&after=${after}&limit=1`)).body;
  expect([opsOf(first), first.more]).toEqual([['create a'], true]);
});

test('what leaves a view is told as gone, what never was in it not at all', async () => {
  const after = await from(ANN);
  await create({ id: 'a', owner: 'ann' });
  await create({ id: 'b', owner: 'bob' });
  await write('PATCH', '/id/a', { owner: 'bob' });
  await write('PATCH', '/id/b', { owner: 'ann' });
  await write('DELETE', '/id/b');
  await write('POST', '/id/b/restore');
  const ann = (await poll(ANN, `&after=${after}`)).body;
  expect(opsOf(ann)).toEqual(['create a', 'gone a', 'update b', 'gone b', 'restore b']);
  // The row is not the caller's any more: of what it was nothing is shown.
  expect(ann.changes[0].row).toBeNull();
  const bob = (await poll(BOB, `&after=${after}`)).body;
  expect(opsOf(bob)).toEqual(['create b', 'update a', 'gone b']);
  // The numbers between do not say how many others there were.
  expect(bob.changes[1].seq - bob.changes[0].seq).toBeGreaterThan(3);
});

test('masked fields are shown as their masks say, fields of other roles not at all', async () => {
  const after = await from(ANN);
  await create({ id: 'a', owner: 'ann', mail: 'ann@example.org', wage: 7 });
  const [told] = (await poll(ANN, `&after=${after}`)).body.changes;
  expect(told.row).not.toHaveProperty('wage');
  expect(told.row.mail).not.toBe('ann@example.org');
  expect((await poll(CHIEF, `&after=${after}`)).body.changes[0].row.wage).toBe(7);
  for (const [query, status] of [
    ['&wage=7', 422],
    ['&mail=ann@example.org', 403],
    ['&fields=wage', 422],
  ] as const)
    expect((await poll(ANN, `&after=${after}${query}`)).status).toBe(status);
});

test('filters are those of lists, and a row that no longer meets one is gone', async () => {
  const after = await from(CHIEF);
  await create({ id: 'a', title: 'x' });
  await create({ id: 'b', title: 'y' });
  await write('PATCH', '/id/a', { title: 'y' });
  const told = (await poll(CHIEF, `&after=${after}&title[in]=x,z&fields=id`)).body;
  expect(opsOf(told)).toEqual(['create a', 'gone a']);
  const other = (await poll(CHIEF, `&after=${after}&title=y&fields=id`)).body;
  expect(opsOf(other)).toEqual(['create b', 'update a']);
  expect(other.changes[0].row).toEqual({ id: 'b' });
});

test('a request that does not fit is refused by name', async () => {
  for (const [query, status, code] of [
    ['entity=', 400, 'v2.missing_entity'],
    ['entity=none', 404, 'v2.entity_not_found'],
    ['entity=quiet', 501, 'v2.changes_not_declared'],
    ['entity=note&after=x', 422, 'v2.query_failed'],
    ['entity=note&wait=31', 422, 'v2.query_failed'],
    ['entity=note&limit=1001', 422, 'v2.query_failed'],
    ['entity=note&orderby=title', 422, 'v2.query_failed'],
    ['entity=note&deleted=true', 422, 'v2.query_failed'],
    ['entity=note&unmask=true', 422, 'v2.query_failed'],
    ['entity=note&nothing=1', 422, 'v2.query_failed'],
    ['entity=note&after=12', 410, 'v2.changes_position_over'],
    ['entity=note&after=9007199254740991', 410, 'v2.changes_position_over'],
  ] as const) {
    const { status: got, body } = await tenant.send('GET', `/data/changes?${query}`, undefined, by(CHIEF));
    expect([query, got, body.code]).toEqual([query, status, code]);
  }
});

test('an entity that declares no changes leaves nothing in the store', async () => {
  await tenant.send('POST', '/data/rest/quiet', { id: 'q' }, by(CHIEF));
  const turn = store.begin();
  expect([findHead(turn), [...oldestEntries(turn, -1)]]).toEqual([undefined, []]);
});

test('a refused write leaves no change', async () => {
  const after = await from(CHIEF);
  await create({ id: 'a' });
  expect((await tenant.send('POST', '/data/rest/note', { id: 'a' }, by(CHIEF))).status).toBe(422);
  const operations = { operations: [{ op: 'create', entity: 'note', data: { id: 'c' } }, { op: 'nothing' }] };
  expect((await tenant.send('POST', '/data/rest', operations, by(CHIEF))).status).toBeGreaterThan(399);
  expect(opsOf((await poll(CHIEF, `&after=${after}`)).body)).toEqual(['create a']);
});

test('a poll waits for a change that it may see, or for its time', async () => {
  const after = await from(ANN);
  const waiting = poll(ANN, `&after=${after}&wait=20`);
  await create({ id: 'b', owner: 'bob' });
  await create({ id: 'a', owner: 'ann' });
  expect(opsOf((await waiting).body)).toEqual(['create a']);
  const { after: next } = (await waiting).body;
  const idle = poll(ANN, `&after=${next}&wait=20`);
  await expect.poll(() => ticks.length).toBe(1);
  tick(20_000);
  expect((await idle).body).toEqual({ entity: 'note', changes: [], after: next, more: false });
  expect(ticks).toEqual([]);
});

test('a stream tells changes, its position and its end', async () => {
  const stream = await streamOf(ANN);
  await create({ id: 'b', owner: 'bob' });
  await create({ id: 'a', owner: 'ann' });
  await expect
    .poll(stream.said)
    .toMatch(
      /^retry: 2000\n\nid: \d+\nevent: change\ndata: \{"seq":\d+,"op":"create","entity":"note","id":"a".*\}\n\n$/,
    );
  const told = stream.said().length;
  tick(limits.changes.heartbeatMs);
  await expect.poll(() => stream.said().slice(told)).toBe(':\n\n');
  tick(limits.changes.idleLagMs * 2);
  await expect.poll(() => stream.said().slice(told + 3)).toMatch(/^:\nid: \d+\n\n$/);
  stream.left();
  await expect.poll(stream.isOver).toBe(true);
  expect(ticks).toEqual([]);
});

test('a stream that broke off goes on behind Last-Event-ID, which counts before the address', async () => {
  const after = await from(CHIEF);
  await create({ id: 'a' });
  const [{ seq }] = (await poll(CHIEF, `&after=${after}`)).body.changes;
  await create({ id: 'b' });
  const stream = await streamOf(CHIEF, `&after=${after}&snapshot=true`, `\nlast-event-id:${seq}`);
  await expect.poll(stream.said).toContain('"id":"b"');
  expect(stream.said()).not.toMatch(/"id":"a"|event: row/);
  stream.left();
});

test('a snapshot and what follows it have each change once', async () => {
  await create({ id: 'a', owner: 'ann' });
  await create({ id: 'b', owner: 'bob' });
  const stream = await streamOf(ANN, '&snapshot=true');
  await create({ id: 'c', owner: 'ann' });
  await expect.poll(stream.said).toContain('event: change');
  expect(
    [...stream.said().matchAll(/event: (\w+)\ndata: .*?"id":"(\w)"/g)].map(([, kind, id]) => `${kind} ${id}`),
  ).toEqual(['row a', 'change c']);
  expect(stream.said()).toMatch(/event: snapshot\ndata: \{"after":\d+\}/);
  stream.left();
  const page = (await poll(CHIEF, '&snapshot=true&fields=id')).body;
  expect([page.rows, page.changes]).toEqual([[{ id: 'a' }, { id: 'b' }, { id: 'c' }], []]);
  expect((await poll(CHIEF, `&after=${page.after}`)).body.changes).toEqual([]);
});

test('changes that were removed make older positions too old', async () => {
  const after = await from(CHIEF);
  for (const id of ['a', 'b', 'c']) await create({ id });
  const sweep = (keep: { ms: number; count: number }) => {
    const turn = store.begin();
    const { more } = sweepSlice(turn, keep, tenant.clock.now(), 10);
    turn.commit();
    return more;
  };
  const [first] = (await poll(CHIEF, `&after=${after}`)).body.changes;
  expect(sweep({ ms: 60_000, count: 2 })).toBe(false);
  expect((await poll(CHIEF, `&after=${after}`)).status).toBe(410);
  expect(opsOf((await poll(CHIEF, `&after=${first.seq}`)).body)).toEqual(['create b', 'create c']);
  tenant.clock.advance(61_000);
  sweep({ ms: 60_000, count: 2 });
  const over = await poll(CHIEF, `&after=${first.seq}`);
  expect([over.status, over.body.code]).toEqual([410, 'v2.changes_position_over']);
  const turn = store.begin();
  expect(findHead(turn)).toMatchObject({ count: 0, bytes: 0 });
  expect((await poll(CHIEF, `&after=${over.body.details.after}`)).status).toBe(200);
  const stream = await streamOf(CHIEF, `&after=${after}`);
  await expect.poll(stream.said).toMatch(/id: (\d+)\nevent: reset\ndata: \{"after":\1\}\n\n$/);
  await expect.poll(stream.isOver).toBe(true);
});

test('other definitions make every position too old, the same ones none', async () => {
  const after = await from(CHIEF);
  await create({ id: 'a' });
  const elsewhere = productOf([{ ...note, where: 'entities/other.yaml:7:1' }, quiet]);
  tenant = await DataTenant.open(elsewhere, { store, service: service() });
  expect(opsOf((await poll(CHIEF, `&after=${after}`)).body)).toEqual(['create a']);
  const moved = entityOf('note', fields, { traits: ['soft_delete', 'versioned'], changes: true, rowRule: 'true' });
  tenant = await DataTenant.open(productOf([moved, quiet]), { store, service: service() });
  expect((await poll(CHIEF, `&after=${after}`)).status).toBe(410);
});

test('an erasure leaves no position and no kept change', async () => {
  const stream = await streamOf(CHIEF);
  await create({ id: 'a' });
  await expect.poll(stream.said).toContain('event: change');
  forgetChanges(tenant.activation);
  await expect.poll(stream.said).toContain('event: reset');
  await expect.poll(() => [...oldestEntries(store.begin(), -1)]).toEqual([]);
});

test('a credential that does not count any more ends its streams and polls, and nothing is told behind it', async () => {
  let sessionEnds: (() => void)[] = [];
  const gate: SessionGate = {
    since: 0,
    managed: true,
    newest: 0,
    lives: () => true,
    onEnded: (then) => void sessionEnds.push(then),
  };
  SESSION_GATE.set(tenant.activation, gate);
  const [ann, bob] = [await streamOf(ANN), await streamOf(BOB)];
  const waiting = poll(ANN, '&wait=30');
  await expect.poll(() => sessionEnds.length).toBe(1);
  ended.add('ann');
  for (const then of sessionEnds) then();
  await create({ id: 'a', owner: 'ann' });
  await create({ id: 'b', owner: 'bob' });
  await expect.poll(ann.isOver).toBe(true);
  expect(ann.said()).toBe('retry: 2000\n\nevent: end\ndata: {"reason":"session"}\n\n');
  expect((await waiting).status).toBe(401);
  await expect.poll(bob.said).toContain('"id":"b"');
  bob.left();
});

test('streams and polls end when the tenant is wanted, and when the node is about to stop', async () => {
  const after = await from(ANN);
  const stream = await streamOf(ANN);
  const waiting = poll(ANN, `&after=${after}&wait=30`);
  await expect.poll(() => ticks.length).toBe(1);
  tenant.activation.exclusive.enter();
  tenant.activation.exclusive.whenQuiet(() => undefined);
  await expect.poll(stream.isOver).toBe(true);
  expect(stream.said()).toContain('event: end\ndata: {"reason":"leaving"}');
  expect((await waiting).body).toEqual({ entity: 'note', changes: [], after, more: false });
  tenant.activation.exclusive.leave();
  const again = await streamOf(ANN);
  tenant.service.retire!();
  await expect.poll(again.isOver).toBe(true);
  const refused = await poll(ANN);
  expect([refused.status, refused.body.code]).toEqual([503, 'v2.engine_unavailable']);
});

test('a caller, and a thread, have so many subscribers and no more', async () => {
  const most = limits.changes.perCallerMax;
  const streams = [];
  for (let n = 0; n < most; n++) streams.push(await streamOf(ANN));
  const refused = await poll(ANN);
  expect([refused.status, refused.body.code, refused.headers['Retry-After']]).toEqual([429, 'v2.changes_full', '1']);
  expect((await poll(BOB)).status).toBe(200);
  for (const stream of streams) stream.left();
  await expect.poll(async () => (await poll(ANN)).status).toBe(200);
  tenant = await DataTenant.open(product, { service: service(1) });
  const only = await streamOf(ANN);
  expect((await poll(BOB)).status).toBe(503);
  only.left();
  await expect.poll(async () => (await poll(BOB)).status).toBe(200);
});

test('a kept change that cannot be read makes its subscribers begin anew', async () => {
  const after = await from(CHIEF);
  await create({ id: 'a' });
  const turn = store.begin();
  const { key } = [...oldestEntries(turn, -1)][0]!;
  turn.put(key, Buffer.from([TABLES.change_log.version, 1, 2, 3, 4, 5]));
  turn.commit();
  expect((await poll(CHIEF, `&after=${after}`)).status).toBe(410);
});

test('the first change after a pause is told at once, those of the next milliseconds together, and none behind the end of a credential', async () => {
  laters = [];
  tenant = await DataTenant.open(product, { store, service: service() });
  const [chief, bob] = [await streamOf(CHIEF), await streamOf(BOB)];
  const told = ({ said }: typeof chief) =>
    [...said().matchAll(/"op":"create","entity":"note","id":"(\w)"/g)].map(([, id]) => id);
  const idle = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  await idle();
  await create({ id: 'a', owner: 'bob' });
  await expect.poll(() => [told(chief), told(bob)]).toEqual([['a'], ['a']]);
  await create({ id: 'b', owner: 'bob' });
  await create({ id: 'c', owner: 'ann' });
  await idle();
  expect([told(chief), laters.length]).toEqual([['a'], 1]);
  laters.shift()!();
  await expect
    .poll(() => [told(chief), told(bob)])
    .toEqual([
      ['a', 'b', 'c'],
      ['a', 'b'],
    ]);
  await create({ id: 'd', owner: 'bob' });
  ended.add('bob');
  for (const run of laters.splice(0)) run();
  await expect.poll(() => bob.isOver()).toBe(true);
  expect(told(bob)).toEqual(['a', 'b']);
  chief.left();
});
