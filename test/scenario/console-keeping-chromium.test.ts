/** The pages of backups and of the configuration in Debian's Chromium, on a real node: sets that are made, proven and damaged; settings with where each comes from. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';

const LONG = 240_000;
const STATES = '[...document.querySelectorAll("tbody [data-state]")].map((one) => one.dataset.state)';

describe.skipIf(!hasChromium)('backups and settings in a browser', () => {
  const to = mkdtempSync(join(tmpdir(), 'skep-sets-'));
  let it: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    it = await ConsoleNode.start({
      like: 'shop',
      extra: `audit: { enabled: true }\nbackups: { to: ${to}, every: 24h, verify: 168h }\n`,
    });
    ({ page } = it);
    await it.it.node.backups.now();
    await it.it.node.backups.verify({ set: 'latest', restore: true });
    await it.it.node.backups.now();
    await it.enterPlane();
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    await it?.stop();
    rmSync(to, { recursive: true, force: true });
  });

  test('each set says whether it is whole, and was proven', { timeout: LONG }, async () => {
    await page.click('Backups');
    await page.has(STATES, ['good', 'proven']);
    await page.shows('every 7 days');
    expect(await page.lineOf('Make a set now')).toContain('skep backup now -f');
    await page.has('document.querySelectorAll("[role=region][aria-label=Proofs] tbody tr").length', 1);
    await page.isSound('backups');
    page.isQuiet();
  });

  test('one that is damaged says how; the place is looked into again', { timeout: LONG }, async () => {
    const [newest] = await it.it.node.backups.list();
    writeFileSync(join(to, 'sets', `${newest!.id}.json`), '{');
    await page.has(STATES, ['faulty', 'proven']);
    await page.isSound('backups-damaged');
    await page.speak('Deutsch');
    await page.shows('Sicherungen, die neueste zuerst');
    await page.isSound('backups-german');
    await page.speak('English');
    page.isQuiet();
  });

  test('settings say where they come from; a secret is not among them', { timeout: LONG }, async () => {
    await page.click('Configuration');
    await page.shows('bootstrap.token');
    expect(await page.text()).not.toContain('bootstrap-secret');
    await page.type('Find a setting', 'backups.');
    await page.has('new URL(location.href).searchParams.get("q")', 'backups.');
    await page.page.run('document.querySelector("main input[role=switch]").click()');
    await page.has(
      '[...document.querySelectorAll("tbody tr")].map((row) => [row.cells[0].innerText, row.cells[1].innerText])',
      [
        ['backups.to', to],
        ['backups.every', '24h'],
        ['backups.verify', '168h'],
      ],
    );
    await page.has(
      '[...document.querySelectorAll("tbody tr")].every((row) => /^file line [0-9]+$/.test(row.cells[2].innerText))',
      true,
    );
    await page.isSound('configuration');
    page.isQuiet();
  });
});
