/**
 * The pages of products of the console in Debian's Chromium, on a real node: what runs which revision; a deploy by the page's own lines is followed from the revision that was sent to the steps
 * of its plan; one tenant is led back.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { runLine } from '#test/kit/page-shell.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 500 };
const PRODUCT = 'acme:shop:dev';

describe.skipIf(!hasChromium)('products in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    console = await ConsoleNode.start({ like: 'shop', isControlled: true, extra: 'audit: { enabled: true }\n' });
    ({ page } = console);
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const inShell = (text: string, env: Readonly<Record<string, string>> = {}) =>
    runLine(text, { cwd: console.dir, env });
  const state = (value: string) => page.has('document.querySelector("[data-state]")?.dataset.state', value);

  test('products are listed by what tenants run, and a product by what was done to it', { timeout: LONG }, async () => {
    await console.enterPlane();
    await page.click('Products');
    await page.shows('acme / shop / dev');
    await state('one');
    await page.isSound('products');
    await page.click('acme / shop / dev');
    await page.has('location.pathname', '/console/products/acme/shop/dev');
    await page.has('[...document.querySelectorAll("[aria-label=Tenants] tbody a:first-child")].length >= 2', true);
    await page.shows('No revision was sent and no plan applied by a request yet.');
    await page.isSound('product');
    page.isQuiet();
  });

  test('a deploy by the lines of the page is there, with the steps of its plan', { timeout: LONG }, async () => {
    const printed = await inShell(`${await page.lineOf('The key of a deployer, shown once')} -o json`);
    const { key } = JSON.parse(printed) as { key: string };
    const fields = 'fields: { name: { type: string, nullable: true } }';
    writeFileSync(console.inProduct('entities/thing.yaml'), `entities:\n  thing:\n    ${fields}\n`);
    const line = (await page.lineOf('Bring a revision')).replace(/--to \S+/, `--to ${console.it.gateway}`);
    expect(line).toBe(`skep deploy ./product --to ${console.it.gateway} --product ${PRODUCT}`);
    await inShell(`${line} --yes --tenant main`, { SKEP_DEPLOY_KEY: key });
    await expect
      .poll(async () => {
        await console.openPlane('/products/acme/shop/dev');
        await page.shows('What was done');
        await page.has('document.querySelector("[aria-label=Tenants]") !== null', true);
        return page.text();
      }, SOON)
      .toContain('Plan applied');
    await state('several');
    await page.shows('2 revisions');
    await page.shows('Revision sent');
    await page.isSound('product-deployed');
    await page.click('steps');
    await page.shows('New entity thing');
    await page.isSound('product-steps');
    page.isQuiet();
  });

  test('one tenant is led back by a plan, which is on record with its person', { timeout: LONG }, async () => {
    await page.click('Products');
    await page.click('acme / shop / dev');
    await page.click('Plan back: main');
    await page.has('new URL(location.href).searchParams.get("aim")', 'former');
    await page.has('document.querySelector("input[value=former]").checked', true);
    await page.click('Make the plan');
    await page.typeName('acme/shop/dev/main');
    await page.click('Apply');
    await page.has('document.querySelector("[data-plan]")?.dataset.plan', 'applied');
    await page.click('Products');
    await page.click('acme / shop / dev');
    await state('one');
    page.isQuiet();
  });

  test('a product that is not there; German', { timeout: LONG }, async () => {
    await console.openPlane('/products/acme/none/dev');
    await page.shows('No tenant on this node runs such a product.');
    await page.speak('Deutsch');
    await page.click('Produkte');
    await page.click('acme / shop / dev');
    await page.shows('Plan hier angewandt');
    await page.isSound('product-german');
    page.isQuiet();
  });
});
