/** The scratchpad of the console in Debian's Chromium, on a real node: GraphQL by hand with its schema, a jq program beside the rows, and the line that asks what the rules say to a person. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControl } from '#runtime/control.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { runLine } from '#test/kit/page-shell.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const GUEST = 'guest@example.org';
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\nroles: { desk: files tickets }\n',
  'entities/ticket.yaml': `entities:
  ticket:
    fields:
      subject: { type: string, required: true }
      priority: { type: integer }
    access:
      create: { language: cel, rule: "true" }
      read: { language: cel, rule: "'tenant_admin' in principal.roles || principal.type == 'service'" }
`,
};

describe.skipIf(!hasChromium)('the scratchpad in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;
  let closeControl: () => Promise<void>;

  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES, extra: 'jobs: { threads: 1 }\n' });
    ({ page } = console);
    const { it } = console;
    closeControl = await openControl(it.platform.storage.dir, it.node);
    await console.ensure(BOSS, ['tenant_admin']);
    await console.ensure(GUEST, ['desk']);
    for (const subject of ['No sound', 'No light'])
      expect((await it.call('POST', '/data/rest/ticket', await it.service(), { subject })).status).toBe(201);
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    await closeControl?.();
    await console?.stop();
  });

  /** Writes into an editor, in place of what it has, as the keyboard does. */
  async function write(label: string, text: string): Promise<void> {
    await page.has(`document.querySelector('.cm-content[aria-label="${label}"]') !== null`, true);
    await page.page.run(`document.querySelector('.cm-content[aria-label="${label}"]').focus()`);
    await page.withControl('a', 65);
    await page.page.command('Input.insertText', { text });
    // A list of completions would take the next key.
    await page.press('Escape');
  }
  const reads = (label: string, part: string) =>
    expect
      .poll(
        () => page.page.run(`return document.querySelector('.cm-content[aria-label="${label}"]')?.innerText ?? ''`),
        {
          timeout: 60_000,
        },
      )
      .toContain(part);
  const runByKey = () => page.withControl('Enter', 13);

  test('a document is there to begin with, runs, and stands in the address', { timeout: LONG }, async () => {
    await console.open('/scratchpad', BOSS);
    await reads('Document', 'ticket');
    await page.shows('Run a document, and its answer stands here.');
    await page.isSound('scratch');
    await page.click('Run');
    await reads('Answer', 'No sound');
    await page.has('new URL(location.href).searchParams.get("query").includes("edges")', true);
    await page.isSound('scratch-answer');
    page.isQuiet();
  });

  test('a mutation takes variables, and runs once by the keyboard', { timeout: LONG }, async () => {
    await write('Document', 'mutation file($data: TicketCreate!) { create_ticket(data: $data) { subject } }');
    await page.takes('Run the mutation', true);
    await write('Variables (JSON)', '[1');
    await page.shows('The variables are no JSON object.');
    await page.takes('Run the mutation', false);
    await page.isSound('scratch-faults');
    await write('Variables (JSON)', '{"data": {"subject": "No heat"}}');
    await runByKey();
    await reads('Answer', 'create_ticket');
    await reads('Answer', 'No heat');
    await write('Document', '{ ticket(filter: {subject: {eq: "No heat"}}) { edges { node { subject } } } }');
    await runByKey();
    // Sent once: one row.
    await reads('Answer', 'edges');
    await page.has(
      'document.querySelector(".cm-content[aria-label=Answer]").innerText.match(/No heat/g)?.length ?? 0',
      1,
    );
    page.isQuiet();
  });

  test('what is wrong with a document is said, by the node and before', { timeout: LONG }, async () => {
    await write('Document', '{ tickets { id } }');
    await page.click('Run');
    await page.shows('Cannot query field');
    await page.isSound('scratch-refused');
    await write('Document', 'subscription { ticket_changes { type } }');
    await page.shows('A subscription goes on for as long as it is followed');
    await page.takes('Run', false);
    await write('Document', 'query one { ticket { total } } query two { ticket { edges { cursor } } }');
    await page.type('Operation', 'two');
    await page.click('Run');
    await reads('Answer', 'cursor');
    await page.click('Fill in again: file');
    await reads('Document', 'mutation file');
    await reads('Variables (JSON)', 'No heat');
    page.isQuiet();
  });

  test('the schema is searched, and a type has an address', { timeout: LONG }, async () => {
    await page.type('Find a type or a field', 'ticketcr');
    await page.click('TicketCreate');
    await page.has('new URL(location.href).searchParams.get("type")', 'TicketCreate');
    await page.has(
      'document.querySelector("section[aria-label=TicketCreate] tbody").innerText.includes("subject")',
      true,
    );
    await page.type('Find a type or a field', 'nothing of that');
    await page.shows('No type has that in its name');
    await page.isSound('scratch-schema');
    await console.open('/scratchpad?type=TicketCreate', BOSS);
    await page.has('document.querySelector("section[aria-label=TicketCreate]") !== null', true);
    await page.speak('Deutsch');
    await page.shows('Führen Sie ein Dokument aus');
    await page.isSound('scratch-german');
    await page.speak('English');
    page.isQuiet();
  });

  test('a jq program is shown beside the rows, and runs again by its address', { timeout: LONG }, async () => {
    await page.click('Expression');
    await page.takes('Run', true);
    await page.type('Parameters of the request', 'orderby=subject&limit=2');
    await write('jq program', '.data | map(.subject)');
    await page.click('Run');
    await reads('What the program makes of them', '"No heat",');
    await reads('The rows as they are', '"total": 3');
    await page.shows('/data/rest/ticket · .data | map(.subject)');
    await page.isSound('expression');
    await write('jq program', '.data | nothing(');
    await page.click('Run');
    await page.shows('v2.bad_expression');
    await page.isSound('expression-refused');
    page.isQuiet('400');
    await console.open('/scratchpad/expression?entity=ticket&expression=.count', BOSS);
    await reads('What the program makes of them', '3');
    page.isQuiet();
  });

  test('the line that asks what the rules say to a person runs as it stands', { timeout: LONG }, async () => {
    await page.type('Address of the person', GUEST);
    await page.type('Reason', "ticket '4711'");
    const line = (await page.lineOf('Shell')).replace('platform.yaml', console.it.platform.file ?? '');
    expect(await runLine(line)).toContain('403');
    await page.speak('Deutsch');
    await page.shows('Was die Regeln einer Person sagen');
    await page.isSound('expression-german');
    await page.speak('English');
    page.isQuiet();
  });

  test('a login that reads nothing is told so', { timeout: LONG }, async () => {
    await console.open('/scratchpad/expression', GUEST);
    await page.shows('This login reads no entity of the product.');
    await page.isSound('expression-nothing');
    await page.click('GraphQL');
    await page.shows('Find a type or a field');
    await page.isSound('scratch-nothing');
    page.isQuiet();
  });
});
