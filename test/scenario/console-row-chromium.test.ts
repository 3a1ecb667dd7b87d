/** One row at the console in Debian's Chromium, on a real node with audit logs: rows that refer to it and that it refers to, followed beside the grid; its records, proven by the browser; what the rules say to other people about it; rows as files; the schema, drawn. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const AGENT = 'agent@example.org';
const GUEST = 'guest@example.org';
const rule = (text: string): string => `{ language: cel, rule: ${JSON.stringify(text)} }`;
const ALL = ['create', 'read', 'update', 'delete', 'restore'].map((one) => `${one}: ${rule('true')}`).join(', ');
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: desk\nroles: { agent: answers tickets, guest: looks }\n',
  'entities/desk.yaml': `entities:
  setting:
    fields: { value: { type: string } }
    access: { ${ALL} }
  customer:
    fields: { name: { type: string, required: true }, region: { type: string } }
    access: { ${ALL} }
  ticket:
    traits: [soft_delete, versioned]
    fields:
      subject: { type: string, required: true }
      priority: { type: integer, min: 0 }
      customer_id: { type: ref, ref: { entity: customer }, index: true }
      after_id: { type: ref, ref: { entity: ticket } }
    access: { ${ALL} }
  note:
    fields: { text: { type: string }, author: { type: string }, ticket_id: { type: ref, ref: { entity: ticket }, index: true } }
    access:
      create: ${rule('true')}
      read: ${rule('true')}
      update: ${rule("'agent' in principal.roles && (row.author == principal.subject || request.data.text == 'seen')")}
    row_rule: ${rule("principal.type == 'service' || 'agent' in principal.roles || 'tenant_admin' in principal.roles")}
`,
};

/** What the page would save and copy is kept for the test. */
const CAUGHT = `
  globalThis.saved = []; globalThis.copied = '';
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { void blob.text().then((text) => globalThis.saved.push(text)); return make.call(URL, blob); };
  addEventListener('DOMContentLoaded', () => { if (navigator.clipboard) navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; });
`;

