/**
 * What operators do to a tenant as a whole, at the console in Debian's Chromium, on a real node: the page gives the command, a shell runs it as it stands there, and the page says what was done.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { runLine } from '#test/kit/page-shell.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';

const LONG = 240_000;
/** One that the platform file names and that is not there. */
const COPY = 'acme:shop:dev:sleeping';
const NAMES = TENANT.replaceAll(':', '/');

describe.skipIf(!hasChromium)('what operators do to a tenant, in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    console = await ConsoleNode.start({ isControlled: true, extra: 'audit: { enabled: true }\n' });
    ({ page } = console);
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const state = (value: string) => page.has('document.querySelector("[data-state]")?.dataset.state', value);
  const line = '[...document.querySelectorAll("[role=dialog] .sample")].map((one) => one.textContent)[0] ?? null';
  const inShell = (text: string) => runLine(text, { cwd: console.dir });
  const shown = async (): Promise<string> => {
    await page.has(`(${line}) !== null`, true);
    return String(await page.page.run(`return ${line}`));
  };
  /** Opens the sheet of an act, types the names, and gives the line. */
  async function lineOf(title: string): Promise<string> {
    await page.click(title);
    await page.asksForName(true);
    await page.typeName(NAMES);
    await page.click('Show the command');
    return shown();
  }
  /** The events of the node come to its log a moment after the act. */
  const doneSoon = (text: string, button = 'Look whether it is done') =>
    expect
      .poll(
        async () => {
          await page.click(button);
          return page.page.run('return document.querySelector(\'[aria-label="Done by command"]\')?.innerText ?? ""');
        },
        { timeout: 60_000, interval: 200 },
      )
      .toContain(text);

  test('what may be done is listed; a tenant that serves may not be resumed', { timeout: LONG }, async () => {
    await console.enterPlane();
    await page.click('Tenants');
    await page.click('acme / shop / dev / main');
    await page.shows('By command');
    await page.shows('This node makes no backups by itself');
    await page.shows('No backup was made yet.');
    await page.shows('Registered');
    await page.has('[...document.querySelectorAll(".acts a")].map((one) => one.innerText)', [
      'Suspend',
      'Make it read-only',
      'Back it up',
      'Export it',
      'Restore a backup',
      'Move it',
      'Repair it',
      'Delete it',
    ]);
    await page.isSound('acts');
    page.isQuiet();
  });

  test('it is suspended behind its typed names, and the page says since when and why', { timeout: LONG }, async () => {
    await page.click('Suspend');
    await page.has('new URL(location.href).searchParams.get("act")', 'suspend');
    await page.shows('refused with 403 tenant_suspended');
    expect(await page.page.run(`return ${line}`)).toBe(null);
    await page.isSound('act-suspend');
    await page.typeName(OTHER_TENANT.replaceAll(':', '/'));
    await page.has('document.querySelector("[role=dialog] [type=submit]").disabled', true);
    await page.typeName(NAMES);
    await page.click('Show the command');
    await page.type('Reason', "it's invoice 2026-118");
    const text = await shown();
    expect(text).toBe(
      `skep tenant suspend -f ${console.it.platform.file} ${TENANT} --reason 'it'\\''s invoice 2026-118'`,
    );
    await page.isSound('act-command');
    await inShell(text);
    await doneSoon('Suspended');
    await page.leave();
    await state('suspended');
    await page.shows('Restricted since');
    await page.shows("it's invoice 2026-118");
    expect((await console.it.call('GET', '/data/rest/paper', console.it.position())).status).toBe(403);
    await page.isSound('act-suspended');
    await page.click('Let it serve again');
    await inShell(await shown());
    await doneSoon('Serves again');
    await page.leave();
    await state('active');
    page.isQuiet();
  });

  test('it is backed up, and restored beside itself from what is listed', { timeout: LONG }, async () => {
    await page.click('Back it up');
    await inShell(await shown());
    await doneSoon('Backed up');
    await page.shows('Last on record');
    await page.leave();
    await page.has('document.querySelectorAll("[aria-label=Backups] tbody tr").length', 1);
    await page.shows('this tenant');
    await page.isSound('act-backups');
    await page.page.run('document.querySelector("[aria-label=Backups] tbody a").click()');
    await page.has('new URL(location.href).searchParams.get("act")', 'restore');
    await page.type('Name of the restored tenant', 'nothing');
    await page.shows('Four names with / between them');
    await page.type('Name of the restored tenant', COPY.replaceAll(':', '/'));
    await page.typeName(NAMES);
    await page.click('Show the command');
    const text = await shown();
    expect(text).toContain(`--as ${COPY}`);
    await page.isSound('act-restore');
    await inShell(text);
    await page.leave();
    page.isQuiet();
  });

  test('the copy is deleted behind its names, and is unknown then', { timeout: LONG }, async () => {
    await page.click('Tenants');
    await page.click(COPY.replaceAll(':', ' / '));
    await doneSoon('Restored', 'Look again');
    await page.click('Delete it');
    await page.asksForName(true);
    await page.isSound('act-delete');
    await page.typeName(COPY);
    await page.click('Show the command');
    const text = await shown();
    expect(text).toBe(`skep tenant delete -f ${console.it.platform.file} ${COPY} --confirm ${COPY}`);
    await inShell(text);
    await page.click('Look whether it is done');
    await page.shows('No tenant of these names is registered on this node.');
    page.isQuiet();
  });

  test('speaks German', { timeout: LONG }, async () => {
    await console.openPlane(`/tenants/${NAMES}`);
    await page.speak('Deutsch');
    await page.shows('Mit Befehlen getan');
    await page.isSound('acts-german');
    await page.click('Verschieben');
    await page.shows('Zu einem anderen Knoten');
    await page.isSound('act-german');
    page.isQuiet();
  });

  test('a set of the whole node has an address here, too; a move takes a number', { timeout: LONG }, async () => {
    await page.leave();
    await page.speak('English');
    expect(await lineOf('Move it')).toContain(`skep tenant move -f ${console.it.platform.file} ${TENANT} --shard `);
    await page.type('Shard', 'x');
    await page.shows('The command is shown once what is above is filled in.');
    await page.has(`(${line}) === null`, true);
    await console.openPlane(`/tenants/${NAMES}?act=restore-set&set=20261128T000000Z`);
    await page.shows('Takes this tenant out of a backup of the whole node.');
    await page.typeName(NAMES);
    await page.click('Show the command');
    expect(await shown()).toBe(
      `skep backup restore -f ${console.it.platform.file} --set 20261128T000000Z --tenant ${TENANT} --as ${TENANT}-copy`,
    );
    page.isQuiet();
  });
});
