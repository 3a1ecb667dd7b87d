/** The documents of a tenant's content at the console in Debian's Chromium, on a real node: types, forms with faults, languages, states, previews, the end; deliveries of webhooks. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const READER = 'reader@example.org';
const WRITER = 'writer@example.org';
process.env['SKEP_TEST_PREVIEW'] ??= 'preview-secret';
process.env['SKEP_TEST_WEBHOOK'] ??= 'webhook-secret';
const EDITORS = `{ language: cel, rule: "'tenant_admin' in principal.roles" }`;
/** Of the app `notes` alone. */
const WRITERS = `{ language: cel, rule: "'tenant_admin' in principal.roles || 'writer' in principal.roles" }`;
const ACCESS = `access:
  read: { language: cel, rule: 'true' }
  create: ${EDITORS}
  update: ${EDITORS}
  delete: ${EDITORS}
`;
const filesOf = (port: number): Readonly<Record<string, string>> => ({
  'product.yaml': 'name: paper\nroles: { writer: writes notes }\n',
  'content/types/news.story.yaml': `entities:
  story:
    fields:
      title: { type: string, required: true, min_length: 3, max_length: 60, localized: true }
      body: { type: text, localized: true }
      stars: { type: integer, min: 0, max: 5 }
`,
  'content/types/note.yaml': 'entities: { note: { fields: { text: { type: text, required: true } } } }\n',
  'content/apps/news/app.yaml': `name: news
contenttypes: [news.story]
locale: { default: en, supported: [en, de] }
version: { enabled: true }
preview: { secret: "\${SKEP_TEST_PREVIEW}" }
${ACCESS}  preview: ${EDITORS}
webhooks:
  - { name: site, url: "http://127.0.0.1:${port}/stories", secret: "\${SKEP_TEST_WEBHOOK}" }
`,
  'content/apps/notes/app.yaml': `name: notes\ncontenttypes: [note]\n${ACCESS.replaceAll(EDITORS, WRITERS)}  preview: ${WRITERS}\n`,
  'content/apps/plain/app.yaml': `name: plain\ncontenttypes: [note]\n${ACCESS}`,
  'content/apps/closed/app.yaml': 'name: closed\nactive: false\ncontenttypes: [note]\n',
});

