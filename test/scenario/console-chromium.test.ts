/**
 * The console in Debian's Chromium, as `npm run build:console` makes it and a node serves it: it opens under its policy without a report and without a word on the browser's console, logs in by link
 * and by password, shows the node, keeps no token, and axe finds nothing to mend; dark and light, wide and at 360 px, in English and German.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ROOT } from '#runtime/place.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { buildConsole } from '#test/kit/console-build.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders } from '#test/kit/test-node.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 50 };
/** What the shell may have, with its styles (docs/contract/console.md §3). */
const SHELL_BYTES_MAX = 320 * 1024;
/** Keeps, in the page, what it is answered to a login link. */
const HEAR = `
  window.heard = [];
  const ask = window.fetch;
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    if (answer.url.endsWith('/console/login')) window.heard.push(await answer.clone().text());
    return answer;
  };`;

test('its types hold, it builds, and the shell is small', { timeout: CONSOLE_MS_MAX }, () => {
  buildConsole();
  execFileSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '-p', `${ROOT}console`], {
    stdio: 'inherit',
  });
  const assets = join(ROOT, 'console/dist/assets');
  const page = readFileSync(join(ROOT, 'console/dist/index.html'), 'utf8');
  const shell = readdirSync(assets).filter((name) => page.includes(`assets/${name}"`));
  // A file that compression makes no smaller has no twin.
  const sent = (name: string): string => (existsSync(join(assets, `${name}.gz`)) ? `${name}.gz` : name);
  const bytes = shell.reduce((sum, name) => sum + readFileSync(join(assets, sent(name))).length, 0);
  process.stderr.write(`the console's shell: ${(bytes / 1024).toFixed(0)} KB gzip (${shell.join(', ')})\n`);
  expect(shell.length).toBeGreaterThan(1);
  expect(bytes).toBeLessThanOrEqual(SHELL_BYTES_MAX);
});

