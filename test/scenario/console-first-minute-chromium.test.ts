/**
 * The first minute of a person who never saw Skep, from the link that `npm start` prints: rows, a cell, a second window that changes by itself, the record of the edit with its proof, a person
 * invited, a submission followed, a plan reviewed, a slow request found. Each step says how long it took; none has to be fast on a busy machine.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DEMO_TENANT } from '#runtime/demo/sample.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { buildConsole } from '#test/kit/console-build.ts';
import { ConsolePage } from '#test/kit/console-page.ts';
import { ownFolder, root, startDemo } from '#test/kit/demo-process.ts';
import { freePortBase } from '#test/kit/free-port.ts';

const ALL_MS_MAX = 900_000;
const FIRST_CELL = 'document.querySelector(\'.grid-row[aria-rowindex="2"] .grid-cell\')';
/** A cell of the first row: the column is found by its head. */
const cellOf = (column: string): string => `(() => {
  const heads = [...document.querySelectorAll('[role=columnheader]')];
  const at = heads.findIndex((one) => one.innerText.trim().startsWith('${column}'));
  return document.querySelector('.grid-row[aria-rowindex="2"]')?.children[at];
})()`;
const [POPULATION, NAME] = [cellOf('population'), cellOf('name')];

test.skipIf(!hasChromium)('the first minute, from the printed link only', { timeout: ALL_MS_MAX }, async () => {
  buildConsole();
  const folder = ownFolder();
  const dataDir = join(folder, 'data');
  const env = { SKEP_DATA: dataDir, SKEP_PORT_BASE: String(await freePortBase()) };
  const demo = await startDemo(`exec '${join(root, 'runtime/cli/skep')}' demo`, folder, dataDir, env);
  const link = /http:\S+\/console\/at\/\S+#login=\S+/.exec(demo.output())![0];
  const page = await ConsolePage.open();
  const other = await ConsolePage.open();
  let begun = performance.now();
  const lines: string[] = [];
  const step = (what: string): void => {
    const now = performance.now();
    lines.push(`${((now - begun) / 1000).toFixed(1).padStart(6)} s  ${what}`);
    begun = now;
  };
  const palette = async (text: string, name: string): Promise<void> => {
    const isOpen = () => page.page.run('return document.activeElement?.matches("[role=dialog] input") === true');
    // Pressed again, as a person does, where a busy page was still with the key before.
    const opens = async () => (await isOpen()) === true || page.withControl('k', 75).then(isOpen);
    await expect.poll(opens, { timeout: 60_000, interval: 1000 }).toBe(true);
    await page.page.command('Input.insertText', { text });
    await page.has(`document.querySelector('[role=option][aria-selected=true]')?.innerText.split('\\n')[0]`, name);
    await page.press('Enter');
  };
  try {
    await page.page.goto(link);
    await page.click('city');
    await page.has(`${FIRST_CELL} !== null`, true);
    await page.isInDocs('grid');
    step('rows in the grid');

    const edit = async (cell: string, text: string): Promise<void> => {
      await page.page.run(`${cell}.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))`);
      await page.has('document.querySelector(".cell-editor input") !== null', true);
      await page.page.run('document.querySelector(".cell-editor input").select()');
      await page.page.command('Input.insertText', { text });
      await page.press('Enter');
    };
    await edit(POPULATION, '4711');
    await page.has(`/4.?711/.test(${POPULATION}?.innerText)`, true);
    step('a cell edited');

    await palette('audit', 'Audit');
    await page.shows('data.city.update');
    step('palette "audit": the record of the edit');
    await page.click('data.city.update');
    await page.click('Prove it');
    await page.has('document.querySelector("[data-verdict]")?.dataset.verdict', 'good');
    await page.isInDocs('proof');
    step('its proof checked in the browser');

    await page.leave();
    await palette('country', 'country');
    await page.has(`${NAME}?.innerText.length > 0`, true);
    const address = String(await page.page.run('return location.href'));
    const { login, password } = (
      JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as { admin: { login: string; password: string } }
    ).admin;
    await other.visit(address, login, password);
    await other.has(`${NAME}?.innerText.length > 0`, true);
    await other.shows('live');
    begun = performance.now();
    await edit(NAME, 'Utopia');
    await other.has(`${NAME}?.innerText`, 'Utopia');
    step('the second window changed by itself');

    await palette('invit', 'Invitations');
    await page.type('Mail address', 'friend@example.org');
    await page.click('Send the invitation');
    await page.shows('friend@example.org is invited.');
    step('a person invited');

    const submit = /# .*\n(curl .*\/f\/contact.*)\n/.exec(demo.output())![1]!;
    await promisify(execFile)('bash', ['-c', submit]);
    await palette('forms', 'Forms');
    await page.click('contact');
    await page.has('document.querySelector("a[id^=submission-]") !== null', true);
    await page.page.run('document.querySelector("a[id^=submission-]").click()');
    await page.has('document.querySelector("[role=dialog]") !== null', true);
    await page.isInDocs('submission');
    await page.isInDocs('submission-narrow', 'light', 360);
    step('a submission followed to its row');

    await page.leave();
    await palette('control', 'Control plane');
    await page.shows('Is it well?');
    await palette('tenants', 'Tenants');
    await page.click(DEMO_TENANT.replaceAll(':', ' / '));
    await page.click('Make the plan');
    await page.shows('The schema stays as it is.');
    step('a plan reviewed');

    await palette('slow', 'Slow requests');
    await page.has('document.querySelectorAll("tbody tr").length > 0', true);
    step('a slow request found');
    page.isQuiet();
    other.isQuiet();
  } finally {
    process.stderr.write(`the first minute:\n${lines.join('\n')}\n`);
    await page.close();
    await other.close();
  }
});
