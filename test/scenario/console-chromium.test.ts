/**
 * The console in Debian's Chromium, as `npm run build:console` makes it and a node serves it: it opens under its policy without a report and without a word on the browser's console, logs in by link
 * and by password, shows the node, keeps no token, and axe finds nothing to mend; dark and light, wide and at 360 px, in English and German.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ROOT } from '#runtime/place.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { buildConsole } from '#test/kit/console-build.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
/** With `npm ci` on a machine that has other work, twice. */
const BUILD_MS_MAX = 900_000;
const SOON = { timeout: 60_000, interval: 50 };
const OPERATOR = { login: 'root@example.org', password: 'a long enough password' };
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
/** Where a person finds what the pages look like; unset, nothing is written. */
const PICTURES = process.env['SKEP_PICTURES'];

test('its types hold, it builds, and the shell is small', { timeout: BUILD_MS_MAX }, () => {
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
  let it: TestNode;
  let page: ChromiumPage;
  let base: string;
  beforeAll(async () => {
    it = await startTestNode({ rates: '  auth_login: off\n', listeners: '  console: { bind: 127.0.0.1:0 }\n' });
    base = `${it.node.listeners['console']!}/console`;
    await it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...OPERATOR, roles: ['superadmin'] });
    page = await ChromiumPage.open();
    await page.command('Emulation.setLocaleOverride', { locale: 'en' });
    await page.command('Page.addScriptToEvaluateOnNewDocument', { source: HEAR });
    await size(1280, 900);
    await colours('light');
  }, BUILD_MS_MAX);
  afterAll(async () => {
    await page?.close();
    await it?.stop();
  });

  const text = (): Promise<unknown> => page.run('return document.body.innerText');
  const shows = (words: string) => expect.poll(text, SOON).toContain(words);
  /** The node's verdict, whatever it is: a busy machine may have a thread stand still. */
  const showsVerdict = () =>
    expect.poll(() => page.run('return document.querySelector("#verdict")?.innerText ?? ""'), SOON).not.toBe('');
  const click = (name: string) =>
    page.run(
      `[...document.querySelectorAll('a, button, [role=menuitem]')].find((one) => (one.getAttribute('aria-label') ?? one.innerText).trim() === ${JSON.stringify(name)}).click()`,
    );

  /** Nothing was refused to the page, and it complained of nothing. `but`: of a request that was refused on purpose, the browser says so itself. */
  const isQuiet = (but = '') => {
    expect(page.refused.filter((line) => but === '' || !line.includes(but))).toEqual([]);
    expect(page.complaints).toEqual([]);
  };

  /** Axe looks at the page as it is. Evaluated over the debugging protocol, which no policy of the page binds. */
  async function axe(): Promise<unknown> {
    await isPainted();
    const source = readFileSync(`${ROOT}console/node_modules/axe-core/axe.min.js`, 'utf8');
    await page.command('Runtime.evaluate', { expression: `if (!window.axe) { ${source} }; 0` });
    return page.run(
      'return (await axe.run(document)).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ""}`).join(" | ")}`)',
    );
  }

  /** Waits until the page has the colours and the width that were last asked for: axe measures what is painted. */
  async function isPainted(): Promise<void> {
    const read = () =>
      page.run('return { scheme: document.documentElement.dataset.mantineColorScheme, width: innerWidth }');
    await expect.poll(read, SOON).toEqual(wished);
    await page.run('await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }

  async function picture(name: string): Promise<void> {
    if (PICTURES !== undefined) writeFileSync(join(PICTURES, `${name}.png`), await page.picture());
  }

  const wished = { scheme: 'light', width: 1280 };
  function size(width: number, height: number) {
    wished.width = width;
    return page.command('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }
  function colours(value: 'dark' | 'light') {
    wished.scheme = value;
    return page.command('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-color-scheme', value },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ],
    });
  }

  test('the link logs in once, and the address forgets it', { timeout: LONG }, async () => {
    const link = it.node.consoleLink({ [CONTROL_PLANE]: OPERATOR })!;
    await page.goto(link);
    await showsVerdict();
    expect(await page.run('return location.href')).toBe(`${base}/operations`);
    isQuiet();
    const code = link.split('#login=')[1]!;
    // The fragment is in no request, and what is kept names no token.
    expect(page.fetched.filter((url) => url.includes(code))).toEqual([]);
    const tokens = JSON.parse(String(await page.run('return window.heard[0]'))) as Record<string, unknown>;
    const { access_token: access, refresh_token: refresh } = tokens;
    expect([access, refresh]).toEqual([expect.stringMatching(/.{40}/), expect.stringMatching(/.{40}/)]);
    const kept = await page.run(`
      const databases = (await indexedDB.databases()).length;
      const stores = (await caches.keys()).length;
      const texts = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, window.name, history.state, location.href]);
      return { databases, stores, texts };`);
    expect(kept).toEqual({ databases: 0, stores: 0, texts: expect.any(String) });
    const { texts } = kept as { texts: string };
    for (const secret of [access, refresh, code]) expect(texts).not.toContain(secret);
    // Pasted into the tab that has the console open, it changes the fragment alone.
    await page.run(`location.hash = ${JSON.stringify(`login=${code}`)}`);
    await shows('This link was used already');
    isQuiet('401');
    page.refused.length = 0;
  });

  test(
    'the log in by password, its refusal, and every page, without a fault that axe knows',
    { timeout: LONG },
    async () => {
      await page.goto('about:blank');
      await page.goto(`${base}/operations`);
      await shows('Log in to the control plane');
      expect(await axe()).toEqual([]);
      await picture('log-in-light');
      const type = (password: string) =>
        page.run(`
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
        for (const [name, value] of Object.entries(${JSON.stringify({ ...OPERATOR, password })})) set.call(document.querySelector(\`input[name=\${name}]\`), value);
        document.querySelector('form').requestSubmit();`);
      await type('wrong');
      await shows('The address or the password is wrong.');
      isQuiet('401');
      page.refused.length = 0;
      expect(await axe()).toEqual([]);
      await type(OPERATOR.password);
      await showsVerdict();
      await shows('Slowest requests');
      for (const scheme of ['light', 'dark'] as const)
        for (const width of [1280, 360]) {
          await colours(scheme);
          await size(width, 900);
          expect(await axe(), `${scheme} ${width}`).toEqual([]);
          // Nothing is wider than the window: tables scroll by themselves.
          expect(await page.run('return document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
          await picture(`operations-${scheme}-${width}`);
        }
      await size(1280, 900);
      for (const [tab, words] of [
        ['Load', 'GET /superadmin/node/health'],
        ['Slow requests', 'Slowest requests'],
        ['Rate limits', 'Refused most, by tenant'],
        ['Log', 'Lowest level'],
      ] as const) {
        await click(tab);
        await shows(words);
        expect(await axe(), tab).toEqual([]);
        await picture(tab.replace(' ', '-').toLowerCase());
      }
      expect(await page.run('return location.href')).toBe(`${base}/operations/logs?level=info`);
      isQuiet();
    },
  );

  test(
    'a tenant whose callers were refused stands among the rate limits, with its profile',
    { timeout: LONG },
    async () => {
      const { burst } = limits.rates.auth_reset;
      for (let times = 0; times <= burst; times++)
        await it.call('POST', '/auth/password/reset', positionHeaders(TENANT), { email: 'none@example.org' });
      await click('Rate limits');
      await expect
        .poll(async () => {
          await click('Log');
          await click('Rate limits');
          return page.run(
            'return document.querySelector("[aria-label=\\"Refused most, by tenant\\"] tbody")?.innerText',
          );
        }, SOON)
        .toMatch(/acme:shop:dev:main\s+auth_reset\s+1/);
      await shows('3 at once, then one in 60 s');
      await shows('POST /auth/password/reset');
      for (const width of [1280, 360]) {
        await size(width, 900);
        expect(await axe(), String(width)).toEqual([]);
        expect(await page.run('return document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
        await picture(`rates-${width}`);
      }
      await size(1280, 900);
      await click('Log');
      isQuiet();
    },
  );

  test('speaks German when it is asked to, and logs out', { timeout: LONG }, async () => {
    await colours('light');
    await click('Language');
    await expect.poll(() => page.run('return document.querySelectorAll("[role=menuitem]").length'), SOON).toBe(2);
    await click('Deutsch');
    await shows('Niedrigste Stufe');
    expect(await page.run('return document.documentElement.lang')).toBe('de');
    await click('Übersicht');
    await shows('Geht es ihm gut?');
    await showsVerdict();
    expect(await axe()).toEqual([]);
    await picture('operations-german');
    await click('Abmelden');
    await shows('An der Steuerebene anmelden');
    isQuiet();
  });

  test('markup in a text is no markup: the policy of Trusted Types lets none through', { timeout: LONG }, async () => {
    const tried = await page.run(`
      const element = document.createElement('div');
      try { element.innerHTML = '<img src=x>'; } catch (error) { return error.name; }
      return element.innerHTML;`);
    expect(tried).toBe('TypeError');
    const script = await page.run(`
      const element = document.createElement('script');
      try { element.textContent = 'window.ran = true'; document.body.append(element); } catch (error) { return error.name; }
      return String(window.ran);`);
    expect(script).toBe('TypeError');
    page.refused.length = 0;
  });
});
