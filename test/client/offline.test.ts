/** The offline queue: what it sends again and what not, whom it asks, what it refuses, and whose writes it sends. */
import { encodeTime } from 'ulid';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient, offlineQueue, SkepError, type OfflineOptions, type QueuedWrite } from '#client/index.ts';
import { KEY_KEPT_MS } from '#client/limits.ts';
import { newUlid } from '#client/ulid.ts';
import { limits } from '#config/limits.ts';
import { isUlid } from '#config/values/id.ts';
import { MemoryQueueStore } from '#test/kit/memory-queue-store.ts';
import { openTab, SharedLogin, tokenOf } from '#test/kit/offline-tab.ts';
import { HERE } from './fake-node.ts';
import { KeyedNode } from './keyed-node.ts';

let node: KeyedNode;
let kept: MemoryQueueStore;
let login: SharedLogin;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  node = new KeyedNode();
  kept = new MemoryQueueStore();
  login = new SharedLogin();
  login.as('ann');
});
afterEach(() => void vi.useRealTimers());

const open = (options?: OfflineOptions) => openTab(node.fake.fetch, login, kept, options);
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const statesOf = (entries: readonly QueuedWrite[]) => entries.map(({ state }) => state);
const keysOf = () => node.fake.sent.map(({ headers }) => headers.get('idempotency-key'));
const titles = () => [...node.rows.values()].map(({ row }) => row['title']);

test('with a network a write gives its row; ids are ULIDs that the client makes', async () => {
  const { notes, queue } = open();
  const made = await notes.create({ title: 'one' });
  expect(made.rows).toEqual([{ id: made.ids[0], title: 'one' }]);
  expect(isUlid(made.ids[0]!)).toBe(true);
  expect(await notes.create({ id: 'mine', title: 'two' })).toMatchObject({ ids: ['mine'], rows: [{ id: 'mine' }] });
  expect((await notes.update('mine', { title: 'three' }, { version: 1 })).rows).toEqual([
    { id: 'mine', title: 'three' },
  ]);
  expect((await notes.delete('mine', { purge: true })).rows).toHaveLength(1);
  expect([kept.size, await queue.entries(), node.fake.sent.at(-1)!.query.get('purge')]).toEqual([0, [], 'true']);
});

test('ULIDs of the client are those of the contract', () => {
  vi.setSystemTime(new Date('2026-11-27T10:00:00Z'));
  const ids = Array.from({ length: 500 }, newUlid);
  expect(ids.every(isUlid)).toBe(true);
  expect(new Set(ids).size).toBe(500);
  expect(new Set(ids.map((id) => id.slice(0, 10)))).toEqual(new Set([encodeTime(Date.now())]));
});

test('without a network writes wait in their order, outlive the page, and leave under the keys of their first attempt', async () => {
  node.network = 'before';
  const tab = open();
  const one = await tab.notes.create({ title: 'one' });
  expect(one.rows).toBeNull();
  await tab.notes.update(one.ids[0]!, { title: 'two' });
  expect(statesOf(await tab.queue.entries())).toEqual(['pending', 'pending']);
  expect(tab.queue.stoppedBy?.code).toBe('client.network');
  const [key] = keysOf();
  tab.crash();
  node.network = 'works';
  const next = open();
  await settle();
  expect(titles()).toEqual(['two']);
  expect(keysOf().slice(-2)[0]).toBe(key);
  expect([kept.size, next.queue.stoppedBy]).toEqual([0, null]);
});

test('it tries again after growing waits, and not before the node wants it', async () => {
  node.network = 'before';
  const { notes, queue } = open();
  await notes.create({ title: 'one' });
  await settle(10_000);
  const soon = node.fake.sent.length;
  await settle(600_000);
  expect(soon).toBeGreaterThan(2);
  expect(node.fake.sent.length - soon).toBeLessThan(25);
  node.network = 'works';
  await settle(60_000);
  expect(titles()).toEqual(['one']);
  queue.close();
});

test('the page of a hotel is no refusal', async () => {
  node.network = 'portal';
  const { notes, queue } = open();
  expect((await notes.create({ title: 'one' })).rows).toBeNull();
  expect(statesOf(await queue.entries())).toEqual(['pending']);
  node.network = 'works';
  await queue.replay();
  expect(titles()).toEqual(['one']);
});

const PAGE = '<html>this request was blocked</html>';
const blocking = (answer: () => Response) => (body: object) =>
  (body as { title?: string }).title === 'filtered' ? answer() : null;