describe.skipIf(!hasChromium)('in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;
  beforeAll(async () => {
    console = await ConsoleNode.start({ before: HEAR, rates: '  auth_login: off\n' });
    ({ page } = console);
    await console.ensureOperator();
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  /** The node's verdict, whatever it is: a busy machine may have a thread stand still. */
  const showsVerdict = () => page.has('(document.querySelector("#verdict")?.innerText ?? "") !== ""', true);

  interface Cookie {
    readonly name: string;
    readonly value: string;
    readonly path: string;
  }

  const loginCookies = async (): Promise<Cookie[]> =>
    ((await page.page.command('Storage.getCookies')) as { cookies: Cookie[] }).cookies;

  test('the link logs in once, and the address forgets it', { timeout: LONG }, async () => {
    const link = console.it.node.consoleLink({ [CONTROL_PLANE]: console.operator() })!;
    await page.page.goto(link);
    await showsVerdict();
    expect(await page.page.run('return location.href')).toBe(console.address('/operations'));
    page.isQuiet();
    const code = link.split('#login=')[1]!;
    // The fragment is in no request, and what is kept names no token.
    expect(page.page.fetched.filter((url) => url.includes(code))).toEqual([]);
    const tokens = JSON.parse(String(await page.page.run('return window.heard[0]'))) as Record<string, unknown>;
    const { access_token: access } = tokens;
    expect([access, tokens['refresh_token']]).toEqual([expect.stringMatching(/.{40}/), undefined]);
    const [cookie, ...others] = await loginCookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ name: 'skep-login', httpOnly: true, sameSite: 'Strict', session: true });
    expect(cookie!.path).toMatch(/^\/console\/session\/[\w-]{22}$/);
    const kept = await page.page.run(`
      const databases = (await indexedDB.databases()).length;
      const stores = (await caches.keys()).length;
      const texts = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, window.name, history.state, location.href]);
      return { databases, stores, texts };`);
    expect(kept).toEqual({ databases: 0, stores: 0, texts: expect.any(String) });
    const { texts } = kept as { texts: string };
    for (const secret of [access, cookie!.value, code]) expect(texts).not.toContain(secret);
    // Pasted into the tab that has the console open, it changes the fragment alone.
    await page.page.run(`location.hash = ${JSON.stringify(`login=${code}`)}`);
    await page.shows('This link was used already');
    page.isQuiet('401');
  });

  test(
    'the log in by password, its refusal, and every page, without a fault that axe knows',
    { timeout: LONG },
    async () => {
      await page.blank();
      await page.page.goto(console.address('/operations'));
      await page.shows('Log in to the control plane');
      await page.isSound('log-in');
      const { login, password } = console.operator();
      await page.logIn(login, 'wrong');
      await page.shows('The address or the password is wrong.');
      page.isQuiet('401');
      await page.isSound('log-in-refused');
      await page.logIn(login, password);
      await showsVerdict();
      await page.shows('Slowest requests');
      await page.isSound('operations');
      for (const [tab, words] of [
        ['Load', 'GET /superadmin/node/health'],
        ['Slow requests', 'Slowest requests'],
        ['Rate limits', 'Refused most, by tenant'],
        ['Log', 'Lowest level'],
      ] as const) {
        await page.click(tab);
        await page.shows(words);
        await page.isSound(tab.replace(' ', '-').toLowerCase());
      }
      expect(await page.page.run('return location.href')).toBe(console.address('/operations/logs?level=info'));
      page.isQuiet();
    },
  );

  test(
    'the login goes on when the page is loaded again and in another tab, until its reader ends it',
    { timeout: LONG },
    async () => {
      await page.page.goto('about:blank');
      await page.page.goto(console.address('/operations'));
      await showsVerdict();
      const tab = await page.page.newTab();
      await tab.goto(console.address('/operations'));
      await expect
        .poll(() => tab.run('return (document.querySelector("#verdict")?.innerText ?? "") !== ""'), SOON)
        .toBe(true);
      // A page behind another one asks for nothing.
      await page.page.command('Page.bringToFront');
      page.isQuiet();
      const [{ path, value }, ...others] = (await loginCookies()) as [Cookie];
      expect(others).toEqual([]);
      expect(JSON.stringify(await page.page.run('return { ...localStorage }'))).toContain(path.split('/').at(-1));
      await page.click('Log out');
      await page.shows('Log in to the control plane');
      await expect.poll(loginCookies, SOON).toEqual([]);
      // Neither this page nor another one comes back by what was there.
      const headers = {
        ...positionHeaders(CONTROL_PLANE),
        Origin: new URL(console.address()).origin,
        Cookie: `skep-login=${value}`,
      };
      expect((await fetch(new URL(path, console.address()), { method: 'POST', headers })).status).toBe(401);
      await page.page.goto('about:blank');
      await page.page.goto(console.address('/operations'));
      await page.shows('Log in to the control plane');
      page.isQuiet();
      const { login, password } = console.operator();
      await page.logIn(login, password);
      await showsVerdict();
    },
  );

  test(
    'a tenant whose callers were refused stands among the rate limits, with its profile',
    { timeout: LONG },
    async () => {
      const { burst } = limits.rates.auth_reset;
      for (let times = 0; times <= burst; times++)
        await console.it.call('POST', '/auth/password/reset', positionHeaders(TENANT), { email: 'none@example.org' });
      await page.click('Rate limits');
      await expect
        .poll(async () => {
          await page.click('Log');
          await page.click('Rate limits');
          return page.page.run(
            'return document.querySelector("[aria-label=\\"Refused most, by tenant\\"] tbody")?.innerText',
          );
        }, SOON)
        .toMatch(/acme:shop:dev:main\s+auth_reset\s+1/);
      await page.shows('3 at once, then one in 60 s');
      await page.shows('POST /auth/password/reset');
      await page.isSound('rates');
      await page.click('Log');
      page.isQuiet();
    },
  );

  test('speaks German when it is asked to, and logs out', { timeout: LONG }, async () => {
    await page.speak('Deutsch');
    await page.shows('Niedrigste Stufe');
    expect(await page.page.run('return document.documentElement.lang')).toBe('de');
    await page.click('Übersicht');
    await page.shows('Läuft der Knoten gut?');
    await showsVerdict();
    await page.isSound('operations-german');
    await page.click('Abmelden');
    await page.shows('An der Steuerebene anmelden');
    page.isQuiet();
  });

  test('markup in a text is no markup: the policy of Trusted Types lets none through', { timeout: LONG }, async () => {
    const tried = await page.page.run(`
      const element = document.createElement('div');
      try { element.innerHTML = '<img src=x>'; } catch (error) { return error.name; }
      return element.innerHTML;`);
    expect(tried).toBe('TypeError');
    const script = await page.page.run(`
      const element = document.createElement('script');
      try { element.textContent = 'window.ran = true'; document.body.append(element); } catch (error) { return error.name; }
      return String(window.ran);`);
    expect(script).toBe('TypeError');
  });
});
