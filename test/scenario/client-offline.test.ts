/**
 * The offline queue of `@skep/client` against a real node, which is a process of its own: it is killed while the queue sends, answers are lost behind writes that it has
 * carried out, and a day passes by its clock and the page's, so that it has forgotten the keys. Each write is carried out once, or the user is asked.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createClient, offlineQueue, type AnySchema, type OfflineOptions, type OfflineQueue } from '#client/index.ts';
import { KEY_KEPT_MS } from '#client/limits.ts';
import { inMemory } from '#client/tokens.ts';
import { newUlid } from '#client/ulid.ts';
import { LossyProxy, type Passed } from '#test/kit/lossy-proxy.ts';
import { MemoryQueueStore } from '#test/kit/memory-queue-store.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 30_000, interval: 50 };
const LATER_MS = KEY_KEPT_MS + 3_600_000;
const CLOCK = new URL('../kit/later-clock.mjs', import.meta.url).href;

interface Note {
  readonly id: string;
  readonly title: string;
  readonly version: number;
}

describe('an offline queue and its node', { timeout: 180_000 }, () => {
  let dir: string;
  let file: string;
  let key: string;
  let url: string;
  let node: ProcessNode | null = null;
  let proxy: LossyProxy;
  let storage: ReturnType<typeof inMemory>;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'skep-client-offline-'));
    const wish = { localdir: writeNoteProduct(dir), dir };
    const first = await startTestNode(wish);
    const person = { email: 'ann@example.org', password: PASSWORD, roles: ['tenant_user'] };
    await first.node.ask(TENANT, 'identity', 'person.ensure', person);
    key = first.serviceKey;
    await first.stop();
    file = writePlatformFile(dir, wish);
    proxy = new LossyProxy();
    url = await proxy.open();
    await start();
    storage = inMemory();
    await clientOf().auth.login({ login: 'ann@example.org', password: PASSWORD });
  }, 60_000);
  afterEach(async () => {
    vi.restoreAllMocks();
    await kill();
    proxy.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(laterMs = 0): Promise<void> {
    node = await startProcess(file, {
      NODE_OPTIONS: `--import=${CLOCK}`,
      SKEP_TEST_LATER_MS: String(laterMs),
    });
    reach();
  }
  const reach = (): void => void (proxy.target = Number(new URL(node!.listeners['gateway']!).port));
  const leave = (): void => {
    proxy.target = null;
    proxy.hangUp();
  };
  async function kill(): Promise<void> {
    leave();
    await node?.end('SIGKILL');
    node = null;
  }
  const clientOf = () => createClient({ url, position: TENANT, storage });
  /** A page, whose entries outlive it. */
  function open(kept: MemoryQueueStore, options: OfflineOptions = {}) {
    const queue = offlineQueue(clientOf(), { store: kept.tab(), patienceMs: 300, ...options });
    onTestFinished(() => queue.close());
    return { queue, notes: queue.from('note') };
  }
  /** Another program, which goes to the node itself. */
  async function other(method: string, path: string, body?: object) {
    const gateway = node!.listeners['gateway']!;
    const headers: Headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, key)}` };
    return call(gateway, method, path, headers, body);
  }
  async function notes(): Promise<readonly Note[]> {
    const { json } = await other('GET', '/data/rest/note?limit=1000&orderby=title');
    return (json as { data: Note[] }).data;
  }
  const titles = async () => (await notes()).map(({ title }) => title);
  const made = async (title: string): Promise<Note> => {
    const { json } = await other('POST', '/data/rest/note', { title, open: true });
    return (json as { data: [Note] }).data[0];
  };
  const writes = (): readonly Passed[] => proxy.passed.filter((one) => one.method !== 'GET' && one.key !== null);
  const sent = async (queue: OfflineQueue<AnySchema>) =>
    expect
      .poll(async () => {
        await queue.replay();
        return queue.entries();
      }, SOON)
      .toEqual([]);

  test('writes of a time without the node, which is killed while they leave, are carried out exactly once and in order', async () => {
    const kept = new MemoryQueueStore();
    const { queue, notes: rows } = open(kept, { patienceMs: 1 });
    const page = (await other('GET', '/data/changes?entity=note')).json as { readonly after: number };
    const row = await made('row');
    leave();
    const expected: string[] = [];
    for (let n = 0; n < 40; n++) {
      const one = await rows.create({ title: `made ${n}`, open: true });
      expect(one.rows).toBeNull();
      expect((await rows.update(row.id, { title: `change ${n}` })).rows).toBeNull();
      expected.push(one.ids[0]!, row.id);
    }
    expect(await queue.entries()).toHaveLength(80);
    for (let kills = 1; kills <= 3; kills++) {
      const before = proxy.passed.length;
      if (node === null) await start();
      else reach();
      void queue.replay();
      await expect.poll(() => proxy.passed.length, { ...SOON, interval: 1 }).toBeGreaterThan(before + 8);
      await kill();
      expect((await queue.entries()).length).toBeGreaterThan(0);
    }
    await start();
    await sent(queue);
    const { json } = await other('GET', `/data/changes?entity=note&after=${page.after}&limit=1000`);
    const told = (json as { changes: { row: Note }[] }).changes.map((change) => change.row.id);
    expect(told).toEqual([row.id, ...expected]);
    expect((await notes()).find(({ id }) => id === row.id)).toMatchObject({ title: 'change 39', version: 41 });
  });

  test('a write that was carried out, and whose answer was lost, replays under its key and is not doubled', async () => {
    const { queue, notes: rows } = open(new MemoryQueueStore(), { newId: () => null });
    const row = await made('old');
    proxy.loses = ({ method }) => method === 'POST' || method === 'PATCH';
    expect((await rows.create({ title: 'made', open: true })).rows).toBeNull();
    expect([proxy.cuts, await titles()]).toEqual([1, ['made', 'old']]);
    reach();
    proxy.loses = ({ method }) => method === 'PATCH';
    expect((await rows.update(row.id, { title: 'new' })).rows).toBeNull();
    expect(proxy.cuts).toBe(2);
    proxy.loses = null;
    reach();
    await sent(queue);
    expect((await notes()).map(({ title, version }) => [title, version])).toEqual([
      ['made', 1],
      ['new', 2],
    ]);
    const keys = writes().map((one) => `${one.method} ${one.key}`);
    expect(keys.length).toBeGreaterThanOrEqual(4);
    expect(new Set(keys).size).toBe(2);
  });

  test('after a day: what cannot be done twice replays, and is looked for where the node refuses it; of all else the user is asked', async () => {
    const cases = {} as Record<string, MemoryQueueStore>;
    /** Makes one write in a page of its own; its answer is lost, or, without `isCarried`, it is not carried out. */
    async function attempt(
      name: string,
      isCarried: boolean,
      work: (page: ReturnType<typeof open>) => Promise<unknown>,
      options = {},
    ) {
      cases[name] = new MemoryQueueStore();
      if (isCarried) reach();
      else leave();
      proxy.loses = (passed) => passed.key !== null;
      const cuts = proxy.cuts;
      const page = open(cases[name], options);
      await work(page);
      expect([name, proxy.cuts - cuts]).toEqual([name, isCarried ? 1 : 0]);
      page.queue.close();
      expect([name, cases[name].size]).toEqual([name, 1]);
    }
    const [a, b, c] = [await made('a'), await made('b'), await made('c')];
    const taken = newUlid();
    const create = (title: string) => (page: ReturnType<typeof open>) => page.notes.create({ title, open: true });
    await attempt('made', true, create('made'));
    await attempt('not made', false, create('not made'));
    await attempt('taken', false, create('mine'), { newId: () => taken });
    await attempt('without id', true, create('without id'), { newId: () => null });
    await attempt('condition', true, (page) => page.notes.update(a.id, { title: 'mine' }, { version: 1 }));
    await attempt('other version', false, (page) => page.notes.update(b.id, { title: 'mine' }, { version: 1 }));
    await attempt('no condition', true, (page) => page.notes.update(c.id, { title: 'mine' }));
    expect((await other('POST', '/data/rest/note', { id: taken, title: 'theirs', open: true })).status).toBe(201);
    expect((await other('PATCH', `/data/rest/note/id/${b.id}`, { title: 'theirs' })).status).toBe(200);

    await kill();
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + LATER_MS);
    proxy.loses = null;
    await start(LATER_MS);
    /** What waits of a case, once everything has left that leaves by itself, and what was sent for it. */
    async function after(name: string) {
      const before = writes().length;
      const page = open(cases[name]!);
      await page.queue.replay();
      const [entry = null] = await page.queue.entries();
      return { ...page, entry, sent: writes().length - before };
    }
    expect(await after('made')).toMatchObject({ entry: null, sent: 1 });
    expect(await after('not made')).toMatchObject({ entry: null, sent: 1 });
    expect(await after('condition')).toMatchObject({ entry: null, sent: 1 });
    for (const name of ['without id', 'no condition']) {
      const { queue, entry, sent: requests } = await after(name);
      expect([name, entry, requests]).toMatchObject([name, { state: 'asks', error: null }, 0]);
      await queue.drop(entry!.number);
    }
    const { queue: ofTaken, ...twice } = await after('taken');
    expect(twice).toMatchObject({ entry: { state: 'asks', ids: [taken] }, sent: 1 });
    await ofTaken.drop(twice.entry!.number);
    const { queue, ...conflict } = await after('other version');
    expect(conflict).toMatchObject({
      entry: { state: 'asks', error: { status: 412, details: { version: 2 } } },
      sent: 1,
    });
    expect(await titles()).toEqual(['made', 'mine', 'mine', 'not made', 'theirs', 'theirs', 'without id']);
    await queue.keep(conflict.entry!.number);
    await sent(queue);
    expect((await notes()).map(({ title, version }) => `${title} ${version}`).sort()).toEqual([
      'made 1',
      'mine 2',
      'mine 2',
      'mine 3',
      'not made 1',
      'theirs 1',
      'without id 1',
    ]);
  });
});
