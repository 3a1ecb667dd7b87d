/**
 * The pages of tenants of the console in Debian's Chromium, on a real node whose checkout a test edits: found, registered, provisioned; a plan that is reviewed, applied behind the
 * typed name, watched, refused, taken back.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, type TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
const FRESH = 'acme:shop:dev:fresh';
const ADMIN = { login: 'ada@example.org', password: 'another long password' };
/** Between the page and the node: while `window.holds` is set, answers to an apply wait. */
const BETWEEN = `
  const ask = window.fetch;
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    while (window.holds && answer.url.endsWith('/apply')) await new Promise((done) => setTimeout(done, 20));
    return answer;
  };`;

/** The entity `thing`, beside what the shop has. */
function thing(fields: string): string {
  const rule = '{ language: cel, rule: "true" }';
  const access = ['create', 'read', 'update', 'delete'].map((one) => `${one}: ${rule}`).join(', ');
  return `entities:\n  thing:\n    fields: { ${fields} }\n    access: { ${access} }\n`;
}

describe.skipIf(!hasChromium)('tenants in a browser', () => {
  let console: ConsoleNode;
  let it: TestNode;
  let page: ConsolePage;

  const declare = (fields: string): void => writeFileSync(console.inProduct('entities/thing.yaml'), thing(fields));

  beforeAll(async () => {
    const files = { 'entities/thing.yaml': thing('name: { type: string, nullable: true }') };
    console = await ConsoleNode.start({ like: 'shop', files, before: BETWEEN, extra: 'audit: { enabled: true }\n' });
    ({ it, page } = console);
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const state = (value: string) => page.has('document.querySelector("[data-state]")?.dataset.state', value);
  const ended = (value: string) => page.has('document.querySelector("[data-plan]")?.dataset.plan', value);
  const steps = (count: number) => page.count('.step', count);
  const tick = (selector: string) => page.page.run(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const canApply = (value: boolean) => page.takes('Apply', value);
  /** What the tenant stores, as its own people see it. */
  async function rowsOf(key: string): Promise<{ status: number; rows: Record<string, unknown>[] }> {
    const { json } = await it.call('POST', '/auth/login', positionHeaders(key), ADMIN);
    const { access_token } = json as { access_token: string };
    const headers = { ...positionHeaders(key), Authorization: `Bearer ${access_token}` };
    const listed = await it.call('GET', '/data/rest/thing', headers);
    return { status: listed.status, rows: (listed.json as { data: Record<string, unknown>[] }).data };
  }

  test(
    'those of the node are listed, and found by a part of their names, which is in the address',
    { timeout: LONG },
    async () => {
      await console.enterPlane();
      await page.click('Tenants');
      await page.shows('acme / shop / dev / main');
      await page.shows('acme / shop / dev / other');
      await page.isSound('tenants');
      await page.type('Find a tenant', 'dev / oth');
      await page.has('new URL(location.href).searchParams.get("q")', 'dev / oth');
      await page.has('[...document.querySelectorAll("tbody a")].map((one) => one.innerText)', [
        'acme / shop / dev / other',
      ]);
      await page.type('Find a tenant', 'nothing of this name');
      await page.shows('No tenant’s name holds “nothing of this name”.');
      await page.isSound('tenants-none');
      await page.type('Find a tenant', '');
      await page.shows('acme / shop / dev / main');
      page.isQuiet();
    },
  );

  test(
    'one is registered and provisioned with its first administrator, who can log in then',
    { timeout: LONG },
    async () => {
      await page.click('Register a tenant');
      await page.shows('Four names say where a tenant is.');
      await page.isSound('tenant-register');
      for (const [label, text] of [
        ['Customer', 'acme'],
        ['Product', 'none'],
        ['Environment', 'dev'],
        ['Tenant', 'fresh'],
      ] as const)
        await page.type(label, text);
      await page.click('Register a tenant');
      await page.shows('no tenant node of the platform file has the product acme:none');
      page.isQuiet('400');
      await page.type('Product', 'shop');
      await page.click('Register a tenant');
      await page.has('location.pathname', '/console/tenants/acme/shop/dev/fresh');
      await state('registered');
      await page.isSound('tenant-registered');
      await page.type('Mail address', ADMIN.login);
      await page.type('Password', ADMIN.password);
      await page.click('Provision');
      await state('active');
      await page.shows('A plan says what would change');
      await page.isSound('tenant-active');
      expect(await rowsOf(FRESH)).toEqual({ status: 200, rows: [] });
      page.isQuiet();
    },
  );

  test(
    'a plan shows each step with SQL and risk, and is applied behind the tenant’s typed name',
    { timeout: LONG },
    async () => {
      declare('name: { type: string, nullable: true, index: true }, note: { type: text, nullable: true }');
      await page.click('Make the plan');
      await page.shows('New field thing.note');
      await page.shows('highest risk: medium');
      await page.has('/ADD COLUMN/i.test(document.querySelector(".steps").innerText)', true);
      await page.has('new URL(location.href).searchParams.get("plan") !== null', true);
      await page.isSound('plan');
      await page.isInDocs('plan');
      await canApply(false);
      await page.typeName('acme/shop/dev/main');
      await canApply(false);
      await page.typeName('acme / shop / dev / fresh');
      await canApply(true);
      await page.page.run('window.holds = true');
      await page.click('Apply');
      await page.shows('The plan is being applied. 2 / 2');
      await page.has('document.querySelectorAll(".step[data-status=applied]").length', 2);
      await page.isSound('plan-under-way');
      await page.page.run('window.holds = false');
      await ended('applied');
      await page.shows('The plan is applied');
      await page.isSound('plan-applied');
      page.isQuiet();
    },
  );

  test(
    'a plan that loses values says which, one that fails says where, and one that cannot be is not offered',
    { timeout: LONG },
    async () => {
      const { json } = await it.call('POST', '/auth/login', positionHeaders(FRESH), ADMIN);
      const { access_token } = json as { access_token: string };
      const headers = { ...positionHeaders(FRESH), Authorization: `Bearer ${access_token}` };
      for (const name of ['same', 'same'])
        expect((await it.call('POST', '/data/rest/thing', headers, { name })).status).toBe(201);
      declare('name: { type: string, nullable: true, unique: true }');
      await page.click('Another plan');
      await tick('input[type=checkbox]');
      await page.click('Make the plan');
      await page.shows('the step fails where rows share a value of (name)');
      await page.shows('The field thing.note is dropped');
      await page.shows('Loses every value of thing.note.');
      await page.typeName('acme/shop/dev/fresh');
      await page.click('Apply');
      await ended('failed');
      await page.shows('The plan could not be applied');
      await page.has('document.querySelectorAll(".step[data-status=failed]").length', 1);
      await page.has('document.querySelector("[aria-label=\\"What to do next\\"]")?.querySelectorAll("li").length', 4);
      await page.shows('The step that failed: ');
      await page.shows('make another plan: it has only what is still missing.');
      await page.isSound('plan-failed');
      declare('id: { type: integer, required: true }');
      await page.click('Another plan');
      await page.click('Make the plan');
      await page.shows('This does not fit what is stored');
      await page.shows('A plan with refusals is not applied here.');
      await page.has('[...document.querySelectorAll("button")].some((one) => one.innerText === "Apply")', false);
      await page.isSound('plan-refused');
      page.isQuiet();
    },
  );

  test(
    'definitions with a mistake are refused with file and line; the revision of before is a plan, too',
    { timeout: LONG },
    async () => {
      declare('name: { type: strin }');
      await page.click('Another plan');
      await page.click('Make the plan');
      await page.shows('thing.yaml:3');
      await page.isSound('plan-mistake');
      page.isQuiet('422');
      await tick('input[value=former]');
      await page.click('Make the plan');
      await page.shows('The schema stays as it is.');
      await page.typeName('acme/shop/dev/fresh');
      await page.click('Apply');
      await ended('applied');
      declare('name: { type: string, nullable: true }');
      await page.click('Another plan');
      await page.click('Make the plan');
      await page.shows('Left out: with drops, the plan would also do this');
      await page.shows('The schema stays as it is.');
      await canApply(false);
      await page.isSound('plan-left');
      await page.click('Another plan');
      await tick('input[type=checkbox]');
      await page.click('Make the plan');
      await page.shows('The field thing.note is dropped');
      await page.shows('highest risk: high');
      await page.isSound('plan-harm');
      await page.typeName('acme/shop/dev/fresh');
      await page.click('Apply');
      await ended('applied');
      expect((await rowsOf(FRESH)).rows.map((row) => Object.keys(row).includes('note'))).toEqual([false, false]);
      page.isQuiet();
    },
  );

  test('a plan is found by its address again, and says that it was made earlier', { timeout: LONG }, async () => {
    const place = it.position(CONTROL_PLANE);
    const logged = await it.call('POST', '/auth/login', place, console.operator());
    const { access_token } = logged.json as { access_token: string };
    const headers = { ...place, Authorization: `Bearer ${access_token}` };
    declare('name: { type: string, nullable: true }, more: { type: integer, nullable: true }');
    const made = await it.call('POST', `/superadmin/registry/tenants/${TENANT}/plans`, headers, {});
    const { plan_id } = made.json as { plan_id: string };
    await console.openPlane(`/tenants/${TENANT.replaceAll(':', '/')}?plan=${plan_id}`);
    await page.shows('This plan was made earlier.');
    await page.shows('New field thing.more');
    await steps(1);
    await ended('generated');
    page.isQuiet();
  });

  test('speaks German', { timeout: LONG }, async () => {
    await page.speak('Deutsch');
    await page.shows('Neues Feld thing.more');
    await page.isSound('plan-german');
    await page.click('Mandanten');
    await page.shows('Ein Teil seiner Namen');
    await page.isSound('tenants-german');
    page.isQuiet();
  });
});
