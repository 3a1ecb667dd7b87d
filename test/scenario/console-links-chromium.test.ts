/** What rows have beside values, at the console in Debian's Chromium, on a real node: links, shown from both sides, made and ended, found in the grid; files. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { runLine } from '#test/kit/page-shell.ts';

const LONG = 240_000;
const AGENT = 'agent@example.org';

const FILES: Readonly<Record<string, string>> = {
  'entities/paper.yaml': `entities:
  paper:
    fields: { title: { type: string, required: true }, pages: { type: integer }, about: { type: json }, scan: { type: file, required: true }, cover: { type: file } }
    access: { create: &agent { language: cel, rule: "'agent' in principal.roles" }, read: *agent, update: *agent }
`,
};

describe.skipIf(!hasChromium)('links in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    console = await ConsoleNode.start({ like: 'linked', files: FILES });
    ({ page } = console);
    const { it } = console;
    await console.ensure(AGENT, ['agent']);
    for (const [entity, row] of [
      ['tag', { id: 'g1', name: 'Printing' }],
      ['tag', { id: 'g2', name: 'Urgent' }],
      ['ticket', { id: 't1', title: 'No paper', tags: ['g2'] }],
      ['ticket', { id: 't2', title: 'No ink' }],
    ] as const) {
      const headers = { ...it.position(), Authorization: `Bearer ${await token()}` };
      const { status, text } = await it.call('POST', `/data/rest/${entity}`, headers, row);
      expect(status, text).toBe(201);
    }
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  async function token(): Promise<string> {
    const { it } = console;
    const { json } = await it.call('POST', '/auth/login', it.position(), console.credentials(AGENT));
    return (json as { access_token: string }).access_token;
  }
  const linked = (how: string, value: readonly string[]) =>
    page.has(
      `[...(document.querySelector('.related[aria-label=${JSON.stringify(how)}]')?.querySelectorAll('li') ?? [])].map((one) => one.innerText)`,
      value,
    );
  const address = (value: string) => page.has('location.pathname.split("/").at(-1) + location.search', value);

  test('a row names what it is linked with; another one is linked, and unlinked', { timeout: LONG }, async () => {
    await console.open('/data/ticket?row=t1', AGENT);
    await page.click('Related');
    await linked('tag linked as tags', ['Urgent']);
    await page.type('Key of a row for “tags”', 'g1');
    await page.click('Link');
    await linked('tag linked as tags', ['Printing', 'Urgent']);
    await page.isSound('row-links');
    await page.type('Key of a row for “tags”', 'g2');
    await page.click('Unlink');
    await linked('tag linked as tags', ['Printing']);
    page.isQuiet();
    await page.type('Key of a row for “tags”', 'none');
    await page.click('Link');
    await page.shows('refers to no row of tag');
    page.isQuiet('422');
  });

  test('the other side names the row, and leads to all such rows', { timeout: LONG }, async () => {
    await page.click('Printing');
    await address('ticket?row=t1&follow=tag/g1');
    await page.click('Related');
    await linked('ticket linked by tags', ['No paper']);
    // It is written at the other side.
    expect(await page.page.run('return document.querySelector(".related input") === null')).toBe(true);
    await page.click('Show all in the grid: ticket linked by tags');
    await address('ticket?[tags.id][eq]=g1');
    await page.count('.grid-row', 1);
    await page.isSound('rows-linked');
    page.isQuiet();
  });

  test('the schema draws links beside references', { timeout: LONG }, async () => {
    await console.open('/schema', AGENT);
    await page.count('.schema-line', 3);
    await page.speak('Deutsch');
    await page.isSound('schema-links-german');
    page.isQuiet();
  });

  test('a row is made with its file, which its sheet tells of', { timeout: LONG }, async () => {
    await page.speak('English');
    await console.open('/data/paper?new=1', AGENT);
    await page.type('title', '12');
    await page.type('pages', '3');
    await page.has('document.querySelector(".sheet .cm-content")?.ariaLabel', 'about');
    await page.page.run('document.querySelector(".sheet .cm-content").focus()');
    await page.page.command('Input.insertText', { text: '{ "size": "A4", ' });
    await page.click('Create');
    await page.shows('This is no JSON');
    await page.page.run('document.querySelector(".sheet .cm-content").focus()');
    await page.page.command('Input.insertText', { text: '"sides": 2 }' });
    await page.click('Create');
    await page.has(`document.querySelector('.mantine-InputWrapper-error')?.innerText`, 'is required');
    page.isQuiet('422');
    await page.page.run(`
      const input = document.querySelector('.sheet input[type=file]');
      const files = new DataTransfer();
      files.items.add(new File(['a scan'], 'a scan, first.txt', { type: 'text/plain' }));
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));`);
    await page.shows('a scan, first.txt · 6 ');
    await page.isSound('row-file-new');
    await page.click('Create');
    await page.shows('a scan, first.txt · text/plain · 6 ');
    await page.has('document.querySelector(".sheet input[name=title]").value', '12');
    await page.has('JSON.parse(document.querySelector(".sheet .cm-content").innerText).sides', 2);
    await page.isSound('row-file');
    const line = await page.lineOf('Fetch scan in a shell');
    const { gateway } = console.it;
    const fetched = await runLine(line.replace(/http:[^/]*\/\/[^/]*/, gateway).replace('curl -OJ', 'curl -s'), {
      env: { TOKEN: await token() },
    });
    expect(fetched).toBe('a scan');
    page.isQuiet();

    // Another file takes its place, one comes to a field without one, and is taken away again.
    const choose = (at: number, name: string, text: string) =>
      page.page.run(`
        const input = document.querySelectorAll('.sheet input[type=file]')[${at}];
        const files = new DataTransfer();
        files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/plain' }));
        input.files = files.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));`);
    await choose(0, 'second.txt', 'second scan');
    await page.shows('second.txt · 11 ');
    await choose(1, 'cover.txt', 'the cover');
    await page.shows('cover.txt · 9 ');
    await page.isSound('row-file-other');
    await page.click('Save');
    await page.shows('second.txt · text/plain · 11 ');
    await page.shows('cover.txt · text/plain · 9 ');
    await page.click('Take the file away: cover');
    await page.shows('It goes when the row is saved.');
    await page.isSound('row-file-away');
    await page.click('Save');
    await page.shows('No file.');
    await page.shows('second.txt · text/plain · 11 ');
    page.isQuiet();
  });
});
