/**
 * The offline queue of `@skep/client` in tabs of Debian's Chromium, with its IndexedDB, its locks and its network taken away: rows are there exactly once after a crash,
 * a reload and another login. The node is real.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { bundled } from '#test/kit/bundled-client.ts';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 30_000, interval: 50 };

describe.skipIf(!hasChromium)('tabs without a network', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-offline-'));
  let site: Site;
  let it: TestNode;
  let code: string;
  let service: Headers;
  let browser: ChromiumPage;

  beforeAll(async () => {
    code = await bundled(`export * from '${ROOT}client/index.ts';`);
    site = await Site.open();
    it = await startTestNode({
      localdir: writeNoteProduct(dir),
      cors: `{ shop: { origins: ["${site.origin('localhost')}"] } }`,
    });
    for (const email of ['ann@example.org', 'bob@example.org'])
      await it.node.ask(TENANT, 'identity', 'person.ensure', { email, password: PASSWORD, roles: ['tenant_user'] });
    service = await it.service();
    browser = await ChromiumPage.open();
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await it?.stop();
    await site?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** `sent` has the title and the `Authorization` of each write that the page sends. */
  const begin = (tab: ChromiumPage) =>
    tab.run(`
      const real = globalThis.fetch;
      globalThis.sent ??= [];
      const noting = (url, init) => {
        if (init.headers['Idempotency-Key']) sent.push([JSON.parse(init.body).title, init.headers.Authorization]);
        return real(url, init);
      };
      const { createClient, offlineQueue } =
        await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      globalThis.skep = createClient({ url: ${JSON.stringify(it.gateway)}, position: '${TENANT}', storage: localStorage, fetch: noting });
      globalThis.queue = offlineQueue(skep, { patienceMs: 20_000 });`);
  async function open(): Promise<ChromiumPage> {
    const tab = await browser.newTab();
    await tab.goto(`${site.origin('localhost')}/empty`);
    await begin(tab);
    return tab;
  }
  /** Logs in, and waits until the other tabs see it: what one process of the browser writes to `localStorage` another one reads a little later. Gives the bearer. */
  async function logIn(tab: ChromiumPage, name: string, ...others: readonly ChromiumPage[]): Promise<string> {
    await tab.run(`await skep.auth.login({ login: '${name}@example.org', password: '${PASSWORD}' })`);
    const id = await tab.run('return skep.auth.loginId');
    for (const other of others) await expect.poll(() => other.run('return skep.auth.loginId'), SOON).toBe(id);
    return `Bearer ${String(await tab.run('return skep.transport.credential.held'))}`;
  }
  const sentBy = (...tabs: readonly ChromiumPage[]): Promise<readonly [title: string, bearer: string][]> =>
    Promise.all(tabs.map((tab) => tab.run('return sent') as Promise<[string, string][]>)).then((all) => all.flat());
  const setOffline = (tab: ChromiumPage, offline: boolean) =>
    tab.command('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  const create = (tab: ChromiumPage, title: string) =>
    tab.run(`return (await queue.from('note').create({ title: '${title}', open: true })).rows?.length ?? null`);
  const statesIn = (tab: ChromiumPage) => tab.run('return (await queue.entries()).map(({ state }) => state)');
  async function titles(): Promise<readonly string[]> {
    const { json } = await it.call('GET', '/data/rest/note?limit=1000', service);
    return (json as { data: { title: string }[] }).data.map(({ title }) => title).sort();
  }

  test('rows of two tabs, one of which crashes offline, are there exactly once; a reload sends what is left', async () => {
    const tabs = [await open(), await open()] as const;
    const ann = await logIn(tabs[0], 'ann', tabs[1]);
    // Either tab may send it: the row is given to the one that wrote it only if that one does.
    await create(tabs[0], 'a0');
    await expect.poll(titles, SOON).toEqual(['a0']);
    for (const tab of tabs) await setOffline(tab, true);
    for (const n of [1, 2, 3])
      for (const tab of tabs) expect(await create(tab, `a${n}${tabs.indexOf(tab)}`)).toBeNull();
    expect(await statesIn(tabs[1])).toHaveLength(6);
    void tabs[0].command('Page.crash').catch(() => undefined);
    await setOffline(tabs[1], false);
    const all = ['a0', 'a10', 'a11', 'a20', 'a21', 'a30', 'a31'];
    await expect.poll(titles, SOON).toEqual(all);
    await expect.poll(() => statesIn(tabs[1]), SOON).toEqual([]);
    expect((await sentBy(tabs[1])).filter(([, bearer]) => bearer !== ann)).toEqual([]);
    await setOffline(tabs[1], true);
    expect(await create(tabs[1], 'a4')).toBeNull();
    await setOffline(tabs[1], false);
    await tabs[1].goto(`${site.origin('localhost')}/empty`);
    await begin(tabs[1]);
    const third = await open();
    await expect.poll(() => statesIn(third), SOON).toEqual([]);
    expect(await titles()).toEqual([...all, 'a4']);
    // They are of the same login as the next test's first one, and would send for it.
    for (const tab of [tabs[1], third]) await tab.run('queue.close()');
  });

  test('what one user has written waits while another one is logged in, in this tab and in others, and is sent by the first alone', async () => {
    const tabs = [await open(), await open()] as const;
    const [tab, other] = tabs;
    const bearers = new Map([[await logIn(tab, 'ann', other), 'ann']]);
    const titlesOfB = async () => (await titles()).filter((title) => title.startsWith('b'));
    /** Which login has sent which write. */
    const senders = async () =>
      new Set((await sentBy(...tabs)).map(([title, bearer]) => `${title} as ${bearers.get(bearer)}`));
    for (const one of tabs) await setOffline(one, true);
    await tab.run(`await queue.from('note').create({ title: 'b of ann', owner: 'x', open: true })`);
    // The other user logs in where the network is back; the page of the first one goes on, and has it once its storage is the other's.
    await other.run('queue.close()');
    await setOffline(other, false);
    bearers.set(await logIn(other, 'bob', tab), 'bob');
    await begin(other);
    await setOffline(tab, false);
    await create(other, 'b of bob');
    await expect.poll(titlesOfB, SOON).toEqual(['b of bob']);
    for (const one of tabs) {
      await one.run('await queue.replay()');
      expect(await statesIn(one)).toEqual([]);
    }
    expect(await titlesOfB()).toEqual(['b of bob']);
    bearers.set(await logIn(tab, 'ann', other), 'ann');
    await expect.poll(titlesOfB, SOON).toEqual(['b of ann', 'b of bob']);
    for (const one of tabs) await expect.poll(() => statesIn(one), SOON).toEqual([]);
    expect(await senders()).toEqual(new Set(['b of ann as ann', 'b of bob as bob']));
  });
});
