/** The palette of the console in Debian's Chromium, by the keyboard alone: areas, entities, places, searches and acts, at a tenant and at the control plane. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';

describe.skipIf(!hasChromium)('the palette in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    console = await ConsoleNode.start({ like: 'shop' });
    ({ page } = console);
    await console.ensure(BOSS, ['tenant_admin', 'tenant_user']);
    await console.ensureOperator();
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const CONTROL = 2;
  /** Control and K, then letters as a person types them. */
  async function open(letters = ''): Promise<void> {
    const event = { key: 'k', code: 'KeyK', windowsVirtualKeyCode: 75, modifiers: CONTROL };
    await page.page.command('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event });
    await page.page.command('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    await page.has('document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName', 'combobox');
    if (letters !== '') await page.page.command('Input.insertText', { text: letters });
  }
  const options = (value: readonly string[]) =>
    page.has(
      '[...document.querySelectorAll("[role=option]")].map((one) => one.firstElementChild.firstElementChild.innerText)',
      value,
    );
  /** What a screen reader says of the field: the option that it names as chosen, the only one that is. */
  const selected = (value: string) =>
    page.has(
      `(({ ariaControlsElements: [list], ariaActiveDescendantElement: one }) => [list.contains(one), one?.innerText.split("\\n")[0], list.querySelectorAll("[aria-selected=true]").length])(document.activeElement)`,
      [true, value, 1],
    );
  const address = (value: string) => page.has('location.pathname.replace("/console", "") + location.search', value);
  const at = `/at/${TENANT.replaceAll(':', '/')}`;

  test('at a tenant: an entity, a page, people of a name', { timeout: LONG }, async () => {
    await console.open('/people', BOSS);
    await page.shows(BOSS);
    await open('pap');
    await selected('paper');
    await page.isSound('palette');
    await page.press('Enter');
    await address(`${at}/data/paper`);
    await open('inv');
    await selected('Invitations');
    await page.press('Enter');
    await address(`${at}/people/invitations`);
    await open('bar');
    await options(['Find people whose name begins with “bar”']);
    await page.press('Enter');
    await address(`${at}/people?q=bar`);
    // The product has no accounts, and so no invitations.
    page.isQuiet('404');
  });

  test('Escape closes it, and nothing has changed', { timeout: LONG }, async () => {
    await open('  ');
    await page.leave();
    await address(`${at}/people?q=bar`);
  });

  test('an act: another language, and back; other colours', { timeout: LONG }, async () => {
    await open('deutsch');
    await page.press('Enter');
    await page.shows('Einladungen');
    await open('english');
    await page.press('Enter');
    await page.shows('Invitations');
    await open('dark');
    await page.press('Enter');
    await page.has('document.documentElement.dataset.mantineColorScheme', 'dark');
    await open('light');
    await page.press('Enter');
    await page.has('document.documentElement.dataset.mantineColorScheme', 'light');
  });

  test(
    'at the control plane: its pages, tenants of a name, and the way back to the tenant',
    { timeout: LONG },
    async () => {
      await page.click('Where you are: acme / shop / dev / main');
      await page.click('Go to the control plane');
      await page.shows('Log in to the control plane');
      await page.logIn(console.operator().login, console.operator().password);
      await page.shows('All is well');
      await open('slow');
      await selected('Slow requests');
      await page.press('Enter');
      await address('/operations/slow');
      await open('acme');
      await options(['acme / shop / dev / main', 'Find tenants with “acme”']);
      await selected('acme / shop / dev / main');
      await page.press('ArrowUp');
      await selected('Find tenants with “acme”');
      await page.press('ArrowDown');
      await selected('acme / shop / dev / main');
      await page.press('ArrowDown');
      await selected('Find tenants with “acme”');
      await page.press('Enter');
      await address('/tenants?q=acme');
      await open('shop');
      await page.press('Enter');
      await address(`${at}/data`);
      await page.shows('paper');
      page.isQuiet();
    },
  );
});
