/**
 * What administrators of a tenant do at the console in Debian's Chromium, on a real node: a delivery that a receiver refused is found, and sent again when the receiver is mended.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { buildConsole } from '#test/kit/console-build.ts';
import { ConsolePage } from '#test/kit/console-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import type { TestNode } from '#test/kit/test-node.ts';
import { startReceiver } from '#test/kit/webhook-receiver.ts';
import type { Receiver } from '#test/kit/webhook-receiver.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 200 };
const BUILD_MS_MAX = 900_000;
const PASSWORD = 'correct horse battery';
const BOSS = 'boss@example.org';
const AGENT = 'agent@example.org';
/** A tenant of a product without triggers. */
const PLAIN = 'acme:shop:dev:sleeping';

const ALL = ['create', 'read', 'update', 'delete', 'restore']
  .map((one) => `${one}: { language: cel, rule: "true" }`)
  .join(', ');
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\nroles: { desk: files tickets, agent: answers }\n',
  'entities/ticket.yaml': `entities:
  ticket:
    traits: [soft_delete, versioned]
    fields:
      subject: { type: string, required: true }
      priority: { type: integer }
      state: { type: string, required: true }
    access: { ${ALL} }
  note:
    fields: { text: { type: string } }
    access: { create: { language: cel, rule: "'desk' in principal.roles" }, read: { language: cel, rule: "true" } }
`,
  'stateflows/ticket.yaml': `name: ticket
entity: ticket
field: state
initial: open
states:
  open: { events: { take: { target: pending }, solve: { target: solved } } }
  pending: { events: { solve: { target: solved }, put_back: { target: open }, escalate: { target: urgent, guard: "row.priority > 5" } } }
  urgent: { events: { solve: { target: solved } } }
  solved: { events: { reopen: { target: open }, close: { target: closed } } }
  closed: { type: final }
`,
  'triggers/noted.yaml': `entity: ticket
events: [created]
when: row.subject == "noted"
script:
  role: desk
  source: |
    if (db.get('ticket', request.data.id).priority === null) throw new Error('no priority yet');
    db.create('note', { text: request.data.id });
`,
  'triggers/nightly.yaml':
    'on: { cron: "0 2 * * *", timezone: Europe/Berlin }\nscript: { role: desk, source: "return null;" }\n',
};
const told = (port: number): string =>
  `entity: ticket\nevents: [created]\nwhen: row.subject == "told"\nfields: [subject]\nwebhook: { url: "http://127.0.0.1:${port}/told", secret: "\${SKEP_TEST_TRIGGER}", timeout: 2s }\n`;