describe.skipIf(!hasChromium)('content in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;
  let receiver: Receiver;

  const story = (path: string) => console.it.call('GET', `/content/news/news.story/${path}`, console.it.position());

  beforeAll(async () => {
    receiver = await startReceiver();
    const extra = `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }\n`;
    console = await ConsoleNode.start({ files: filesOf(receiver.port), extra });
    ({ page } = console);
    await console.ensure(BOSS, ['tenant_admin']);
    await console.ensure(READER, ['tenant_user']);
    await console.ensure(WRITER, ['writer']);
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    await console?.stop();
    await receiver?.stop();
  });

  const documentId = async (): Promise<string> =>
    String(await page.page.run('return location.pathname.split("/").at(-1)'));

  test('apps are shown with their types, and those that are not served', { timeout: LONG }, async () => {
    await console.open('/content', BOSS);
    await page.shows('Languages: en, de · keeps versions · previews');
    await page.shows('It is not served: active in its app.yaml is false.');
    await page.isSound('content');
    await page.click('news.story');
    await page.shows('There is no document of this type yet.');
    await page.isSound('content-none');
    page.isQuiet();
  });

  test('a new document has its faults beside its fields', { timeout: LONG }, async () => {
    await page.click('New document');
    await page.type('title', 'Hi');
    await page.type('stars', '9');
    await page.click('Create');
    await page.count('[aria-invalid=true]', 2);
    await page.isSound('content-faults');
    await page.type('title', 'Bees at work');
    await page.type('body', 'They fly.\nThey dance.');
    await page.type('stars', '4');
    await page.click('Create');
    await page.shows('Nothing: 404 until it is published');
    await page.has(
      '[...document.querySelectorAll("main [data-state]")].map((one) => one.dataset.state).join()',
      'draft,missing,draft',
    );
    expect((await story(await documentId())).status).toBe(404);
    await page.isSound('content-draft');
    page.isQuiet('422');
  });

  test('a preview token shows a draft to whom it is given', { timeout: LONG }, async () => {
    await page.click('Make a preview token');
    await page.shows('It counts for 60 minutes.');
    const line = await page.lineOf('With the token');
    const query = /\?(locale=en&preview=[^'"\s]+)/.exec(line)![1]!;
    const seen = await story(`${await documentId()}?${query}`);
    expect([seen.status, (seen.json as { title: string }).title]).toEqual([200, 'Bees at work']);
    await page.isSound('content-preview');
    page.isQuiet();
  });

  test(
    'what is published is what readers get; a language that is missing is told, and translated',
    { timeout: LONG },
    async () => {
      await page.click('Publish');
      await page.count('main [data-state=published]', 2);
      await page.click('de');
      await page.shows('It is missing in de: readers of this language get it in en.');
      await page.shows('What is published in en, since nothing is published in this language.');
      await page.isSound('content-missing');
      await page.type('title', 'Bienen bei der Arbeit');
      await page.click('Create the translation');
      await page.shows('Delete it in de');
      await page.click('Publish');
      await page.count('main [data-state=published]', 3);
      const id = await documentId();
      const german = await story(`${id}?locale=de`);
      expect(german.json).toMatchObject({ title: 'Bienen bei der Arbeit', stars: 4, locale: 'de' });
      await page.isSound('content-translated');
      page.isQuiet();
    },
  );

  test('a change is kept, unless another has changed the document', { timeout: LONG }, async () => {
    await page.type('title', 'Bienen');
    await page.click('Save');
    await page.has('document.querySelector("main h1").innerText', 'Bienen');
    const id = await documentId();
    const { json } = await console.it.call('POST', '/auth/login', console.it.position(), console.credentials(BOSS));
    const bearer = `Bearer ${(json as { access_token: string }).access_token}`;
    const headers = { ...console.it.position(), Authorization: bearer };
    const path = `/content/news/news.story/${id}?locale=de`;
    expect((await console.it.call('PATCH', path, headers, { body: 'Sie tanzen.' })).status).toBe(200);
    await page.type('title', 'Immen');
    await page.takes('Archive', false);
    await page.shows('What was typed below is not kept yet: save it first.');
    await page.click('Save');
    await page.shows('Somebody else has changed the document meanwhile. Nothing was kept.');
    await page.isSound('content-overtaken');
    await page.click('Show theirs');
    await page.shows('Sie tanzen.');
    await page.type('title', 'Immen');
    await page.click('Save');
    await page.has('document.querySelector("main h1").innerText', 'Immen');
    page.isQuiet('412');
  });

  test('earlier versions are compared, and their values taken back', { timeout: LONG }, async () => {
    const numbers =
      "[...document.querySelectorAll('[role=region][aria-label=Versions] tbody td:first-child')].map((one) => one.innerText)";
    await page.has(numbers, ['5', '4', '3', '2', '1']);
    await page.click('Compare with version 1');
    await page.has("[...document.querySelectorAll('dl.facts del')].map((one) => one.innerText)", [
      'Immen',
      'Sie tanzen.',
    ]);
    await page.has(
      "[...document.querySelectorAll('dl.facts ins')].map((one) => one.innerText)[0]",
      'Bienen bei der Arbeit',
    );
    expect(await page.page.run('return location.search')).toBe('?locale=de&version=1');
    await page.isSound('content-versions');
    await page.type('title', 'Imme');
    await page.takes('Take the values of version 1', false);
    await page.click('Cancel');
    await page.click('Take the values of version 1');
    await page.has('document.querySelector("main h1").innerText', 'Bienen bei der Arbeit');
    await page.has(numbers, ['6', '5', '4', '3', '2', '1']);
    await page.shows('Its fields had the same values');
    expect((await story(`${await documentId()}?locale=de`)).json).toMatchObject({
      title: 'Bienen bei der Arbeit',
      version: 6,
    });
    await page.click('Compare with version 5');
    await page.has("[...document.querySelectorAll('dl.facts ins')].map((one) => one.innerText)", [
      'Immen',
      'Sie tanzen.',
    ]);
    await page.click('Take the values of version 5');
    await page.has('document.querySelector("main h1").innerText', 'Immen');
    page.isQuiet();
  });

  test('documents are listed by language and state, and end behind their typed name', { timeout: LONG }, async () => {
    await page.click('news / news.story');
    await page.shows('Bees at work');
    await page.type('Language', 'de');
    await page.shows('Immen');
    await page.type('State', 'archived');
    await page.shows('No document is in this state in the default language.');
    await page.type('State', 'published');
    await page.isSound('content-list');
    await page.click('Immen');
    await page.click('Delete it in de …');
    await page.typeName('Bees at work');
    await page.isSound('content-delete');
    await page.click('Delete it in de');
    await page.count('main [data-state=missing]', 1);
    const id = await documentId();
    expect((await story(`${id}?locale=de`)).json).toMatchObject({ locale: 'en' });
    await page.click('Delete the document …');
    await page.typeName('Bees at work');
    await page.click('Delete the document');
    await page.shows('There is no document of this type yet.');
    expect((await story(id)).status).toBe(404);
    page.isQuiet();
  });

  test('deliveries of webhooks are shown, and sent again under their id', { timeout: LONG }, async () => {
    receiver.answer = (_received, response) => void response.writeHead(410).end();
    await page.click('New document');
    await page.type('title', 'Wax');
    await page.click('Create');
    await page.shows('Nothing: 404 until it is published');
    await page.click('All content');
    await page.click('Webhooks');
    await page.shows('news / site');
    await page.type('State', 'refused');
    await page.click('Look again');
    await page.count('main [data-state=refused]', 1);
    await page.isSound('webhooks');
    const opens = 'document.querySelector("main td .opens a")';
    await page.page.run(`${opens}.click()`);
    await page.shows('The receiver said that it will not take it.');
    await page.shows('410');
    await page.isSound('webhooks-delivery');
    receiver.answer = (_received, response) => void response.end();
    const before = receiver.received.length;
    await page.click('Send it again');
    await page.shows('It is on its way.');
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    const [refused, again] = receiver.received.slice(-2).map(({ headers }) => headers['webhook-id']);
    expect(again).toBe(refused);
    await page.leave();
    await page.type('State', 'delivered');
    await page.has('document.querySelectorAll("main [data-state=delivered]").length > 1', true);
    page.isQuiet();
  });

  test('an app without languages; speaks German', { timeout: LONG }, async () => {
    await console.open('/content/notes/note/new', BOSS);
    await page.type('text', 'Water the flowers');
    await page.click('Create');
    await page.shows('The app makes no preview tokens');
    await page.speak('Deutsch');
    await page.shows('Was Leser bekommen');
    await page.isSound('content-german');
    await page.speak('English');
    page.isQuiet();
  });

  test('where rules keep drafts from a login, what is published is listed', { timeout: LONG }, async () => {
    await console.open('/content/plain/note', BOSS);
    await page.shows('Shown is what is published');
    await page.isSound('content-published');
    page.isQuiet('403');
  });

  test(
    'an editor without that role has the apps whose drafts it may read, and no webhook',
    { timeout: LONG },
    async () => {
      const { json } = await console.it.call('POST', '/auth/login', console.it.position(), console.credentials(WRITER));
      const bearer = `Bearer ${(json as { access_token: string }).access_token}`;
      const headers = { ...console.it.position(), Authorization: bearer };
      const told = await console.it.call('GET', '/content/-/apps', headers);
      const { apps } = told.json as { apps: { name: string; webhooks: unknown[] }[] };
      expect(apps.map(({ name, webhooks }) => [name, webhooks])).toEqual([['notes', []]]);
      for (const [path, status] of [
        ['apps/notes/note', 200],
        ['apps/news/news.story', 403],
        ['apps/closed/note', 403],
        ['apps/none/note', 403],
        ['deliveries', 403],
      ] as const)
        expect([path, (await console.it.call('GET', `/content/-/${path}`, headers)).status]).toEqual([path, status]);
      await console.open('/content', WRITER);
      await page.count('main section', 1);
      await page.click('note');
      await page.click('New document');
      await page.type('text', 'written by an editor');
      await page.click('Create');
      await page.shows('Fields of the document');
      await page.click('Publish');
      await page.count('main [data-state=published]', 1);
      await page.isSound('content-editor');
      page.isQuiet();
    },
  );

  test('a person who administers nothing is told who does', { timeout: LONG }, async () => {
    await console.open('/content', READER);
    await page.shows('Which content a tenant has is told to its administrators');
    await page.isSound('content-denied');
    page.isQuiet('403');
  });
});
