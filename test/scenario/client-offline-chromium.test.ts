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
import { startTestNode } from '#test/kit/test-node.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

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

  const begin = (tab: ChromiumPage) =>
    tab.run(`
      const { createClient, offlineQueue } =
        await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      globalThis.skep = createClient({ url: ${JSON.stringify(it.gateway)}, position: '${TENANT}', storage: localStorage });
      globalThis.queue = offlineQueue(skep, { patienceMs: 500 });`);
  async function open(): Promise<ChromiumPage> {
    const tab = await browser.newTab();
    await tab.goto(`${site.origin('localhost')}/empty`);
    await begin(tab);
    return tab;
  }
  const logIn = (tab: ChromiumPage, name: string) =>
    tab.run(`await skep.auth.login({ login: '${name}@example.org', password: '${PASSWORD}' })`);
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
    await logIn(tabs[0], 'ann');
    expect(await create(tabs[0], 'a0')).toBe(1);
    for (const tab of tabs) await setOffline(tab, true);
    for (const n of [1, 2, 3])
      for (const tab of tabs) expect(await create(tab, `a${n}${tabs.indexOf(tab)}`)).toBeNull();
    expect(await statesIn(tabs[1])).toHaveLength(6);
    void tabs[0].command('Page.crash').catch(() => undefined);
    await setOffline(tabs[1], false);
    const all = ['a0', 'a10', 'a11', 'a20', 'a21', 'a30', 'a31'];
    await expect.poll(titles, SOON).toEqual(all);
    await expect.poll(() => statesIn(tabs[1]), SOON).toEqual([]);
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

  test('what one user has written waits while another one is logged in, and is sent by the first alone', async () => {
    const tab = await open();
    await logIn(tab, 'ann');
    await setOffline(tab, true);
    await tab.run(`await queue.from('note').create({ title: 'b of ann', owner: 'x', open: true })`);
    // The network is there for the other login alone: the queue of the page has ended.
    await tab.run('queue.close()');
    await setOffline(tab, false);
    await logIn(tab, 'bob');
    await begin(tab);
    expect(await create(tab, 'b of bob')).toBe(1);
    await tab.run('await queue.replay()');
    expect([await statesIn(tab), (await titles()).filter((title) => title.startsWith('b'))]).toEqual([
      [],
      ['b of bob'],
    ]);
    await logIn(tab, 'ann');
    await expect
      .poll(async () => (await titles()).filter((title) => title.startsWith('b')), SOON)
      .toEqual(['b of ann', 'b of bob']);
    await expect.poll(() => statesIn(tab), SOON).toEqual([]);
  });
});