describe.skipIf(!hasChromium)('a tenant’s administrator in a browser', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-console-tenant-'));
  let it: TestNode;
  let receiver: Receiver;
  let page: ConsolePage;
  let at: string;

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const ensure = (tenant: string, email: string, roles: readonly string[]) =>
    it.node.ask(tenant, 'identity', 'person.ensure', { email, password: PASSWORD, roles });

  beforeAll(async () => {
    buildConsole();
    process.env['SKEP_TEST_TRIGGER'] ??= 'trigger-secret';
    receiver = await startReceiver();
    for (const [path, text] of Object.entries({ ...FILES, 'triggers/told.yaml': told(receiver.port) }))
      write(path, text);
    it = await startTestNode({
      localdir: dir,
      listeners: '  console: { bind: 127.0.0.1:0 }\n',
      extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }\njobs: { threads: 1 }\n`,
    });
    at = `${it.node.listeners['console']!}/console/at/${TENANT.replaceAll(':', '/')}`;
    await it.node.provision(PLAIN);
    for (const tenant of [TENANT, PLAIN]) await ensure(tenant, BOSS, ['tenant_admin']);
    await ensure(TENANT, AGENT, ['agent']);
    page = await ConsolePage.open();
  }, BUILD_MS_MAX);
  afterAll(async () => {
    await page?.close();
    await it?.stop();
    await receiver?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const open = (path: string, name = BOSS) => page.visit(`${at}${path}`, name, PASSWORD);
  async function make(fields: object): Promise<string> {
    const made = await it.call('POST', '/data/rest/ticket', await it.service(), fields);
    expect(made.status, made.text).toBe(201);
    return (made.json as { data: { id: string }[] }).data[0]!.id;
  }

  describe('triggers', () => {
    /** Looks again until the list has so many deliveries. */
    const listed = (value: number) =>
      expect
        .poll(async () => {
          await page.click('Look again');
          return page.page.run('return document.querySelectorAll("tbody [data-state]").length');
        }, SOON)
        .toBe(value);

    test('a product without any teaches how one is made', { timeout: LONG }, async () => {
      await page.visit(`${at.replace('/main', '/sleeping')}/triggers`, BOSS, PASSWORD);
      await page.shows('This product has no trigger yet.');
      await page.shows('triggers/paid.yaml');
      await page.isSound('triggers-none');
      page.isQuiet();
    });

    test('they are listed with what fires them; nothing has failed yet', { timeout: LONG }, async () => {
      await open('/data');
      await page.click('Triggers');
      await page.has('location.pathname.endsWith("/main/triggers")', true);
      await page.shows('ticket created');
      await page.shows('0 2 * * *');
      await page.shows('Nothing waits, and nothing has failed.');
      await page.isSound('triggers');
      page.isQuiet();
    });

    test('a delivery that was refused says how, and is sent again', { timeout: LONG }, async () => {
      receiver.answer = (_one, response) => void response.writeHead(410).end();
      const row = await make({ subject: 'told' });
      await listed(1);
      await page.isSound('triggers-refused');
      await page.type('State', 'refused');
      await page.has('new URL(location.href).searchParams.get("outcome")', 'refused');
      await page.has('document.querySelector("tbody [data-state]")?.dataset.state', 'refused');
      await page.page.run('document.querySelector("tbody [data-state]").closest("tr").querySelector("a").click()');
      await page.shows('Mend what the answer names');
      await page.shows(`ticket ${row}`);
      await page.shows('410');
      await page.isSound('trigger-event');
      receiver.answer = (_one, response) => void response.end();
      await page.click('Send it again');
      await page.shows('It got through');
      await page.isSound('trigger-event-through');
      const [before, after] = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(after).toBe(before);
      await page.leave();
      await page.shows('No delivery here is of this state and trigger.');
      page.isQuiet();
    });

    test('a script that failed says why, and runs at once when its reader asks for it', { timeout: LONG }, async () => {
      const row = await make({ subject: 'noted' });
      await page.type('State', '');
      await page.click('noted');
      await page.has('new URL(location.href).searchParams.get("trigger")', 'noted');
      await listed(1);
      await page.page.run('document.querySelector("tbody [data-state]").closest("tr").querySelector("a").click()');
      await page.shows('no priority yet');
      await page.isSound('trigger-event-script');
      const service = await it.service();
      expect((await it.call('PATCH', `/data/rest/ticket/id/${row}`, service, { priority: 1 })).status).toBe(200);
      // It runs again by itself, too: it may be through before the click.
      await expect
        .poll(
          () =>
            page.page.run(`
              [...document.querySelectorAll('[role=dialog] button')].find((one) => /^(Try it now|Run it again)$/.test(one.innerText) && !one.disabled)?.click();
              return document.querySelector('[role=dialog] [role=status]')?.innerText ?? '';`),
          SOON,
        )
        .toContain('got through');
      await page.leave();
      page.isQuiet('404');
    });

    test('speaks German; a person who administers nothing is told so', { timeout: LONG }, async () => {
      await page.speak('Deutsch');
      await page.shows('Zustellungen, die warten');
      await page.isSound('triggers-german');
      await page.speak('English');
      page.isQuiet();
      await open('/triggers', AGENT);
      await page.shows('Triggers and their deliveries are read by the tenant’s administrators');
      page.isQuiet('403');
    });
  });
});
