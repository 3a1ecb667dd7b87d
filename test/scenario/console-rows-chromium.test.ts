/**
 * A tenant's rows in the console, in Debian's Chromium, on the demo's 135,000 cities: the link opens them; filter, order, scroll far and back; a cell, a form, and what the node refuses; a row from its
 * creation to its end. Under the policy of the page, without a report, and without a fault that axe knows. It builds the console, as console-chromium.test.ts does.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { drawContentSecrets, setContentSecrets } from '#runtime/demo/dev-file.ts';
import { loadDemoData } from '#runtime/demo/load.ts';
import { DEMO_TENANT, SAMPLE } from '#runtime/demo/sample.ts';
import type { Node } from '#runtime/node.ts';
import { ROOT } from '#runtime/place.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import type { ChromiumPage } from '#test/kit/chromium-page.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 50 };
const OPERATOR = { login: 'operator@skep.example', password: 'a long enough password' };
const ADMIN = { login: 'admin@atlas.example', password: 'another long password' };
const CITIES = 135_233;
const DATA = `/console/at/${DEMO_TENANT.replaceAll(':', '/')}/data`;

/** The demo's tenant beside those of the kit. */
const DEMO = `    - key: "${DEMO_TENANT}"
      meta: { localdir: ${ROOT}config/samples/demo/atlas }
`;

