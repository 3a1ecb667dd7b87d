/**
 * The pages of forms of the console in Debian's Chromium, on a real node: an administrator learns how a form works, submits by the line that the page gives, follows the submission to its row;
 * sees why another one is refused, mends it and runs its trigger again; exports.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { runLine } from '#test/kit/page-shell.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 200 };
const BOSS = 'boss@example.org';
const AGENT = 'agent@example.org';
/** A tenant of a product that no form is about. */
const PLAIN = 'acme:shop:dev:sleeping';
/** More than a page of the list has. */
const CROWD = 55;
const MARKUP = '<img src=x onerror=document.title=1>';

const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\nroles: { desk: files what people submit, agent: answers }\n',
  'entities/ticket.yaml': `entities:
  ticket:
    fields:
      subject: { type: string, unique: true }
      requester: { type: string }
      reference: { type: string, index: true }
    access:
      create: { language: cel, rule: "'desk' in principal.roles" }
      read: { language: cel, rule: "true" }
      update: { language: cel, rule: "true" }
  note:
    fields: { text: { type: string } }
    access: { create: { language: cel, rule: "'desk' in principal.roles" }, read: { language: cel, rule: "true" } }
`,
  'triggers/contact.yaml':
    'on: { form: contact }\nrow: { role: desk, entity: ticket, fields: { subject: subject, requester: email, reference: $id } }\n',
  'triggers/letter.yaml': 'on: { form: letter }\nrow: { role: desk, entity: note, fields: { text: subject } }\n',
  'triggers/asked.yaml':
    'on: { form: asked }\nscript: { role: desk, source: "db.create(\'note\', { text: request.data.fields.subject }); return null;" }\n',
};
const FORMS = ['contact', 'letter', 'asked', 'free'];
const formFile = (id: string): string =>
  `id: ${id}\ntenant: ${TENANT}\nfields: { subject: { type: string, required: true }, email: { type: email } }\n`;
/** What the page saves, for the test to read; and a reader who is away after some seconds, where the address says so. */
const WATCH_SAVES = `
  const later = window.setTimeout;
  window.setTimeout = (run, ms, ...more) => later(run, ms === 600000 && location.search.includes('soon-away') ? 3000 : ms, ...more);
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { globalThis.saved = blob.text(); return make.call(URL, blob); };`;