for (const [name, status, answer] of [
  ['a page with 403', 403, () => new Response(PAGE, { status: 403 })],
  ['a page with 500', 500, () => new Response(PAGE, { status: 500 })],
  ['a page with 200', 0, () => new Response(PAGE)],
  ['JSON of another program', 200, () => new Response('{"blocked":true}')],
] as const)
  test(`a write that something else answers (${name}) is tried again each minute while others leave; after the life of its key the user is asked`, async () => {
    node.rows.set('a', { row: { id: 'a', title: 'old' }, version: 1 });
    node.filter = blocking(answer);
    const { notes, queue } = open();
    const { ids } = await notes.create({ title: 'filtered' });
    await notes.update('a', { title: 'filtered' });
    expect((await notes.update(ids[0]!, { title: 'later' })).rows).toBeNull();
    expect((await notes.update('a', { title: 'later' })).rows).toBeNull();
    expect((await notes.create({ title: 'other' })).rows).toHaveLength(1);
    expect(statesOf(await queue.entries())).toEqual(['pending', 'pending', 'pending', 'pending']);
    expect(queue.stoppedBy).not.toBeNull();
    const tries = () => node.fake.sent.filter((sent) => (sent.body as { title?: string })?.title === 'filtered').length;
    const before = tries();
    await settle(600_000);
    expect(tries() - before).toBeGreaterThan(2 * 4);
    expect(tries() - before).toBeLessThanOrEqual(2 * 10);
    await settle(KEY_KEPT_MS);
    const waiting = await queue.entries();
    expect(statesOf(waiting)).toEqual(['asks', 'asks', 'held', 'held']);
    // The key of the first is over, and it may go again: it has been answered once more. The second may not.
    expect([waiting[0]!.error?.status, waiting[1]!.error]).toEqual([status, null]);
    const ended = tries();
    await settle(600_000);
    expect([tries(), titles(), queue.stoppedBy]).toEqual([ended, ['old', 'other'], null]);
    node.filter = null;
    await queue.keep(waiting[0]!.number);
    await queue.drop(waiting[1]!.number);
    await settle();
    expect([titles(), await queue.entries()]).toEqual([['later', 'other', 'later'], []]);
    queue.close();
  });

test('a filter that lets a write pass in time leaves nothing behind', async () => {
  node.filter = blocking(() => new Response(PAGE, { status: 403 }));
  const { notes, queue } = open();
  await notes.create({ title: 'filtered' });
  expect((await queue.entries())[0]).toMatchObject({ state: 'pending', error: { code: 'client.unexpected' } });
  node.filter = null;
  await settle(120_000);
  expect([titles(), await queue.entries(), queue.stoppedBy]).toEqual([['filtered'], [], null]);
  expect(new Set(keysOf().filter((key) => key !== null)).size).toBe(1);
});

test('where a network answers everything itself, only the first write is tried', async () => {
  node.network = 'portal';
  const { notes, queue } = open({ patienceMs: 1 });
  for (const title of ['one', 'two', 'three']) await notes.create({ title });
  await settle(600_000);
  const tried = new Set(node.fake.sent.filter(({ method }) => method === 'POST').map(({ body }) => body));
  expect(new Set([...tried].map((body) => (body as { title: string }).title))).toEqual(new Set(['one']));
  node.network = 'works';
  await settle(60_000);
  expect([titles(), await queue.entries()]).toEqual([['one', 'two', 'three'], []]);
});

test('a row with the id of a create that is old and refused is looked at: another one is not taken for it', async () => {
  const newId = () => 'not-random';
  node.network = 'before';
  const { notes, queue } = open({ newId, patienceMs: 1 });
  await notes.create({ title: 'mine' });
  node.rows.set('not-random', { row: { id: 'not-random', title: 'theirs' }, version: 1 });
  await settle(KEY_KEPT_MS);
  node.network = 'works';
  await queue.replay();
  const [waiting] = await queue.entries();
  expect(waiting).toMatchObject({ state: 'asks', error: { status: 422 }, body: { title: 'mine' } });
  await queue.drop(waiting!.number);
});

test('a refusal is thrown to the caller, and does not hold up others', async () => {
  const { notes, queue } = open();
  await expect(notes.create({ title: 'bad' })).rejects.toMatchObject({ status: 422, code: 'v2.create_failed' });
  expect(await queue.entries()).toEqual([]);
});