describe.skipIf(!hasChromium)('rows in a browser', () => {
  let console: ConsoleNode;
  let node: Node;
  let page: ChromiumPage;
  let base: string;
  beforeAll(async () => {
    setContentSecrets(drawContentSecrets());
    console = await ConsoleNode.start({ tenant: DEMO });
    ({ node } = console.it);
    ({ page } = console.page);
    await node.provision(DEMO_TENANT);
    await loadDemoData(node, { begin: () => undefined, update: () => undefined });
    await node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...OPERATOR, roles: ['superadmin'] });
    await node.ask(DEMO_TENANT, 'identity', 'user.ensure', { ...ADMIN, roles: ['tenant_admin'] });
    base = node.listeners['console']!;
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const text = (): Promise<unknown> => page.run('return document.body.innerText');
  const shows = (words: string) => expect.poll(text, SOON).toContain(words);
  const address = (): Promise<unknown> => page.run('return location.pathname + location.search');
  const click = (name: string, within = 'body') =>
    page.run(
      `[...document.querySelectorAll('${within} :is(a, button, [role=menuitem], [role=menuitemcheckbox], [role=tab])')].find((one) => (one.getAttribute('aria-label') ?? one.innerText).trim() === ${JSON.stringify(name)}).click()`,
    );
  /** Types into a field as a person does, for a page that follows each change. */
  const fill = (selector: string, value: string) =>
    page.run(`
      const field = document.querySelector(${JSON.stringify(selector)});
      const kind = { INPUT: HTMLInputElement, SELECT: HTMLSelectElement, TEXTAREA: HTMLTextAreaElement }[field.tagName];
      Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, ${JSON.stringify(value)});
      field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));`);
  const key = async (name: string) => {
    const codes: Readonly<Record<string, number>> = { Enter: 13, Escape: 27, ArrowDown: 40, ArrowRight: 39, F2: 113 };
    for (const type of ['rawKeyDown', 'keyUp'])
      await page.command('Input.dispatchKeyEvent', { type, key: name, code: name, windowsVirtualKeyCode: codes[name] });
  };
  /** The texts of a column, of the rows that are in the page; empty where one of them is still awaited. */
  const column = (at: number) =>
    page.run(`
      const rows = [...document.querySelectorAll('.grid-row')];
      if (rows.some((row) => row.querySelector('.waiting'))) return [];
      const placed = rows.map((row) => [Number(row.getAttribute('aria-rowindex')), row.children[${at}].innerText]);
      return placed.toSorted(([a], [b]) => a - b).map(([, value]) => value);`) as Promise<string[]>;
  const firstRow = () =>
    page.run(
      'return [...document.querySelectorAll(".grid-row")].map((row) => Number(row.getAttribute("aria-rowindex"))).toSorted((a, b) => a - b)[0] ?? 0',
    ) as Promise<number>;
  const scrollTo = (share: number) =>
    page.run(
      `const grid = document.querySelector('.grid'); grid.scrollTop = ${share} * (grid.scrollHeight - grid.clientHeight);`,
    );
  /** Waits until the grid shows rows from one of these places on, none of them awaited. */
  const showsFrom = (least: number, most: number) => {
    const isThere = async (): Promise<boolean> => {
      const first = await firstRow();
      return first >= least && first <= most && (await column(0)).length > 0;
    };
    return expect.poll(isThere, SOON).toBe(true);
  };

  const isQuiet = (but?: string): void => console.page.isQuiet(but);
  const isSound = (name: string): Promise<void> => console.page.isSound(name);

  test('the link opens the entities, and the operator is at the control plane, too', { timeout: LONG }, async () => {
    await page.goto(node.consoleLink({ [CONTROL_PLANE]: OPERATOR, [DEMO_TENANT]: ADMIN })!);
    await shows('135,233');
    await shows('acme / atlas / dev / main');
    expect(await address()).toBe(DATA);
    await isSound('data-home');
    await click('Where you are: acme / atlas / dev / main');
    await shows('Control plane');
    await click('Control plane', '[role=menu]');
    await expect.poll(address, SOON).toBe('/console/operations');
    isQuiet();
    await click('Where you are: Control plane');
    await shows('acme / atlas / dev / main');
    await click('acme / atlas / dev / main', '[role=menu]');
    await shows('Entities');
    isQuiet();
  });

  test('the log in by password at a tenant, chosen by its names', { timeout: LONG }, async () => {
    await console.page.blank();
    await page.goto(`${base}/console/log-in`);
    await shows('Its four names');
    const enter = async (place: string, person: object) => {
      for (const [name, value] of Object.entries({ place, ...person })) await fill(`input[name=${name}]`, value);
      await page.run('document.querySelector("form").requestSubmit()');
    };
    await isSound('log-in-tenant');
    await enter('acme', ADMIN);
    await shows('A tenant has four names');
    await enter('acme/atlas/dev/main', { ...ADMIN, password: 'wrong' });
    await shows('The address or the password is wrong.');
    isQuiet('401');
    await enter('acme / atlas / dev / main', ADMIN);
    await shows('135,233');
    await click('city');
    await shows('alt_name');
    await expect.poll(() => column(2), SOON).not.toEqual([]);
    isQuiet();
  });

  test('filters and order stand in the address, as the API has them', { timeout: LONG }, async () => {
    await click('population');
    await click('population');
    await expect.poll(async () => (await column(2))[0], SOON).toBe('Shanghai');
    expect(await address()).toBe(`${DATA}/city?orderby=-population`);
    await click('Filter');
    await fill('.filter-form select', 'country_id');
    await expect
      .poll(() => page.run('return document.querySelectorAll(".filter-form select")[1].value'), SOON)
      .toBe('eq');
    await fill('.filter-form input', 'CH');
    await page.run('document.querySelector(".filter-form").requestSubmit()');
    await expect.poll(async () => (await column(2))[0], SOON).toBe('Zürich');
    expect(await address()).toBe(`${DATA}/city?country_id[eq]=CH&orderby=-population`);
    await expect.poll(() => column(1), SOON).toContain('Switzerland');
    await isSound('rows-filtered');
    // The same address is the same view.
    await page.run('history.back()');
    await expect.poll(async () => (await column(2))[0], SOON).toBe('Shanghai');
    await page.run('history.forward()');
    await expect.poll(async () => (await column(2))[0], SOON).toBe('Zürich');
    await click('Remove the filter country_id');
    await shows('135,233 rows');
    isQuiet();
  });

  test('scrolls to the end and back, page by page over cursors', { timeout: LONG }, async () => {
    await click('population');
    await expect.poll(address, SOON).toBe(`${DATA}/city`);
    await expect.poll(() => column(0), SOON).not.toEqual([]);
    const top = (await column(0))[0];
    await scrollTo(1);
    await showsFrom(CITIES - 60, CITIES);
    const bottom = await column(0);
    expect(bottom.length).toBeGreaterThan(10);
    expect(bottom.every((id, at) => at === 0 || bottom[at - 1]! < id)).toBe(true);
    expect(page.fetched.some((url) => url.includes('offset='))).toBe(true);
    await scrollTo(0.5);
    await showsFrom(CITIES / 2 - 200, CITIES / 2 + 200);
    await scrollTo(0);
    await expect.poll(async () => (await column(0))[0], SOON).toBe(top);
    page.fetched.length = 0;
    for (let step = 0; step < 12; step++) {
      const before = await firstRow();
      await page.run('document.querySelector(".grid").scrollTop += 1600');
      await showsFrom(before + 1, CITIES);
    }
    // Behind known pages a cursor leads on.
    const asked = page.fetched.filter((url) => url.includes('/data/rest/city'));
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.filter((url) => !url.includes('after='))).toEqual([]);
    await scrollTo(0);
    await expect.poll(async () => (await column(0))[0], SOON).toBe(top);
    isQuiet();
  });

  test(
    'a cell is changed in its place; a refusal is said in the words of the node, and nothing is changed',
    { timeout: LONG },
    async () => {
      await page.run(
        `document.querySelector('.grid-row .grid-cell').dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))`,
      );
      await expect.poll(() => page.run('return document.activeElement.className'), SOON).toBe('grid');
      for (let step = 0; step < 4; step++) await key('ArrowRight');
      const [before] = await column(4);
      await key('F2');
      await expect
        .poll(() => page.run('return document.querySelector(".cell-editor input")?.value'), SOON)
        .toBe(before);
      await fill('.cell-editor input', '-5');
      await key('Enter');
      await shows('must be at least 0');
      await isSound('rows-refused');
      isQuiet('422');
      await key('Escape');
      await expect.poll(async () => (await column(4))[0], SOON).toBe(before);
      await key('F2');
      await expect
        .poll(() => page.run('return document.querySelector(".cell-editor input")?.value'), SOON)
        .toBe(before);
      await fill('.cell-editor input', '4321');
      await key('Enter');
      await expect.poll(async () => (await column(4))[0], SOON).toBe('4321');
      // The node has it.
      await key('Enter');
      await expect
        .poll(() => page.run('return document.querySelector(".sheet input[name=population]")?.value'), SOON)
        .toBe('4321');
      isQuiet();
    },
  );

  test(
    'the sheet: faults beside their fields, a change with its version, a reference that opens',
    { timeout: LONG },
    async () => {
      await fill('.sheet input[name=population]', 'many');
      await fill('.sheet input[name=latitude]', '100');
      await page.run('document.querySelector(".sheet form").requestSubmit()');
      await shows('must be at most 90');
      const faults = await page.run(
        'return [...document.querySelectorAll(".sheet [aria-invalid=true]")].map(({ name }) => name)',
      );
      expect(faults).toEqual(['population', 'latitude']);
      await isSound('sheet-faults');
      isQuiet('422');
      await fill('.sheet input[name=population]', '77');
      await fill('.sheet input[name=latitude]', '1');
      await page.run('document.querySelector(".sheet form").requestSubmit()');
      await expect.poll(async () => (await column(4))[0], SOON).toBe('77');
      // Somebody else changes it: what was opened is not written over that.
      const id = String(await page.run('return new URLSearchParams(location.search).get("row")'));
      await expect
        .poll(() => page.run('return document.querySelector(".sheet button[type=submit]").disabled'), SOON)
        .toBe(true);
      await changeElsewhere(id, { population: 78 });
      await fill('.sheet input[name=alt_name]', 'Another');
      await page.run('document.querySelector(".sheet form").requestSubmit()');
      await shows('Somebody else has changed this row');
      isQuiet('412');
      await click('Load it anew');
      await expect
        .poll(() => page.run('return document.querySelector(".sheet input[name=population]")?.value'), SOON)
        .toBe('78');
      await click('JSON');
      await shows('"population": 78');
      await click('Versions');
      await shows('keep no versions');
      await click('Fields');
      await click('Open', '.sheet');
      await expect.poll(address, SOON).toMatch(/\/data\/city\?row=\w+&follow=country\/[A-Z]{2}$/);
      await shows('continent');
      isQuiet();
    },
  );

  test('a row is made, and deleted behind its name', { timeout: LONG }, async () => {
    await page.run('history.back()');
    await expect.poll(address, SOON).toMatch(/\/data\/city/);
    await expect.poll(() => column(0), SOON).not.toEqual([]);
    await click('New row');
    await expect
      .poll(() => page.run('return document.querySelectorAll(".sheet input").length'), SOON)
      .toBeGreaterThan(5);
    for (const [name, value] of Object.entries({ ...SAMPLE.create, name: '<b>Skep</b>' }))
      await fill(`.sheet input[name=${name}]`, String(value));
    await page.run('document.querySelector(".sheet form").requestSubmit()');
    await expect.poll(address, SOON).toMatch(/row=[0-9A-Z]{26}$/);
    await shows('135,234 rows');
    await expect
      .poll(() => page.run('return document.querySelector(".sheet input[name=name]")?.value'), SOON)
      .toBe('<b>Skep</b>');
    isQuiet();
    await click('Delete …');
    await shows('To do so, type:');
    const enabled = () => page.run('return ![...document.querySelectorAll(".delete button")][0].disabled');
    expect(await enabled()).toBe(false);
    await fill('.delete input', '<b>Skep</b>');
    await expect.poll(enabled, SOON).toBe(true);
    await isSound('sheet-delete');
    await click('Delete', '.delete');
    await shows('135,233 rows');
    await expect.poll(address, SOON).not.toContain('row=');
    isQuiet();
  });

  test('dark and light, wide and narrow, in German, without a fault', { timeout: LONG }, async () => {
    await expect.poll(() => column(0), SOON).not.toEqual([]);
    await isSound('rows');
    await page.run('document.querySelector(".grid").focus()');
    await key('Enter');
    await expect
      .poll(() => page.run('return document.querySelectorAll(".sheet input").length'), SOON)
      .toBeGreaterThan(5);
    await isSound('sheet');
    await click('Close');
    await click('Language');
    await expect.poll(() => page.run('return document.querySelectorAll("[role=menuitem]").length'), SOON).toBe(2);
    await click('Deutsch');
    await shows('Neue Zeile');
    await expect.poll(() => page.run('return document.querySelectorAll("[role=menu]").length'), SOON).toBe(0);
    await isSound('rows-german');
    await click('Abmelden');
    await shows('Anmelden bei acme / atlas / dev / main');
    isQuiet();
  });

  /** As another program does it. */
  async function changeElsewhere(id: string, changes: object): Promise<void> {
    const { it } = console;
    const login = await it.call('POST', '/auth/login', it.position(DEMO_TENANT), ADMIN);
    const { access_token: token } = login.json as { access_token: string };
    const headers = { ...it.position(DEMO_TENANT), Authorization: `Bearer ${token}` };
    const changed = await it.call('PATCH', `/data/rest/city/id/${id}`, headers, changes);
    expect(changed.status).toBe(200);
  }
});
