/**
 * What administrators of a tenant do at the console in Debian's Chromium, on a real node: a delivery that a receiver refused is found, and sent again when the receiver is mended; rows come in from
 * a file, are changed by two at once, move along their stateflow, are deleted and brought back; a key is made and revoked.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { runLine } from '#test/kit/page-shell.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { TestNode } from '#test/kit/test-node.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 200 };
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
  let console: ConsoleNode;
  let it: TestNode;
  let receiver: Receiver;
  let page: ConsolePage;

  beforeAll(async () => {
    process.env['SKEP_TEST_TRIGGER'] ??= 'trigger-secret';
    receiver = await startReceiver();
    console = await ConsoleNode.start({
      files: { ...FILES, 'triggers/told.yaml': told(receiver.port) },
      extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }\njobs: { threads: 1 }\n`,
    });
    ({ it, page } = console);
    await it.node.provision(PLAIN);
    for (const tenant of [TENANT, PLAIN]) await console.ensure(BOSS, ['tenant_admin'], tenant);
    await console.ensure(AGENT, ['agent']);
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    await console?.stop();
    await receiver?.stop();
  });

  const open = (path: string, name = BOSS) => console.open(path, name);
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
      await console.open('/triggers', BOSS, PLAIN);
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

  describe('rows', () => {
    /** The texts of a column, in the order of the rows. */
    const column = (at: number, value: readonly string[]) =>
      page.has(
        `[...document.querySelectorAll('.grid-row')].toSorted((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex')).map((row) => row.children[${at}].innerText)`,
        value,
      );
    const columnOf = async (name: string): Promise<number> => {
      await page.has(
        'document.querySelector(".grid-row .waiting") === null && document.querySelector(".grid-row") !== null',
        true,
      );
      const heads = await page.page.run(
        'return [...document.querySelectorAll(".grid-heads [role=columnheader]")].map((one) => one.innerText.trim())',
      );
      const at = (heads as string[]).indexOf(name);
      expect(at, String(heads)).toBeGreaterThanOrEqual(0);
      return at;
    };
    const choose = (name: string, text: string) =>
      page.page.run(`
        const input = document.querySelector('input[type=file]');
        const files = new DataTransfer();
        files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
        input.files = files.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));`);
    const patch = async (id: string, fields: object): Promise<void> => {
      const { status, text } = await it.call('PATCH', `/data/rest/ticket/id/${id}`, await it.service(), fields);
      expect(status, text).toBe(200);
    };
    let ids: string[];

    test('a file is shown, checked line by line, and written when it is said', { timeout: LONG }, async () => {
      await open('/data/ticket?import=1');
      await page.shows('It is checked first');
      await page.isSound('import');
      await choose(
        'tickets.csv',
        'subject,priority,state\n"Printer, on fire",1,open\nNo paper,much,open\nNo ink,3,open\n',
      );
      await page.shows('2 rows fit. Refused: 1.');
      await page.shows('Printer, on fire');
      await page.has('document.querySelector("[aria-label=\'Rows that are refused\'] tbody td").innerText', '3');
      await page.isSound('import-checked');
      // A column without a field is left out, until its reader says which one it fills.
      await choose('tickets.csv', 'Subject;colour;rank\n"Printer on fire";red;1\nNo paper;blue;much\n');
      await page.shows('Left out: colour, rank.');
      await page.shows('2 rows fit.');
      await page.page.run(`
        const list = document.querySelector('[aria-label="Field of the column rank"]');
        Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(list, 'priority');
        list.dispatchEvent(new Event('change', { bubbles: true }));`);
      await page.shows('1 row fits. Refused: 1.');
      await page.isSound('import-columns');
      await page.click('Import 1 row');
      await page.shows('1 row was written. Refused: 1.');
      await page.click('Correct 1 row here');
      await page.has('document.querySelector(".sheet textarea").value', 'subject,priority\nNo paper,much');
      await page.isSound('import-mend');
      await page.type('Refused rows', 'subject,priority\nNo paper,2');
      await page.click('Check these rows');
      await page.shows('1 row fits.');
      await page.click('Import 1 row');
      await page.shows('1 row was written.');
      await choose('tickets.jsonl', '{"subject":"No ink","priority":3}\n');
      await page.shows('1 row fits.');
      await page.click('Import 1 row');
      await page.shows('1 row was written.');
      await page.isSound('import-written');
      await page.press('Escape');
      const { json } = await it.call(
        'GET',
        '/data/rest/ticket?orderby=priority&priority[gte]=1&subject[ne]=noted',
        await it.service(),
      );
      ids = (json as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(ids).toHaveLength(3);
      page.isQuiet();
    });

    test('a cell that another caller has changed meanwhile offers the newer value', { timeout: LONG }, async () => {
      await open('/data/ticket?subject[like]=No%25&orderby=priority');
      const at = await columnOf('priority');
      await column(at, ['2', '3']);
      const edit = async (text: string): Promise<void> => {
        await page.page.run(
          `document.querySelector('.grid-row[aria-rowindex="2"]').children[${at}].dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))`,
        );
        await page.has('document.querySelector(".cell-editor input") !== null', true);
        await page.page.run(`
          const field = document.querySelector('.cell-editor input');
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${text}');
          field.dispatchEvent(new Event('input', { bubbles: true }));
          field.focus();`);
        await page.press('Enter');
      };
      await patch(ids[1]!, { priority: 7 });
      await edit('5');
      await page.shows('Somebody else has changed this to “7” meanwhile.');
      await page.isSound('cell-overtaken');
      await page.click('Take theirs');
      await column(at, ['7', '3']);
      // Another field is no matter of this one.
      await patch(ids[1]!, { subject: 'No paper at all' });
      await edit('6');
      await column(at, ['6', '3']);
      await patch(ids[1]!, { priority: 8 });
      await edit('9');
      await page.shows('Somebody else has changed this to “8” meanwhile.');
      await page.click('Keep mine');
      await column(at, ['9', '3']);
      page.isQuiet();
    });

    test('a stateflow is drawn, with the moves that are open as buttons', { timeout: LONG }, async () => {
      await open(`/data/ticket?row=${ids[2]}`);
      await page.click('States');
      await page.count('.machine-state', 5);
      await page.count('[data-move=open]', 2);
      await page.has('document.querySelector(".machine-state[data-here]").textContent.endsWith("open")', true);
      await page.click('take → pending');
      await page.has('document.querySelector(".machine-state[data-here]").textContent.endsWith("pending")', true);
      await page.shows('escalate → urgent');
      await page.count('[data-move=open]', 2);
      await page.isSound('states');
      await page.isInDocs('states');
      await page.click('solve → solved');
      await page.click('close → closed');
      await page.shows('Nothing may happen next by this login.');
      await page.click('Versions');
      await page.shows('state: closed');
      await page.has('document.body.innerText.includes("Give the row the values")', false);
      await open(`/data/ticket?row=${ids[1]}`);
      await page.click('Versions');
      await page.shows('Give the row the values of version 2');
      await page.isSound('versions');
      await page.click('Give the row the values of version 2');
      await page.shows('subject: No paper (was No paper at all)');
      page.isQuiet();
    });

    test('a deleted row is found among those that are deleted alone, and brought back', { timeout: LONG }, async () => {
      await open(`/data/ticket?row=${ids[0]}`);
      await page.click('Delete …');
      await page.typeName('Printer on fire');
      await page.click('Delete');
      await page.has('document.querySelector(".sheet") === null', true);
      await page.page.run(
        '[...document.querySelectorAll("label")].find((one) => one.innerText === "Deleted rows, too").click()',
      );
      await page.has('[...document.querySelectorAll("label")].some((one) => one.innerText === "those alone")', true);
      await page.page.run(
        '[...document.querySelectorAll("label")].find((one) => one.innerText === "those alone").click()',
      );
      const subject = await columnOf('subject');
      await column(subject, ['Printer on fire']);
      await page.isSound('rows-deleted');
      await page.page.run('document.querySelector(".grid").focus()');
      await page.press('Enter');
      await page.shows('This row is marked as deleted.');
      await page.isSound('row-deleted');
      await page.click('Restore');
      await page.has('document.body.innerText.includes("This row is marked as deleted.")', false);
      await page.shows('No row is marked as deleted.');
      page.isQuiet();
    });

    test('speaks German', { timeout: LONG }, async () => {
      await page.speak('Deutsch');
      await page.click('Zustände');
      await page.shows('Was als Nächstes geschehen kann:');
      await page.isSound('states-german');
      await page.click('Importieren');
      await page.shows('Sie wird erst geprüft');
      await page.isSound('import-german');
      await page.speak('English');
      page.isQuiet();
    });
  });

  test('a key is made, shown once, and revoked behind its name', { timeout: LONG }, async () => {
    await console.open('/keys', BOSS, PLAIN);
    await page.shows('No key was made yet.');
    await page.isSound('keys-none');
    await page.takes('Make the key', false);
    await page.type('Name', 'nightly report');
    await page.type('Counts from', '127.0.0.1, ::1');
    await page.click('Make the key');
    await page.shows('no page and no route shows it again');
    await page.isSound('key-shown');
    const key = await page.lineOf('nightly report');
    const line = (await page.lineOf('Shell')).replace('http://127.0.0.1:8080', it.gateway);
    expect(await runLine(line, { env: { SKEP_KEY: key } })).toContain('"token"');
    await page.click('I have put it away');
    await page.has(`document.documentElement.outerHTML.includes(${JSON.stringify(key.split('.')[1])})`, false);
    await page.click('nightly report');
    await page.shows('127.0.0.1, ::1');
    await page.isSound('key');
    await page.click('Revoke …');
    await page.typeName('nightly');
    await page.takes('Revoke', false);
    await page.typeName('nightly report');
    await page.click('Revoke');
    await page.closed();
    await page.shows('No key was made yet.');
    expect(await runLine(line, { env: { SKEP_KEY: key } })).toContain('invalid_api_key');
    await page.speak('Deutsch');
    await page.isSound('keys-german');
    page.isQuiet();
  });
});