test('a refusal that no caller waits for stays until it is dropped; what depends on it is held, other writes are not', async () => {
  node.network = 'before';
  const { notes, queue } = open();
  const { ids } = await notes.create({ title: 'bad' });
  await notes.update(ids[0]!, { title: 'later' });
  await notes.create({ title: 'child', parent: ids[0] });
  await notes.create({ title: 'other' });
  node.network = 'works';
  await queue.replay();
  const waiting = await queue.entries();
  expect(statesOf(waiting)).toEqual(['refused', 'held', 'held']);
  expect(waiting[0]!.error).toBeInstanceOf(SkepError);
  expect(waiting[0]!.error).toMatchObject({ status: 422, code: 'v2.create_failed', message: 'no' });
  expect(titles()).toEqual(['other']);
  await queue.drop(waiting[0]!.number);
  await settle();
  // Now the node has judged the update of a row that it does not have.
  const [update] = await queue.entries();
  expect([update!.error?.status, statesOf(await queue.entries())]).toEqual([404, ['refused', 'held']]);
  await queue.drop(update!.number);
  await settle();
  expect([titles(), await queue.entries()]).toEqual([['other', 'child'], []]);
});

test('older than a key lives: creates and conditions replay, anything else asks', async () => {
  node.rows.set('a', { row: { id: 'a', title: 'old' }, version: 3 });
  node.rows.set('b', { row: { id: 'b', title: 'old' }, version: 1 });
  node.network = 'after';
  const { notes, queue } = open();
  await notes.create({ title: 'one' });
  // Each is carried out, and its answer is lost.
  await queue.replay();
  await settle(5_000);
  node.network = 'before';
  await notes.update('a', { title: 'two' }, { version: 3 });
  await notes.update('b', { title: 'three' });
  const carried = node.carried.length;
  queue.close();
  await settle(KEY_KEPT_MS);
  const next = open();
  await settle();
  node.network = 'works';
  await next.queue.replay();
  const waiting = await next.queue.entries();
  // The last was never tried: nothing can have happened under its key.
  expect([carried, node.carried.length, waiting]).toEqual([1, 3, []]);
  expect(titles()).toEqual(['two', 'three', 'one']);
});

test('an update that was tried and is old asks; keep sends it, drop forgets it', async () => {
  node.rows.set('b', { row: { id: 'b', title: 'old' }, version: 1 });
  for (const decision of ['keep', 'drop'] as const) {
    node.network = 'before';
    const { notes, queue } = open();
    await notes.update('b', { title: decision });
    await settle(KEY_KEPT_MS - 2 * 3_600_000 + 1);
    node.network = 'works';
    await queue.replay();
    const [waiting] = await queue.entries();
    expect(waiting).toMatchObject({ state: 'asks', error: null, ids: ['b'], body: { title: decision } });
    await queue[decision](waiting!.number);
    await settle();
    expect(await queue.entries()).toEqual([]);
    queue.close();
  }
  expect(titles()).toEqual(['keep']);
});

test('a condition that fails after the key: done where the row is as wanted, else the user is asked', async () => {
  node.rows.set('a', { row: { id: 'a', title: 'old' }, version: 1 });
  node.rows.set('b', { row: { id: 'b', title: 'old' }, version: 1 });
  node.rows.set('c', { row: { id: 'c', title: 'old' }, version: 1 });
  const { notes, queue } = open({ patienceMs: 1 });
  node.network = 'after';
  await notes.update('a', { title: 'mine' }, { version: 1 });
  await settle(KEY_KEPT_MS);
  node.network = 'works';
  await queue.replay();
  expect([await queue.entries(), node.rows.get('a')!.version]).toEqual([[], 2]);
  node.network = 'before';
  await notes.update('b', { title: 'mine' }, { version: 1 });
  await settle(KEY_KEPT_MS);
  node.rows.set('b', { row: { id: 'b', title: 'theirs' }, version: 2 });
  node.network = 'works';
  await queue.replay();
  const [waiting] = await queue.entries();
  expect(waiting).toMatchObject({ state: 'asks', error: { status: 412, details: { version: 2 } } });
  await queue.keep(waiting!.number);
  await settle();
  expect([node.rows.get('b')!.row['title'], await queue.entries()]).toEqual(['mine', []]);
  node.network = 'after';
  await notes.delete('c', { version: 1 });
  await settle(KEY_KEPT_MS);
  node.network = 'works';
  await queue.replay();
  expect([node.rows.has('c'), await queue.entries()]).toEqual([false, []]);
});

