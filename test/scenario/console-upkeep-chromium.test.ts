/** The upkeep of a tenant at the console in Debian's Chromium, on a real node: seeds that are tried and run, a pass of retention, a lock that is held while it runs, and what an administrator may not do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const ROOT = 'root@example.org';
const OPERATOR = 'operator@example.org';
const EVA = 'eva@example.org';
const ALL = ['create', 'read', 'update', 'delete'].map((one) => `${one}: { language: cel, rule: "true" }`).join(', ');
/** Enough that a pass of one row at a time is seen while it runs. */
const OLD_ROWS = 3_000;
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\n',
  'entities/all.yaml': `entities:
  country:
    fields: { code: { type: string, required: true, unique: true } }
    access: { ${ALL} }
  visit:
    retention: { active: 24h, age_field: seen }
    fields: { seen: { type: date }, name: { type: string, compliance: pii } }
    access: { ${ALL} }
`,
  'seeds/10-countries.yaml': 'name: countries\nentity: country\nrows: [{ code: "NO" }, { code: SE }]\n',
  'seeds/20-faulty.yaml': 'name: faulty\nentity: country\nrows: [{ code: XX }, { code: XX }]\n',
};

describe.skipIf(!hasChromium)('the upkeep of a tenant in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES, extra: 'audit: { enabled: true }' });
    ({ page } = console);
    await console.ensure(BOSS, ['tenant_admin']);
    await console.ensure(ROOT, ['superadmin']);
    await console.ensure(EVA, ['tenant_user']);
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  test('a seed is tried, which writes nothing, and run', { timeout: LONG }, async () => {
    await console.open('/upkeep', BOSS);
    await page.shows('Nothing holds a lock');
    await page.isSound('upkeep');
    await page.click('countries');
    await page.has('new URL(location.href).searchParams.get("seed")', 'countries');
    await page.click('Try it');
    await page.shows('A run would write 2 rows.');
    await page.isSound('upkeep-tried');
    const rows = async () => {
      const { json } = await console.it.call('GET', '/data/rest/country', await console.it.service());
      return (json as { total: number }).total;
    };
    expect(await rows()).toBe(0);
    await page.click('Run it');
    await page.shows('applied, 2 rows.');
    expect(await rows()).toBe(2);
    await page.leave();
    await page.has('document.activeElement.innerText', 'countries');
    await page.click('faulty');
    await page.click('Run it');
    await page.shows('failed, 0 rows.');
    await page.shows('Why it failed');
    await page.isSound('upkeep-failed');
    await page.leave();
    page.isQuiet();
  });

  test('an administrator sees what is due; a pass takes a superadmin', { timeout: LONG }, async () => {
    const operations = [{ action: 'create', data: { visit: [{ seen: '2021-01-01', name: 'old' }] } }];
    expect((await console.it.call('POST', '/data/rest', await console.it.service(), { operations })).status).toBe(200);
    await page.click('Look again');
    await page.shows('deleted: 1');
    await page.click('Run a pass …');
    await page.typeName('main');
    await page.click('Run a pass');
    await page.shows('This takes the role superadmin at the tenant');
    await page.isSound('upkeep-denied');
    page.isQuiet('403');
    await console.open('/upkeep', ROOT);
    await page.click('Run a pass …');
    await page.takes('Run a pass', false);
    await page.typeName('main');
    await page.click('Run a pass');
    await page.shows('The pass has ended: 2 done, 0 failed.');
    await page.isSound('upkeep-passed');
    page.isQuiet();
  });

  test('a lock that is held is released behind its typed name', { timeout: LONG }, async () => {
    const { credentials, it } = console;
    const { json } = await it.call('POST', '/auth/login', it.position(TENANT), credentials(ROOT));
    const headers = { ...it.position(), Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    for (let written = 0; written < OLD_ROWS; written += 1_000) {
      const visit = Array.from({ length: 1_000 }, () => ({ seen: '2021-01-01', name: 'old' }));
      const operations = [{ action: 'create', data: { visit } }];
      expect((await it.call('POST', '/data/rest', headers, { operations })).status).toBe(200);
    }
    const pass = it.call('POST', '/data/admin/data/retention/runs', headers, { batch_size: 1 });
    await expect
      .poll(
        async () => {
          await page.click('Look again');
          return page.page.run('return document.querySelector("[aria-label=Locks] a")?.innerText ?? ""');
        },
        { timeout: 60_000, interval: 50 },
      )
      .toBe('retention:default');
    await page.click('retention:default');
    await page.click('Release …');
    await page.typeName('retention:default');
    await page.click('Release');
    await page.shows('Nothing holds this lock any more.');
    await page.isSound('upkeep-released');
    await page.leave();
    // Its holder is told at its next heartbeat, or had ended.
    expect([200, 207, 409, 500]).toContain((await pass).status);
    page.isQuiet();
  });

  test(
    'those who run the node do the same from the control plane, on record under their name',
    { timeout: LONG },
    async () => {
      await console.ensure(OPERATOR, ['superadmin'], CONTROL_PLANE);
      const visit = { visit: [{ seen: '2021-01-01', name: 'old' }] };
      const operations = [{ action: 'create', data: visit }];
      expect((await console.it.call('POST', '/data/rest', await console.it.service(), { operations })).status).toBe(
        200,
      );
      const at = `/tenants/${TENANT.replaceAll(':', '/')}`;
      await page.blank();
      await page.page.goto(console.address(at));
      await console.logIn(OPERATOR);
      await page.click('Upkeep');
      await page.has('location.pathname.endsWith("/upkeep")', true);
      await page.shows('deleted: ');
      await page.isSound('upkeep-operator');
      await page.click('faulty');
      await page.click('Run it');
      await page.shows('failed, 0 rows.');
      await page.leave();
      await page.click('Run a pass …');
      await page.typeName(TENANT.replaceAll(':', ' / '));
      await page.click('Run a pass');
      await page.shows('The pass has ended');
      await page.shows('nothing');
      await page.isSound('upkeep-operator-passed');
      const plane = console.it.position(CONTROL_PLANE);
      const { json } = await console.it.call('POST', '/auth/login', plane, console.credentials(OPERATOR));
      const headers = { ...plane, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
      const log = encodeURIComponent(`tenant/${CONTROL_PLANE.replaceAll(':', '/')}`);
      const path = `/audit/logs/${log}/records?limit=50&action=auth.tenant_retention_run.after`;
      await expect
        .poll(async () => (await console.it.call('GET', path, headers)).json, { timeout: 20_000 })
        .toMatchObject({ records: [{ target: TENANT, outcome: 'ok', actor: expect.stringMatching(/^user:|^.+$/) }] });
      page.isQuiet();
    },
  );

  test('speaks German; a person who administers nothing is told so', { timeout: LONG }, async () => {
    await console.open('/upkeep', ROOT);
    await page.speak('Deutsch');
    await page.shows('Nichts hält eine Sperre');
    await page.isSound('upkeep-german');
    await page.speak('English');
    page.isQuiet();
    await console.open('/upkeep', EVA);
    await page.shows('Locks, seeds and retention are read by the tenant’s administrators');
    await page.isSound('upkeep-denied-all');
    page.isQuiet('403');
  });
});
