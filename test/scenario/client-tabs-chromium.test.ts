/**
 * Tabs of one profile of Debian's Chromium that share the changes of `@skep/client`: one WebSocket for all of them, nothing lost and nothing told twice when the tab
 * that holds it crashes, nothing told across logins. Node and page's server are real.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { bundled } from '#test/kit/bundled-client.ts';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const byNumber = (one: number, other: number): number => one - other;
const SOON = { timeout: 30_000, interval: 50 };

describe.skipIf(!hasChromium)('tabs that share changes', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-tabs-'));
  let site: Site;
  let it: TestNode;
  let code: string;
  let service: Headers;
  let browser: ChromiumPage;

  beforeAll(async () => {
    code = await bundled(`export * from '${ROOT}client/index.ts';`);
    site = await Site.open();
    const cors = `{ shop: { origins: ["${site.origin('localhost')}"] } }`;
    it = await startTestNode({ localdir: writeNoteProduct(dir), cors });
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

  /** A tab in which `skep` shares its changes, and which notes the WebSockets that it opens. */
  async function open(storage = 'localStorage', before = ''): Promise<ChromiumPage> {
    const tab = await browser.newTab();
    onTestFinished(() => void tab.command('Page.close').catch(() => undefined));
    await tab.goto(`${site.origin('localhost')}/empty`);
    await tab.run(`
      globalThis.sockets = [];
      const Real = WebSocket;
      globalThis.WebSocket = class extends Real { constructor(url) { super(url); sockets.push(this); } };
      ${before}
      const { createClient, shareChanges } =
        await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      const place = { url: ${JSON.stringify(it.gateway)}, position: '${TENANT}' };
      globalThis.skep = createClient(${storage === 'memory' ? 'place' : `{ ...place, storage: ${storage} }`});
      shareChanges(skep);
      globalThis.told = {};
      globalThis.logins = [];
      skep.auth.onChange((isLoggedIn) => logins.push(isLoggedIn));
      globalThis.start = (name, query = {}) => {
        told[name] = [];
        (async () => {
          for await (const one of skep.from('note').changes(query)) {
            told[name].push(one.type === 'change' || one.type === 'row' ? one.row.title : one.type);
            await globalThis.hold;
          }
        })().catch((error) => told[name].push(error.code + ' ' + (error.details.reason ?? '')));
      };`);
    return tab;
  }
  /** Logs in, and waits until the other tabs see it: what one process of the browser writes to `localStorage` another one reads a little later. */
  async function logIn(tab: ChromiumPage, name: string, ...others: readonly ChromiumPage[]): Promise<void> {
    await tab.run(`await skep.auth.login({ login: '${name}@example.org', password: '${PASSWORD}' })`);
    const id = await tab.run('return skep.auth.loginId');
    for (const other of others) await expect.poll(() => other.run('return skep.auth.loginId'), SOON).toBe(id);
  }
  const told = (tab: ChromiumPage, name: string) => tab.run(`return told['${name}']`) as Promise<string[]>;
  const sockets = async (...tabs: readonly ChromiumPage[]): Promise<number[]> =>
    Promise.all(
      tabs.map(
        (tab) => tab.run('return sockets.filter(({ readyState }) => readyState === 1).length') as Promise<number>,
      ),
    );
  async function write(titles: readonly string[], fields: object = { open: true }): Promise<void> {
    const rows = titles.map((title) => ({ title, ...fields }));
    expect((await it.call('POST', '/data/rest/note', service, rows)).status).toBe(201);
  }
  /** Writes until the tabs are told of what is written: before that a subscription may still begin. */
  async function begun(name: string, ...tabs: readonly ChromiumPage[]): Promise<void> {
    await expect
      .poll(async () => {
        await write(['begun']);
        return Promise.all(tabs.map(async (tab) => (await told(tab, name)).includes('begun')));
      }, SOON)
      .toEqual(tabs.map(() => true));
  }
  const numbered = (from: number, count: number): string[] => Array.from({ length: count }, (_, n) => `n${from + n}`);
  const ofNumbers = async (tab: ChromiumPage, name: string) => (await told(tab, name)).filter((one) => one !== 'begun');

  test('three tabs with six loops hold one WebSocket; when its tab crashes under writes, the others go on without a gap or a double', async () => {
    const tabs = [await open(), await open(), await open()];
    await logIn(tabs[0]!, 'ann', ...tabs);
    for (const tab of tabs) await tab.run(`start('all'); start('open', { where: { open: true }, snapshot: false });`);
    await begun('all', ...tabs);
    await begun('open', ...tabs);
    await expect.poll(async () => (await sockets(...tabs)).sort(byNumber), SOON).toEqual([0, 0, 1]);
    await write(numbered(0, 20));
    const at = (await sockets(...tabs)).indexOf(1);
    const [leader] = tabs.splice(at, 1);
    const crashed = leader!.command('Page.crash').catch(() => undefined);
    void crashed;
    for (let n = 20; n < 100; n += 10) await write(numbered(n, 10));
    for (const tab of tabs)
      for (const name of ['all', 'open']) await expect.poll(() => ofNumbers(tab, name), SOON).toEqual(numbered(0, 100));
    await expect.poll(async () => (await sockets(...tabs)).sort(byNumber), SOON).toEqual([0, 1]);
    await write(['last']);
    for (const tab of tabs) await expect.poll(() => ofNumbers(tab, 'all'), SOON).toEqual([...numbered(0, 100), 'last']);
    await tabs[0]!.run('await skep.auth.logout()');
  });

  test('each tab is told when its changes are live, the one without the WebSocket too, and when the tab with it has crashed', async () => {
    const tabs = [await open(), await open()];
    await logIn(tabs[0]!, 'ann', ...tabs);
    for (const tab of tabs)
      await tab.run(`globalThis.live = []; start('all', { onLive: (isLive) => void live.push(isLive) })`);
    await begun('all', ...tabs);
    const isLive = (tab: ChromiumPage) => tab.run('return live') as Promise<boolean[]>;
    for (const tab of tabs) await expect.poll(async () => (await isLive(tab)).at(-1), SOON).toBe(true);
    const at = (await sockets(...tabs)).indexOf(1);
    const [leader] = tabs.splice(at, 1);
    const before = await isLive(tabs[0]!);
    void leader!.command('Page.crash').catch(() => undefined);
    await expect.poll(() => isLive(tabs[0]!), SOON).toEqual([...before, false, true]);
    await tabs[0]!.run('skep.auth.logout()');
    await expect.poll(async () => (await isLive(tabs[0]!)).at(-1), SOON).toBe(false);
  });

  test('a logout in one tab is seen by the others, and ends their loops and their connection', async () => {
    const tabs = [await open(), await open()] as const;
    await logIn(tabs[0], 'ann', ...tabs);
    for (const tab of tabs) await tab.run(`start('all')`);
    await begun('all', ...tabs);
    await tabs[1].run('await skep.auth.logout()');
    for (const tab of tabs) {
      await expect.poll(() => tab.run('return [logins, skep.auth.loginId]'), SOON).toEqual([[true, false], null]);
      await expect.poll(async () => (await told(tab, 'all')).at(-1), SOON).toBe('client.stream_ended login');
    }
    expect(await sockets(...tabs)).toEqual([0, 0]);
  });

  test('what one login is told another one in the same browser is not', async () => {
    const ann = [await open(), await open()] as const;
    const bob = await open('memory');
    await logIn(ann[0], 'ann', ann[1]);
    await logIn(bob, 'bob');
    for (const tab of [...ann, bob]) await tab.run(`start('all')`);
    await begun('all', ...ann, bob);
    const owner = await ann[0].run(`
      const { access } = JSON.parse(localStorage.getItem(Object.keys(localStorage).find((key) => key.startsWith('skep '))));
      const bytes = atob(access.split('.')[2].replaceAll('-', '+').replaceAll('_', '/'));
      return /"sub":"([^"]+)"/.exec(bytes)[1];`);
    await write(['for ann'], { open: false, owner });
    await write(['for all']);
    for (const tab of ann) await expect.poll(() => ofNumbers(tab, 'all'), SOON).toEqual(['for ann', 'for all']);
    await expect.poll(() => ofNumbers(bob, 'all'), SOON).toEqual(['for all']);
    expect((await sockets(...ann, bob)).reduce((sum, one) => sum + one)).toBe(2);
    // Another login in the same storage: what ran under the first ends.
    await logIn(ann[1], 'bob');
    for (const tab of ann)
      await expect.poll(async () => (await told(tab, 'all')).at(-1), SOON).toBe('client.stream_ended login');
    await ann[1].run('await skep.auth.logout()');
  });

  test('a tab that hangs loses the lead, and goes on as one of the others', async () => {
    const hasty = 'const every = setInterval; globalThis.setInterval = (work, ms) => every(work, ms / 50);';
    const tabs = [await open('localStorage', hasty), await open('localStorage', hasty)];
    await logIn(tabs[0]!, 'ann', ...tabs);
    for (const tab of tabs) await tab.run(`start('all')`);
    await begun('all', ...tabs);
    const at = (await sockets(...tabs)).indexOf(1);
    const [leader, other] = [tabs[at]!, tabs[1 - at]!];
    const awake = leader.run('for (const end = Date.now() + 5000; Date.now() < end; );');
    await write(numbered(0, 10));
    await expect.poll(() => sockets(other), SOON).toEqual([1]);
    await write(numbered(10, 10));
    await expect.poll(() => ofNumbers(other, 'all'), SOON).toEqual(numbered(0, 20));
    await awake;
    await write(numbered(20, 10));
    for (const tab of tabs) await expect.poll(() => ofNumbers(tab, 'all'), SOON).toEqual(numbered(0, 30));
    await expect.poll(async () => (await sockets(...tabs)).sort(byNumber), SOON).toEqual([0, 1]);
    await tabs[0]!.run('await skep.auth.logout()');
  });

  test('a loop that takes nothing holds no more than its queue, and is told everything once it takes again', async () => {
    const tabs = [await open(), await open()] as const;
    await logIn(tabs[0], 'ann', ...tabs);
    for (const tab of tabs) await tab.run(`start('all')`);
    await begun('all', ...tabs);
    for (const tab of tabs) await tab.run('globalThis.hold = new Promise((resolve) => (globalThis.goOn = resolve))');
    for (let n = 0; n < 1500; n += 100) await write(numbered(n, 100));
    for (const tab of tabs) await tab.run('globalThis.hold = undefined; goOn();');
    for (const tab of tabs) await expect.poll(() => ofNumbers(tab, 'all'), SOON).toEqual(numbered(0, 1500));
    await tabs[0].run('await skep.auth.logout()');
  });

  test('where no WebSocket passes, pages that wait tell the same, two at a time', async () => {
    const blocked = `
      globalThis.WebSocket = class extends Real { constructor() { super('ws://127.0.0.1:1/'); } };
      const real = fetch;
      let waiting = 0;
      globalThis.most = 0;
      globalThis.fetch = async (url, init) => {
        if (!url.includes('wait=')) return real(url, init);
        most = Math.max(most, ++waiting);
        return real(url, init).finally(() => waiting--);
      };`;
    const tabs = [await open('localStorage', blocked), await open('localStorage', blocked)] as const;
    await logIn(tabs[0], 'ann', ...tabs);
    for (const tab of tabs)
      await tab.run(`start('all'); start('open', { where: { open: true } }); start('titles', { fields: ['title'] })`);
    for (const name of ['all', 'open', 'titles']) await begun(name, ...tabs);
    await write(numbered(0, 30));
    for (const tab of tabs)
      for (const name of ['all', 'open', 'titles'])
        await expect.poll(() => ofNumbers(tab, name), SOON).toEqual(numbered(0, 30));
    const most = await Promise.all(tabs.map((tab) => tab.run('return most') as Promise<number>));
    expect(most.sort(byNumber)).toEqual([0, 2]);
    await tabs[0].run('await skep.auth.logout()');
  });
});