describe.skipIf(!hasChromium)('forms in a browser', () => {
  let console: ConsoleNode;
  let it: TestNode;
  let page: ConsolePage;
  let forms: string;

  async function submit(form: string, fields: object): Promise<string> {
    const { status, text, json } = await it.call('POST', `/f/${form}`, {}, fields);
    expect(status, text).toBe(200);
    return (json as { id: string }).id;
  }

  beforeAll(async () => {
    const formFiles = Object.fromEntries(FORMS.map((id) => [`${id}.yaml`, formFile(id)]));
    console = await ConsoleNode.start({
      files: FILES,
      formFiles,
      before: WATCH_SAVES,
      extra: 'jobs: { threads: 1 }\n',
    });
    ({ it, page } = console);
    forms = console.at('/forms');
    await it.node.provision(PLAIN);
    for (const tenant of [TENANT, PLAIN]) await console.ensure(BOSS, ['tenant_admin'], tenant);
    await console.ensure(AGENT, ['agent']);
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const open = (address: string, name = BOSS) => page.visit(address, name, console.credentials(name).password);
  const stateOf = (form: string) =>
    `[...document.querySelectorAll('tbody tr')].find((row) => row.querySelector('a')?.innerText === '${form}')?.querySelector('[data-state]')?.dataset.state`;
  const outcome = (value: string) =>
    page.has('document.querySelector("[role=dialog] [data-state]")?.dataset.state', value);
  /** Looks again until so many are there: what was submitted is on its way to the tenant for a moment. */
  const arrived = (selector: string, value: number) =>
    expect
      .poll(async () => {
        await page.click('Look again');
        return page.page.run(`return document.querySelectorAll(${JSON.stringify(selector)}).length`);
      }, SOON)
      .toBe(value);
  /** Pages end at 50, and earlier where looking took its time. */
  const arrivedInAll = (value: number) =>
    expect
      .poll(
        () =>
          page.page.run(`
            const named = (name) => [...document.querySelectorAll('button')].find((one) => one.innerText === name);
            (named('Show older ones') ?? named('Look again'))?.click();
            return document.querySelectorAll('tbody tr').length`),
        SOON,
      )
      .toBe(value);
  const openNewest = () =>
    expect
      .poll(() => page.page.run('const it = document.querySelector("tbody a"); it?.click(); return it !== null'), SOON)
      .toBe(true);

  test('a tenant that knows of no form is told how it gets one', { timeout: LONG }, async () => {
    await open(forms.replace('/main/', '/sleeping/'));
    await page.shows('No form is known here yet.');
    await page.shows(`tenant: ${PLAIN}`);
    await page.shows('fields: { email: email, text: message, submission: $id }');
    await page.isSound('forms-none');
    page.isQuiet();
  });

  test('forms are listed with what follows a submission; the rail leads to them', { timeout: LONG }, async () => {
    await open(forms.replace('/forms', '/data'));
    await page.click('Forms');
    await page.has('location.pathname.endsWith("/main/forms")', true);
    for (const form of ['asked', 'contact', 'letter']) await page.has(stateOf(form), 'empty');
    await page.shows('the script of the trigger asked');
    await page.shows('a row of ticket');
    await page.shows('POST /f/contact');
    await page.isSound('forms');
    page.isQuiet();
  });

  test('an empty form gives the line that submits one; it is followed to its row', { timeout: LONG }, async () => {
    await page.click('contact');
    await page.shows('Nothing was submitted yet');
    await page.isSound('form-empty');
    const line = String(await page.page.run('return document.querySelector(".sample").textContent'));
    expect(line).toContain('curl http://127.0.0.1:8080/f/contact');
    const stdout = await runLine(line.replace('http://127.0.0.1:8080', it.gateway));
    const { id } = JSON.parse(stdout) as { id: string };
    await arrived('tbody [data-state=delivered]', 1);
    await page.shows('Hello · ada@example.org');
    await page.isSound('form');
    await page.page.run('document.querySelector("tbody a").focus()');
    await page.press('Enter');
    await outcome('delivered');
    await page.has('new URL(location.href).searchParams.get("submission")', id);
    await page.shows('It was on the disk of the node before the sender had an answer.');
    await page.shows('It became the row');
    await page.isSound('submission');
    await page.leave();
    await page.has('document.activeElement?.id', `submission-${id}`);
    await page.press('Enter');
    const made = await it.call('GET', `/data/rest/ticket?reference=${id}`, await it.service());
    const row = (made.json as { data: { id: string }[] }).data[0]!.id;
    await page.click(`ticket ${row}`);
    await page.has('new URL(location.href).searchParams.get("row")', row);
    await page.has(`[...document.querySelectorAll('.sheet input')].some((one) => one.value === '${id}')`, true);
    page.isQuiet();
  });

  test(
    'one that the entity refuses says why and what to do; mended, its trigger runs again',
    { timeout: LONG },
    async () => {
      const id = await submit('contact', { subject: 'Hello', email: 'eva@example.org' });
      await open(`${forms}/contact?submission=${id}`);
      await page.shows('The last try failed, and it is tried again by itself:');
      await page.isSound('submission-waits');
      // The page looks again by itself.
      await outcome('failed');
      await page.shows('Its trigger failed for the last time');
      await page.shows('What to do: Change what the reason names');
      await page.isSound('submission-failed');
      await page.has('document.querySelector("tbody [data-state]").dataset.state', 'failed');
      await page.leave();
      await page.click('All forms');
      await page.has(stateOf('contact'), 'faults');
      await page.isSound('forms-faults');
      const headers = { ...(await it.service()), 'Content-Type': 'application/json' };
      const found = await it.call('GET', '/data/rest/ticket?subject=Hello', headers);
      const [row] = (found.json as { data: { id: string }[] }).data;
      const renamed = await it.call('PATCH', `/data/rest/ticket/id/${row!.id}`, headers, { subject: 'Hello before' });
      expect(renamed.status, renamed.text).toBe(200);
      await page.click('contact');
      await page.type('Outcome', 'failed');
      await page.has('new URL(location.href).searchParams.get("outcome")', 'failed');
      await page.count('tbody tr', 1);
      await openNewest();
      await outcome('failed');
      await page.click('Run the trigger again');
      await outcome('delivered');
      await page.shows('It became the row');
      await page.leave();
      await page.shows('No submission has this outcome.');
      await page.isSound('form-none');
      page.isQuiet();
    },
  );

  test(
    'a script, and a row that does not say of what it was made, are told apart; markup is text',
    { timeout: LONG },
    async () => {
      const asked = await submit('asked', { subject: MARKUP });
      const letter = await submit('letter', { subject: 'Dear all' });
      await open(`${forms}/asked?submission=${asked}`);
      await outcome('delivered');
      await page.shows('What the script wrote is in the data of the tenant.');
      await page.shows(MARKUP);
      await page.isSound('submission-script');
      await open(`${forms}/letter?submission=${letter}`);
      await outcome('delivered');
      await page.shows('It became a row of note.');
      await page.shows('give a field of the row the value $id in the trigger');
      await page.isSound('submission-unnamed');
      await open(`${forms}/letter?submission=01J00000000000000000000000`);
      await page.shows('The tenant keeps no submission with this id.');
      await open(`${forms}/letter?submission=no-id`);
      await page.shows('The tenant keeps no submission with this id.');
      page.isQuiet();
    },
  );

  test('a form that no trigger is about keeps what comes: by pages, and as a file', { timeout: LONG }, async () => {
    const first = await submit('free', { subject: 'the first' });
    for (let i = 0; i < CROWD; i++) await submit('free', { subject: `number ${i}`, email: 'ada@example.org' });
    await open(`${forms}/free?submission=01J00000000000000000000000`);
    await page.shows('The tenant keeps no submission with this id.');
    await page.leave();
    await arrivedInAll(CROWD + 1);
    await open(`${forms}/free?submission=${first}`);
    await outcome('kept');
    await page.shows('Nothing follows');
    await page.isSound('submission-kept');
    await page.leave();
    await arrivedInAll(CROWD + 1);
    await page.click('Export as JSON lines');
    await page.shows(`${CROWD + 1} exported`);
    const lines = String(await page.page.run('return await globalThis.saved'))
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(CROWD + 1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ id: first, form: 'free', fields: { subject: 'the first' } });
    await page.click('All forms');
    await page.has(stateOf('free'), 'kept');
    page.isQuiet();
  });

  test('a list changes by itself while its reader is there, and rests when not', { timeout: LONG }, async () => {
    await open(`${forms}/letter`);
    await page.shows('Changes by itself');
    const rows = Number(await page.page.run('return document.querySelectorAll("tbody tr").length'));
    expect(rows).toBeGreaterThan(0);
    await submit('letter', { subject: 'while it was looked at' });
    await page.count('tbody tr', rows + 1);
    await page.isSound('form-live');
    await open(`${forms}/letter?soon-away`);
    await page.shows('Rests: press a key');
    await page.press('Shift', '');
    await page.shows('Changes by itself');
    await page.click('All forms');
    page.isQuiet();
  });

  test('speaks German', { timeout: LONG }, async () => {
    await page.speak('Deutsch');
    await page.shows('Formulare dieses Mandanten');
    await page.isSound('forms-german');
    await page.click('contact');
    await page.shows('Einsendungen, die neueste zuerst');
    await page.isSound('form-german');
    await openNewest();
    await outcome('delivered');
    await page.shows('Aus ihr wurde die Zeile');
    await page.isSound('submission-german');
    await page.leave();
    await page.speak('English');
    page.isQuiet();
  });

  test('a person who administers nothing is told so', { timeout: LONG }, async () => {
    await open(forms, AGENT);
    await page.shows('What people submit is read by the tenant’s administrators');
    await page.isSound('forms-denied');
    page.isQuiet('403');
  });
});
