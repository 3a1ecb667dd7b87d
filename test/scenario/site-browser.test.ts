/**
 * What Debian's Chromium does at a site: a page of the product logs in with cookies over plain HTTP at `localhost`, as in development, and stays so
 * through a reload, two tabs that refresh at once and a new start of the node. It proves docs/contract/identity-cookies.md §1 and docs/contract/platform.md
 * §3.6; the headers by themselves: session-cookies.test.ts, site-files.test.ts.
 */
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';

const PRODUCT = fileURLToPath(new URL('../kit/products/pages', import.meta.url));

/** In the page. `ask` gives status and body; nothing but cookies is a credential. */
const ASK = `
const ask = async (method, path, body, headers = {}) => {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const answer = await fetch(path, { method, headers: { ...json, ...headers }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return [answer.status, text === '' ? null : JSON.parse(text)];
};
const inCookies = { 'X-Skep-Cookies': '1' };
`;

/** A red point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

describe.skipIf(!hasChromium)('a page of a site in Chromium', { timeout: 120_000 }, () => {
  let it: TestNode;
  let page: ChromiumPage;
  /** A page of somebody else on the same name, at another port. */
  const other = createServer((_req, res) => void res.end('<!doctype html><title>other</title>'));
  const open = (): Promise<TestNode> =>
    startTestNode({
      ...(it === undefined ? {} : { dir: it.dir }),
      localdir: PRODUCT,
      sites: `{ localhost: { tenant: "${TENANT}", cookies: true, web: true } }`,
    });
  const site = (): string => it.gateway.replace('127.0.0.1', 'localhost');
  const run = (script: string): Promise<unknown> => page.run(`${ASK}${script}`);

  beforeAll(async () => {
    it = await open();
    await it.node.ask(TENANT, 'identity', 'user.ensure', { login: EMAIL, password: PASSWORD, roles: ['tenant_user'] });
    page = await ChromiumPage.open();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    other.closeAllConnections();
    other.close();
    await it?.stop();
    rmSync(it.dir, { recursive: true, force: true });
  });

  test('is served with its script, and the browser refuses it nothing', async () => {
    await page.goto(`${site()}/`);
    expect(await run('return document.title')).toBe('Notes, loaded');
    expect(page.refused.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([]);
  });

  test('logs in with cookies that its scripts cannot read, and is logged in after a reload', async () => {
    expect(await run('return await ask("GET", "/data/rest/note").then(([status]) => status, String)')).not.toBe(200);
    const login = { login: EMAIL, password: PASSWORD };
    expect(await run(`return ask('POST', '/auth/login', ${JSON.stringify(login)}, inCookies)`)).toEqual([
      200,
      { expires_in: 900 },
    ]);
    expect(await run('return document.cookie')).toBe('');
    await page.goto(`${site()}/notes/7`);
    expect(
      await run('return ask("POST", "/data/rest/note", { title: "from a page" }).then(([status]) => status)'),
    ).toBe(201);
  });

  test('shows a picture of a protected row by cookie', async () => {
    const found = await run(`
      const form = new FormData();
      form.append('title', 'pictured');
      form.append('picture', new File([Uint8Array.from(atob('${PNG}'), (c) => c.charCodeAt(0))], 'point.png', { type: 'image/png' }));
      const made = await fetch('/data/rest/note', { method: 'POST', body: form });
      const { data: [{ id }] } = await made.json();
      const address = '/data/rest/note/id/' + id + '?download=true&field=picture';
      const image = new Image();
      image.src = address;
      await image.decode();
      const bare = await fetch(address, { credentials: 'omit' });
      return [made.status, image.naturalWidth, bare.status];`);
    expect(found).toEqual([201, 1, 401]);
  });

  test('two tabs that refresh at once both live on', async () => {
    const refresh = 'ask("POST", "/auth/refresh", undefined, inCookies)';
    const frame = `
      const tab = document.createElement('iframe');
      tab.src = '/docs/';
      const shown = new Promise((resolve) => (tab.onload = resolve));
      document.body.append(tab);
      await shown;
      const inTab = tab.contentWindow.fetch('/auth/refresh', { method: 'POST', headers: inCookies }).then(({ status }) => status);
      const [[mine], theirs] = await Promise.all([${refresh}, inTab]);
      return [mine, theirs, (await ask('GET', '/data/rest/note'))[0], (await ${refresh})[0], (await ask('GET', '/data/rest/note'))[0]];`;
    expect(await run(frame)).toEqual([200, 200, 200, 200, 200]);
  });

  test('is still logged in when the node was started anew', async () => {
    const { port } = new URL(it.gateway);
    await it.node.stop();
    it = await open();
    // Cookies do not know ports: the new node has another one.
    expect(new URL(it.gateway).port).not.toBe(port);
    await page.goto(`${site()}/`);
    expect(await run('return ask("GET", "/data/rest/note").then(([status, { count }]) => [status, count])')).toEqual([
      200, 2,
    ]);
  });

  test('another page of the same browser changes nothing with the cookies, and reads nothing', async () => {
    await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`);
    const found = await page.run(`
      const to = (path, init) => fetch('${site()}' + path, { credentials: 'include', ...init }).then(({ status }) => status, () => 'unread');
      const form = new FormData();
      form.append('title', 'forged');
      return [
        await to('/data/rest/note', { method: 'POST', body: form }),
        await to('/data/rest/note', { method: 'POST', mode: 'no-cors', body: form }),
        await to('/data/rest/note', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{"title":"forged"}' }),
        await to('/auth/logout', { method: 'POST' }),
        await to('/data/rest/note'),
      ];`);
    expect(found).toEqual(['unread', 0, 'unread', 'unread', 'unread']);
    await page.goto(`${site()}/`);
    expect(await run('return ask("GET", "/data/rest/note").then(([status, { count }]) => [status, count])')).toEqual([
      200, 2,
    ]);
  });

  test('a logout ends it for good', async () => {
    const found = await run(`return [
      await ask('POST', '/auth/logout'),
      (await fetch('/data/rest/note')).status,
      (await ask('POST', '/auth/refresh', undefined, inCookies))[0],
    ]`);
    expect(found).toEqual([[200, { ok: true }], 401, 401]);
  });
});
