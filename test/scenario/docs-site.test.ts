/** The site of the documentation: it builds, its links lead somewhere, and it lives under `default-src 'self'`, shown by Chromium. */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildSite } from '#runtime/cli/build-site.ts';
import { serveSite, type ServedSite } from '#runtime/site/serve-site.ts';
import { packSite, siteFiles, siteOf, unpackSite, type SiteFile } from '#runtime/site/site-files.ts';
import { skepVersion } from '#runtime/version.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { root } from '#test/kit/demo-process.ts';
import { isLongRun } from '#test/kit/rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'skep-docs-'));
const dir = join(folder, 'site');

/** A build takes half a minute of processor. */
describe.skipIf(!isLongRun)('the site', { timeout: 120_000 }, () => {
  let files: ReadonlyMap<string, SiteFile>;
  let site: ServedSite;
  beforeAll(async () => {
    await buildSite(dir);
    files = siteFiles(dir);
    site = await serveSite(files, 0);
  }, 240_000);
  afterAll(async () => {
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const htmlFiles = (): [string, string][] =>
    [...files].filter(([path]) => path.endsWith('.html')).map(([path, { bytes }]) => [path, bytes.toString('utf8')]);

  test('is the same when it was packed: texts in less than a megabyte, pictures in less than a half', () => {
    const packed = packSite(dir);
    const pictures = [...files.values()].filter(({ type }) => type === 'image/webp');
    const pictureBytes = pictures.reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(pictureBytes).toBeLessThan(512 * 1024);
    expect(packed.length - pictureBytes).toBeLessThan(1024 * 1024);
    expect(unpackSite(packed)).toEqual(files);
  });

  test('has every page of docs/', () => {
    for (const page of globSync('**/*.md', { cwd: join(root, 'docs') }))
      expect([...files.keys()]).toContain(`/${page.replace(/\.md$/, '.html').replace(/README\.html$/, 'index.html')}`);
  });

  test('has no link that leads nowhere, by page or by heading', () => {
    const anchors = new Map(
      htmlFiles().map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!))]),
    );
    const dead = htmlFiles().flatMap(([path, html]) =>
      [...html.matchAll(/<a [^>]*href="([^"]+)"/g)]
        .map(([, href]) => href!.replaceAll('&amp;', '&'))
        .filter((href) => !/^[a-z]+:/.test(href))
        .filter((href) => {
          const [file = '', hash] = href.split('#');
          const target =
            file === '' ? path : posix.resolve(posix.dirname(path), file) + (file.endsWith('/') ? '/' : '');
          const page = target.endsWith('/') ? `${target}index.html` : target;
          if (!files.has(page.replace('//', '/'))) return true;
          return hash !== undefined && anchors.get(page.replace('//', '/'))?.has(decodeURIComponent(hash)) === false;
        })
        .map((href) => `${path}: ${href}`),
    );
    expect(dead).toEqual([]);
  });

  test('writes no script, style or picture into another file, and names none of elsewhere', () => {
    for (const [path, html] of htmlFiles()) {
      const inline = [...html.matchAll(/<script(?![^>]* src=)[^>]*>|<style[\s>]| style="|="data:/g)].map(
        ([what]) => what,
      );
      expect([path, inline]).toEqual([path, []]);
      const outside = [...html.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="(?:[a-z]+:)?\/\/[^"]*"/g)];
      expect([path, outside.map(([what]) => what)]).toEqual([path, []]);
    }
    for (const [path, { bytes }] of files)
      if (path.endsWith('.css'))
        expect([path, bytes.toString('utf8').match(/url\(["']?(?!\/)|@import/)]).toEqual([path, null]);
  });

  describe.skipIf(!hasChromium)('in Chromium', () => {
    const open = async (path: string): Promise<ChromiumPage> => {
      const page = await ChromiumPage.open();
      onTestFinished(() => page.close());
      await page.goto(`${site.url}${path}`);
      return page;
    };
    /** Asks a page until it says something else than no. */
    const until = (script: string): string =>
      `for (;;) { const found = (() => { ${script} })(); if (found) return found; await new Promise((go) => setTimeout(go, 20)); }`;

    /** The menu answers only once the page's scripts run. */
    const RUNS = until(`return document.querySelector('#app')?.__vue_app__ !== undefined`);

    test.each([
      '',
      'tutorials/help-desk.html',
      'reference/cli.html',
      'benchmarks.html',
      'routes.html',
      'changelog.html',
    ])('/%s shows itself, and nothing of it is refused or from elsewhere', async (path) => {
      const page = await open(path);
      // The menu answers only once the page's scripts run.
      await page.run(RUNS);
      expect(await page.run(`return document.querySelector('h1').textContent.length`)).toBeGreaterThan(3);
      expect(page.refused).toEqual([]);
      expect(page.fetched.filter((url) => !url.startsWith(site.url))).toEqual([]);
    });

    test('says which version it is of, with a link to what changed', async () => {
      const page = await open('');
      const label = `[...document.querySelectorAll('.VPNavBarMenu a')].find((link) => link.href.endsWith('/changelog.html'))?.textContent.trim()`;
      expect(await page.run(until(`return ${label}`))).toBe(skepVersion());
    });

    test('finds a page by its words, without a server that searches', async () => {
      const page = await open('');
      await page.run(RUNS);
      await page.run(`document.querySelector('.VPNavBarSearch button').click()`);
      await page.run(until(`return document.querySelector('.search-input') !== null`));
      await page.run(`const input = document.querySelector('.search-input');
        input.value = 'ballast'; input.dispatchEvent(new Event('input', { bubbles: true }));`);
      const titles = `[...document.querySelectorAll('.VPLocalSearchBox .result')].map((link) => link.href)`;
      const found = await page.run(until(`const found = ${titles}; return found.length > 0 && found;`));
      expect(found).toContainEqual(expect.stringContaining('/how-to/disk-full.html'));
      expect(page.refused).toEqual([]);
    });

    test('is dark when asked to, and stays so', async () => {
      const page = await open('');
      await page.run(RUNS);
      const isDark = `return document.documentElement.classList.contains('dark')`;
      expect(await page.run(isDark)).toBe(false);
      await page.run(`document.querySelector('.VPSwitchAppearance').click()`);
      await page.run(until(isDark));
      await page.goto(`${site.url}sql.html`);
      expect(await page.run(isDark)).toBe(true);
      expect(page.refused).toEqual([]);
    });
  });
});

test('without a build there are no files', () => {
  expect(siteOf(`${folder}/`).size).toBe(0);
});