describe.skipIf(!hasChromium)('one row in a browser', () => {
  let console: ConsoleNode;
  let it: TestNode;
  let page: ConsolePage;
  let [customer, first, second, note]: string[] = [];

  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES, before: CAUGHT, extra: 'audit: { enabled: true }\n' });
    ({ it, page } = console);
    await console.ensure(BOSS, ['tenant_admin', 'agent']);
    await console.ensure(AGENT, ['agent']);
    await console.ensure(GUEST, ['guest']);
    customer = await make('customer', { name: 'Acme', region: 'North' });
    first = await make('ticket', { subject: 'No paper', priority: 1, customer_id: customer });
    second = await make('ticket', { subject: 'No ink', priority: 2, customer_id: customer, after_id: first });
    note = await make('note', { text: 'Looked at it', author: 'eve', ticket_id: first });
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  async function make(entity: string, fields: object): Promise<string> {
    const { status, text, json } = await it.call('POST', `/data/rest/${entity}`, await it.service(), fields);
    expect(status, text).toBe(201);
    return (json as { data: { id: string }[] }).data[0]!.id;
  }
  const address = (value: string) => page.has('location.pathname.split("/").at(-1) + location.search', value);

  describe('what it belongs to', () => {
    test('rows that refer to it are counted, named, and shown by the grid', { timeout: LONG }, async () => {
      await console.open(`/data/customer?row=${customer}`, BOSS);
      await page.click('Related');
      await page.has('document.querySelector(".related [data-count]")?.dataset.count', '2');
      await page.shows('No paper');
      await page.isSound('row-related');
      await page.click('No paper');
      await address(`customer?row=${customer}&follow=ticket/${first}`);
      await page.has('document.querySelector(".sheet-title").innerText', `ticket ${first}`);
      await page.click('Related');
      await page.has('[...document.querySelectorAll(".related h2")].map((one) => one.innerText)', [
        'note by ticket_id',
        'ticket by after_id',
      ]);
      await page.click('No ink');
      await address(`customer?row=${customer}&follow=ticket/${first}&follow=ticket/${second}`);
      await page.isSound('row-way');
      page.isQuiet();
    });

    test('a reference of the form is followed in the sheet, and back', { timeout: LONG }, async () => {
      await page.has('document.querySelector(".sheet input[name=after_id]")?.value', first);
      await page.page.run(
        `document.querySelector('.sheet input[name=after_id]').closest('.mantine-Autocomplete-root').parentElement.querySelector('a').click()`,
      );
      await address(`customer?row=${customer}&follow=ticket/${first}`);
      await page.click(`customer …${customer!.slice(-6)}`);
      await address(`customer?row=${customer}`);
      await page.has('document.querySelector(".sheet input[name=name]")?.value', 'Acme');
      await page.click('Related');
      await page.click('Show all in the grid: ticket by customer_id');
      await address(`ticket?customer_id[eq]=${customer}`);
      await page.count('.grid-row', 2);
      page.isQuiet();
    });
  });

  describe('what was done to it', () => {
    test('its records are found, and this browser checks that one is in the log', { timeout: LONG }, async () => {
      const boss = await it.service();
      await it.call('PATCH', `/data/rest/ticket/id/${first}`, boss, { priority: 5 });
      await console.open(`/data/ticket?row=${first}`, BOSS);
      await page.click('Records');
      await page.shows('data.ticket.update');
      await page.shows('data.ticket.create');
      await page.count('.records li', 2);
      await page.page.run('document.querySelector(".records li button").click()');
      await page.click('Prove it');
      await page.has('document.querySelector("[data-verdict]")?.dataset.verdict', 'good');
      await page.isSound('row-proof');
      page.isQuiet();
    });

    test('a record of several rows is found when it is asked for', { timeout: LONG }, async () => {
      const rows = [{ subject: 'One' }, { subject: 'Two' }];
      const { json, status, text } = await it.call('POST', '/data/rest/ticket', await it.service(), rows);
      expect(status, text).toBe(201);
      const { id } = (json as { data: { id: string }[] }).data[1]!;
      await console.open(`/data/ticket?row=${id}`, BOSS);
      await page.click('Records');
      await page.shows('The records that were read have nothing of this row.');
      await page.page.run('document.querySelector(".records input[type=checkbox]").click()');
      await page.shows('data.rows.change');
      await page.count('.records li', 1);
      page.isQuiet();
    });

    test(
      'a person who may not read records is told which roles may; its JSON is copied',
      { timeout: LONG },
      async () => {
        await console.open(`/data/ticket?row=${first}`, AGENT);
        await page.click('Records');
        await page.shows('Records are read by the tenant’s administrators and auditors.');
        page.isQuiet('403');
        await page.click('JSON');
        expect(JSON.parse(await page.lineOf('JSON'))).toMatchObject({ id: first, priority: 5 });
        await page.takes('Copy', true);
        await page.speak('Deutsch');
        await page.click('Bezüge');
        await page.shows('Zeilen, die auf diese verweisen');
        await page.isSound('row-german');
        await page.speak('English');
        page.isQuiet();
      },
    );
  });

  describe('what the rules say to others', () => {
    const choose = async (person: string): Promise<void> => {
      await page.type('Explain access as', person.slice(0, 4));
      await page.page.run(`document.querySelector('.access input').focus()`);
      await page.click(person);
    };
    const gives = (value: readonly string[]) =>
      page.has('[...document.querySelectorAll(".rule li")].map((one) => one.dataset.gives)', value);

    test(
      'a person is found; the rule that refuses is named, with what its conditions give',
      { timeout: LONG },
      async () => {
        await console.open(`/data/note?row=${note}`, BOSS);
        await page.click('Access');
        await choose(GUEST);
        await page.click('Explain');
        await page.shows('refused (404)');
        await page.shows('row_rule does not admit the row to this user');
        await gives(['false', 'false', 'false']);
        await page.isSound('row-access');
        await page.isInDocs('access');
        await page.type('To', 'delete');
        await page.click('Explain');
        await page.shows('refused (403)');
        await page.shows('there is no rule access.delete');
        page.isQuiet();
      },
    );

    test('what is sent decides where a rule reads it', { timeout: LONG }, async () => {
      await page.type('To', 'update');
      await choose(AGENT);
      await page.click('Explain');
      await page.shows('depends on what is sent');
      await page.type('Changes (JSON)', '{"text": ');
      await page.shows('This is no JSON object.');
      await page.type('Changes (JSON)', '{"text": "seen"}');
      await page.click('Explain');
      await page.shows('allowed (200)');
      await gives(['true', 'false', 'true', 'false', 'true', 'false']);
      await page.speak('Deutsch');
      await page.shows('Zugriff erklären als');
      await page.isSound('row-access-german');
      await page.speak('English');
      page.isQuiet();
    });

    test('a person who administers nothing is told who may ask', { timeout: LONG }, async () => {
      await console.open(`/data/note?row=${note}`, AGENT);
      await page.click('Access');
      await page.shows('The tenant’s administrators may ask this.');
      page.isQuiet('403');
    });
  });

  describe('the grid', () => {
    const heads = (value: readonly string[]) =>
      page.has('[...document.querySelectorAll(".grid-heads .grid-cell")].map((one) => one.innerText.trim())', value);
    const exported = async (query: string): Promise<string> => {
      const path = `/data/bulk?entity=ticket&${query}`;
      return (await it.call('PATCH', path, await it.service())).text;
    };

    test('a column that is pinned stays at the left, in another visit, too', { timeout: LONG }, async () => {
      await console.open('/data/ticket', BOSS);
      await page.click('Columns');
      const choice = `[...document.querySelectorAll('[role=menuitemcheckbox]')].find((one) => one.getAttribute('aria-label')?.startsWith('priority ·'))`;
      await page.shows('Stay at the left');
      await page.has(`${choice} !== undefined`, true);
      await page.page.run(`${choice}.click()`);
      await heads(['priority', 'id', 'subject', 'customer_id', 'after_id', 'deleted_at', 'deleted_by', 'version']);
      await page.press('Escape');
      await console.open('/data/ticket', BOSS);
      await heads(['priority', 'id', 'subject', 'customer_id', 'after_id', 'deleted_at', 'deleted_by', 'version']);
      await page.looks('light', 360);
      await page.page.run('document.querySelector(".grid").scrollLeft = 400');
      const left = `(() => { const grid = document.querySelector('.grid').getBoundingClientRect().left; return [...document.querySelectorAll('.grid-row')].map((row) => Math.round(row.querySelector('[data-pinned]').getBoundingClientRect().left - grid)); })()`;
      await page.has(`${left}.every((one) => one >= 32 && one <= 34)`, true);
      await page.looks('light', 1280);
      page.isQuiet();
    });

    test('the rows of a filter leave as the file that the node would write', { timeout: LONG }, async () => {
      for (const priority of [101, 102, 103]) await make('ticket', { subject: `=1+${priority}, "quoted"`, priority });
      await console.open('/data/ticket?priority[gte]=101&orderby=id', BOSS);
      await page.shows('3 rows');
      await page.click('Export');
      await page.shows('Export 3 rows');
      await page.click('CSV');
      await page.shows('A file with 3 rows was saved.');
      await page.has('saved.length', 1);
      const lines = (
        await exported(
          'format=csv&orderby=id&fields=id,subject,priority,customer_id,after_id,deleted_at,deleted_by,version',
        )
      ).split('\r\n');
      const fits = lines.filter((line, at) => at === 0 || /^[^,]+,.*,10[123],/.test(line));
      expect(String(await page.page.run('return saved[0]')).split('\r\n')).toEqual([...fits, '']);
      await page.isSound('rows-exported');
      await page.click('Export');
      await page.click('JSON lines (NDJSON)');
      await page.has('saved.length', 2);
      const rows = String(await page.page.run('return saved[1]'))
        .trim()
        .split('\n');
      expect(rows.map((line) => (JSON.parse(line) as { priority: number }).priority)).toEqual([101, 102, 103]);
      page.isQuiet();
    });

    test('rows that are picked leave alone', { timeout: LONG }, async () => {
      await page.page.run('document.querySelector(".grid").focus()');
      await page.press(' ', ' ');
      await page.press('ArrowDown');
      await page.press('ArrowDown');
      await page.press(' ', ' ');
      await page.shows('2 picked');
      await page.isSound('rows-picked');
      await page.click('Export 2 rows');
      await page.click('JSON lines (NDJSON)');
      await page.has('saved.length', 3);
      const rows = String(await page.page.run('return saved[2]'))
        .trim()
        .split('\n');
      expect(rows.map((line) => (JSON.parse(line) as { priority: number }).priority)).toEqual([101, 103]);
      await page.click('Pick none');
      await page.has('document.querySelectorAll("[data-picked]").length', 0);
      page.isQuiet();
    });

    test('the view is copied as a command and as code', { timeout: LONG }, async () => {
      await page.click('Copy');
      await page.click('Copy as curl');
      await page.has('copied.startsWith("curl -g ")', true);
      await page.click('Copied');
      await page.click('Copy as code (@skep/client)');
      await page.has('copied.startsWith("const rows = await skep.from(")', true);
      await page.speak('Deutsch');
      await page.shows('Exportieren');
      await page.isSound('rows-grid-german');
      await page.speak('English');
      page.isQuiet();
    });
  });

  describe('the schema', () => {
    const boxes = `[...document.querySelectorAll('.schema-box > rect')].map((one) => one.getBoundingClientRect())`;
    const apart = `((all) => all.every((a, i) => all.every((b, j) => i === j || a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top)))(${boxes})`;
    const scale = () => page.page.run('return Number(document.querySelector(".schema-window svg").dataset.scale)');

    test('is drawn: boxes apart, all of them in the window, a line for each reference', { timeout: LONG }, async () => {
      await console.open('/data', BOSS);
      await page.click('Schema');
      await page.count('.schema-box', 4);
      await page.count('.schema-line', 3);
      await page.has(apart, true);
      const inside = `((box) => ${boxes}.every((one) => one.left >= box.left && one.right <= box.right && one.top >= box.top && one.bottom <= box.bottom))(document.querySelector('.schema-window').getBoundingClientRect())`;
      await page.has(inside, true);
      await page.shows('customer_id → customer');
      await page.isSound('schema');
      await page.isInDocs('schema');
      page.isQuiet();
    });

    test('the keyboard moves and zooms it; a text finds a field', { timeout: LONG }, async () => {
      const isFitted =
        '((window) => window.clientWidth > 0 && window.firstElementChild.clientWidth === window.clientWidth)(document.querySelector(".schema-window"))';
      await page.has(isFitted, true);
      const before = Number(await scale());
      await page.page.run('document.querySelector(".schema-window").focus()');
      await page.press('+', '+');
      await page.has('Number(document.querySelector(".schema-window svg").dataset.scale) > ' + before, true);
      await page.press('0', '0');
      await page.has('Number(document.querySelector(".schema-window svg").dataset.scale)', before);
      const at = await page.page.run(
        'const { left, top } = document.querySelector(".schema-window").getBoundingClientRect(); return { x: left + 40, y: top + 40 }',
      );
      await page.page.command('Input.dispatchMouseEvent', {
        type: 'mouseWheel',
        ...(at as object),
        deltaX: 0,
        deltaY: 200,
      });
      await page.has('Number(document.querySelector(".schema-window svg").dataset.scale) < ' + before, true);
      await page.type('Find an entity or a field', 'after');
      await page.has('new URL(location.href).searchParams.get("q")', 'after');
      await page.count('.schema-box[data-dim]', 3);
      await page.count('.region tbody tr', 1);
      await page.isSound('schema-found');
      page.isQuiet();
    });

    test('a box opens its entity, whose references lead on', { timeout: LONG }, async () => {
      await page.page.run(`document.querySelector('.schema-box[data-entity=ticket] [role=button]').focus()`);
      await page.press('Enter');
      await page.has('new URL(location.href).searchParams.get("entity")', 'ticket');
      await page.shows('Traits: soft_delete, versioned');
      await page.shows('note · ticket_id');
      await page.shows('This login, as far as rules of single rows allow: ');
      await page.isSound('schema-entity');
      await page.page.run(
        `[...document.querySelectorAll('[role=dialog] a')].find((one) => one.innerText === 'customer').click()`,
      );
      await page.has('new URL(location.href).searchParams.get("entity")', 'customer');
      await page.shows('ticket · customer_id');
      await page.speak('Deutsch');
      await page.shows('Darauf verweisen');
      await page.isSound('schema-german');
      await page.speak('English');
      page.isQuiet();
    });
  });
});
