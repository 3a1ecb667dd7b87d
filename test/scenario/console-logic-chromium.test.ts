/** Actions and scripted endpoints with a form, and requests that are filled in by hand, in Debian's Chromium on a real node: what is offered, what a call says before it writes, faults beside their fields, the lines that do the same, and the last requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const GUEST = 'guest@example.org';
const ADMINS = `{ language: cel, rule: "'tenant_admin' in principal.roles || principal.type == 'service'" }`;
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\nroles: { desk: files tickets }\n',
  'entities/ticket.yaml': `entities:
  ticket:
    fields:
      subject: { type: string, required: true, max_length: 20 }
      priority: { type: integer }
      state: { type: enum, enum: [open, closed] }
    access:
      create: ${ADMINS}
      read: ${ADMINS}
      update: ${ADMINS}
      delete: ${ADMINS}
`,
  'actions/urgent.yaml': `name: urgent
description: Tickets from a priority on
access: ${ADMINS}
sections:
  read:
    params:
      least: { type: integer, required: true }
      states: { type: "string[]", default: [open] }
    sql: select subject, priority from ticket where priority >= :least and state = any(:states) order by subject
  update:
    params:
      least: { type: integer, required: true }
    sql: update ticket set state = 'closed' where priority >= :least returning subject
`,
  'endpoints/greet.yaml': `path: desk/greet
kind: mutate
auth: user
script: "return { hello: request.body.name, html: '<b>no page</b>' };"
`,
};

describe.skipIf(!hasChromium)('actions and requests in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES, extra: 'jobs: { threads: 1 }\n' });
    ({ page } = console);
    await console.ensure(BOSS, ['tenant_admin']);
    await console.ensure(GUEST, ['desk']);
    for (const [subject, priority] of [
      ['No sound', 3],
      ['No light', 1],
    ])
      await console.it.call('POST', '/data/rest/ticket', await console.it.service(), {
        subject,
        priority,
        state: 'open',
      });
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const reads = (label: string, part: string) =>
    expect
      .poll(
        () => page.page.run(`return document.querySelector('.cm-content[aria-label="${label}"]')?.innerText ?? ''`),
        {
          timeout: 60_000,
        },
      )
      .toContain(part);
  const write = async (label: string, text: string): Promise<void> => {
    await page.has(`document.querySelector('.cm-content[aria-label="${label}"]') !== null`, true);
    await page.page.run(`document.querySelector('.cm-content[aria-label="${label}"]').focus()`);
    await page.withControl('a', 65);
    await page.page.command('Input.insertText', { text });
    await page.press('Escape');
  };
  const says = (label: string, part: string) =>
    page.has(
      `[...document.querySelectorAll('label')].find((one) => one.textContent.replace('*', '').trim() === ${JSON.stringify(label)})?.parentElement.innerText.includes(${JSON.stringify(part)}) ?? false`,
      true,
    );

  test('what this login may call is listed, with what each does', { timeout: LONG }, async () => {
    await console.open('/logic', BOSS);
    await page.shows('GET /data/actions/urgent');
    await page.shows('PATCH /data/actions/urgent');
    await page.shows('POST /data/x/desk/greet');
    await page.shows('may change rows');
    await page.isSound('logic');
    page.isQuiet();
  });

  test('an action has a form, faults beside its fields, an answer and lines', { timeout: LONG }, async () => {
    await page.click('GET /data/actions/urgent');
    await page.takes('Run', true);
    await page.click('Run');
    await says('least', 'is needed');
    await page.type('least', 'many');
    await page.click('Run');
    await says('least', 'must be');
    await page.isSound('logic-refused');
    page.isQuiet('400');
    await page.type('least', '2');
    await page.type('states', '["open", "closed"]');
    await page.click('Run');
    await reads('Answer', 'No sound');
    expect(await page.lineOf('curl')).toContain('/data/actions/urgent?least=2&states=open&states=closed');
    expect(await page.lineOf('TypeScript, with @skep/client')).toContain('skep.action("urgent", "read"');
    await page.click('Explain');
    await page.shows('looked at all rows');
    await page.isSound('logic-answer');
    page.isQuiet();
  });

  test('what writes says so before, and is sent once', { timeout: LONG }, async () => {
    await page.click('All');
    await page.click('PATCH /data/actions/urgent');
    await page.shows('It may change what');
    await page.type('least', '3');
    await page.isSound('logic-writes');
    await page.click('Run, and change');
    await reads('Answer', '"total": 1');
    await page.click('All');
    await page.click('POST /data/x/desk/greet');
    await write('Body (JSON)', '{"name": "Ada"}');
    await page.click('Run, and change');
    await reads('Answer', '"hello": "Ada"');
    await page.shows('Last requests');
    await page.click('Fill in again: PATCH /data/actions/urgent');
    await page.has('[...document.querySelectorAll("input[name=least]")].map((one) => one.value)[0]', '3');
    page.isQuiet();
  });

  test('a request is found by a few letters, runs, and stands in the address', { timeout: LONG }, async () => {
    await page.click('Scratchpad');
    await page.click('REST request');
    await page.type('Find a route', 'ticket list rows');
    await page.isSound('rest-find');
    await page.click('GET /data/rest/ticket');
    await page.type('Add a parameter', 'orderby');
    await page.type('orderby', '-subject');
    await page.click('Run');
    await reads('Answer', 'No sound');
    await page.shows('200');
    await page.page.run('document.querySelector(".headers").parentElement.open = true');
    await page.has('document.querySelector(".headers").innerText.includes("content-type: application/json")', true);
    await page.has('JSON.parse(new URL(location.href).searchParams.get("values")).orderby', '-subject');
    await page.isSound('rest-answer');
    await page.type('Find a route', 'ticket create');
    await page.click('POST /data/rest/ticket');
    await write('Body (JSON)', '{"subject": "A subject that is far too long"}');
    await page.click('Run, and change');
    await page.shows('subject: ');
    await page.shows('422');
    await page.isSound('rest-refused');
    page.isQuiet('422');
    await page.click('Fill in again: GET /data/rest/ticket?orderby=-subject');
    await page.has('document.querySelector("input[name=orderby]")?.value', '-subject');
    page.isQuiet();
  });

  test(
    'a route that is not at this address has lines alone; German; a login without any',
    { timeout: LONG },
    async () => {
      await page.type('Find a route', 'ticket delete');
      await page.click('DELETE /data/rest/ticket');
      await page.shows('The console’s address does not have this route');
      expect(await page.lineOf('curl')).toContain('-X DELETE');
      await page.speak('Deutsch');
      await page.shows('Die Adresse der Konsole hat diese Route nicht');
      await page.isSound('rest-german');
      await page.speak('English');
      await console.open('/logic', GUEST);
      await page.shows('POST /data/x/desk/greet');
      expect(await page.text()).not.toContain('/data/actions/urgent');
      page.isQuiet();
    },
  );

  test('the endpoint answers JSON at this origin whatever its script gives', { timeout: LONG }, async () => {
    const { json } = (await console.it.call(
      'POST',
      '/auth/login',
      console.it.position(),
      console.credentials(GUEST),
    )) as {
      json: { access_token: string };
    };
    const answer = await fetch(`${console.it.node.listeners['console']!}/data/x/desk/greet`, {
      method: 'POST',
      headers: {
        ...console.it.position(),
        Authorization: `Bearer ${json.access_token}`,
        Accept: 'text/html',
        'Content-Type': 'application/json',
      },
      body: '{"name":"Ada"}',
    });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual([
      200,
      expect.stringContaining('application/json'),
      'nosniff',
    ]);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  });
});