test('a clock that was set back makes no key young', async () => {
  node.rows.set('b', { row: { id: 'b', title: 'old' }, version: 1 });
  node.network = 'after';
  const { notes, queue } = open();
  await notes.update('b', { title: 'new' });
  vi.setSystemTime(Date.now() - 30 * 3_600_000);
  node.network = 'before';
  await queue.replay();
  vi.setSystemTime(Date.now() + 60 * 3_600_000);
  node.network = 'works';
  await queue.replay();
  expect(statesOf(await queue.entries())).toEqual(['asks']);
});

test('writes of one user are never sent under another login, and wait for their own', async () => {
  node.network = 'before';
  const tab = open();
  await tab.notes.create({ title: 'of ann' });
  login.as('bob');
  node.network = 'works';
  await tab.queue.replay();
  expect(await tab.queue.entries()).toEqual([]);
  await tab.notes.create({ title: 'of bob' });
  login.as(null);
  await settle(120_000);
  await expect(tab.notes.create({ title: 'of none' })).rejects.toMatchObject({ status: 401 });
  expect([titles(), node.carried.map(({ by }) => by)]).toEqual([['of bob'], [`Bearer ${tokenOf('bob')}`]]);
  login.as('ann');
  await tab.queue.replay();
  expect([titles(), node.carried.at(-1)!.by]).toEqual([['of bob', 'of ann'], `Bearer ${tokenOf('ann')}`]);
});

test('a login that changes while an attempt begins is not used', async () => {
  node.network = 'before';
  const tab = open();
  await tab.notes.create({ title: 'of ann' });
  node.network = 'works';
  const replayed = tab.queue.replay();
  login.as('bob');
  await replayed;
  await settle(60_000);
  expect([titles(), kept.size]).toEqual([[], 1]);
});

test('`as` names a user until the next login; without one a login in cookies and a foreign token have no queue', async () => {
  const cookies = createClient({
    site: 'https://desk.example.org',
    cookies: true,
    storage: login,
    fetch: node.fake.fetch,
  });
  expect(() => offlineQueue(cookies, { store: kept.tab() })).toThrow(TypeError);
  const foreign = createClient({ ...HERE, token: 'opaque', fetch: node.fake.fetch });
  const store = kept.tab();
  await expect(offlineQueue(foreign, { store }).from('note').create({})).rejects.toMatchObject({ status: 401 });
  expect((await offlineQueue(foreign, { store, as: 'robot' }).from('note').create({})).rows).toHaveLength(1);
  const named = offlineQueue(cookies, { store, as: 'ann' });
  node.network = 'before';
  await named.from('note').create({ title: 'in cookies' });
  node.network = 'works';
  login.as('bob');
  await named.replay();
  expect([await named.entries(), kept.size]).toEqual([[], 1]);
});

test('a full queue refuses before anything is sent', async () => {
  node.network = 'before';
  const { notes, queue } = open({ entriesMax: 2, bytesMax: 100_000 });
  await notes.create({ title: 'one' });
  await expect(notes.create({ title: 'x'.repeat(100_000) })).rejects.toMatchObject({
    code: 'client.not_queued',
    details: { reason: 'full' },
  });
  await notes.create({ title: 'two' });
  const sent = node.fake.sent.length;
  await expect(notes.create({ title: 'three' })).rejects.toMatchObject({ code: 'client.not_queued' });
  expect([node.fake.sent.length, (await queue.entries()).length]).toEqual([sent, 2]);
  expect(() => offlineQueue(createClient(HERE))).toThrow('IndexedDB');
});

test('listeners are told what waits; after the end of a queue nothing is sent', async () => {
  const { notes, queue } = open();
  const told: number[] = [];
  const stop = queue.onChange((entries) => told.push(entries.length));
  node.network = 'before';
  await notes.create({ title: 'one' });
  await notes.create({ title: 'two' });
  node.network = 'works';
  await queue.replay();
  await settle();
  expect(told.at(-1)).toBe(0);
  expect(Math.max(...told)).toBe(2);
  stop();
  queue.close();
  const sent = node.fake.sent.length;
  expect((await notes.create({ title: 'three' })).rows).toBeNull();
  expect([node.fake.sent.length, kept.size]).toEqual([sent, 1]);
});

test('the life of a key is the node’s', () => {
  expect(KEY_KEPT_MS).toBe(limits.idempotency.keptMs);
});
