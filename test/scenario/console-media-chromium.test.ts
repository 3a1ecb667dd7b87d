/** The files of a tenant's stores at the console in Debian's Chromium, on a real node: sent in pieces, put into folders, deleted; pictures that the node makes, the texts of a file, and markup that stays a file. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { upload } from '#test/kit/magazine.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const OPEN = [
  'createasset',
  'readasset',
  'downloadasset',
  'updateasset',
  'deleteasset',
  'createfolder',
  'readfolder',
  'deletefolder',
]
  .map((one) => `${one}: { language: cel, rule: "true" }`)
  .join(', ');
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\n',
  'content/stores/stores.yaml': `contentstores:
  - { name: media, type: native, images: { thumb: { width: 160, height: 120, fit: inside } }, access: { ${OPEN} } }
  - { name: papers, type: native, access: { ${OPEN} } }
  - { name: shut, type: native, access: { readasset: { language: cel, rule: "true" } } }
`,
};
const MARKUP = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked = true</script></svg>';

describe.skipIf(!hasChromium)('files in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  const store = async (bytes: string | Uint8Array<ArrayBuffer>, name: string, type: string) => {
    const url = `${console.it.gateway}/store/media/asset`;
    const { status, json } = await upload(url, await console.it.service(), bytes, { name, type });
    expect(status).toBe(201);
    return (json as { id: string }).id;
  };

  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES, extra: 'jobs: { threads: 1 }\n' });
    ({ page } = console);
    await console.ensure(BOSS, ['tenant_admin']);
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const pictures = (value: number) => page.count('.files img.picture', value);

  test('a store without files says how they come', { timeout: LONG }, async () => {
    await console.open('/media', BOSS);
    await page.shows('No file is here that this login may see.');
    await page.isSound('media-none');
    page.isQuiet();
  });

  test('pictures are shown, and markup is a file like any other', { timeout: LONG }, async () => {
    const background = { r: 200, g: 120, b: 20 };
    const picture = await sharp({ create: { width: 400, height: 200, channels: 3, background } })
      .png()
      .toBuffer();
    await store(new Uint8Array(picture), 'honey.png', 'image/png');
    const svg = await store(MARKUP, 'mark.svg', 'image/svg+xml');
    await console.open('/media', BOSS);
    await pictures(1);
    await page.has('document.querySelector(".files img").naturalWidth', 160);
    await page.shows('400 × 200');
    await page.has('document.body.innerText.includes("Show more")', false);
    await page.isSound('media');
    await page.click('mark.svg');
    await page.has('new URL(location.href).searchParams.get("asset")', svg);
    await page.shows('image/svg+xml');
    await page.has('window.hacked === undefined', true);
    await page.leave();
    await page.has('document.activeElement.innerText', 'mark.svg');
    page.isQuiet();
  });

  test('texts of a file are kept, unless another has changed them', { timeout: LONG }, async () => {
    await page.click('honey.png');
    await page.type('Title', 'Honey');
    await page.type('What it shows', 'A plain of the colour of honey.');
    await page.type('Tags', 'bees, yellow');
    await page.click('Save');
    await page.shows('Version 2');
    await page.isSound('media-file');
    await page.leave();
    await page.has('document.querySelector(".files img").alt', 'A plain of the colour of honey.');
    await page.click('Honey');
    const id = await page.page.run('return new URL(location.href).searchParams.get("asset")');
    const headers = await console.it.service();
    const path = `/store/media/asset/${String(id)}`;
    expect((await console.it.call('PATCH', path, headers, { title: 'Wax' })).status).toBe(200);
    await page.type('Title', 'Sugar');
    await page.click('Save');
    await page.shows('Somebody else has changed the texts of this file meanwhile.');
    await page.isSound('media-overtaken');
    await page.click('Show theirs');
    await page.has('[...document.querySelectorAll("[role=dialog] input")][0].value', 'Wax');
    await page.leave();
    page.isQuiet('412');
  });

  test('the other store has an address; speaks German', { timeout: LONG }, async () => {
    await page.type('Store', 'papers');
    await page.has('new URL(location.href).searchParams.get("store")', 'papers');
    await page.shows('No file is here that this login may see.');
    await page.speak('Deutsch');
    await page.shows('Hier ist keine Datei');
    await page.isSound('media-german');
    await page.speak('English');
    page.isQuiet();
  });

  const choose = (name: string, bytes: number) =>
    page.page.run(`
      const input = document.querySelector('input[type=file]');
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(${bytes}).fill(66)], ${JSON.stringify(name)}, { type: 'text/plain' }));
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));`);

  test('a folder is made, files are sent into it piece by piece, and moved out of it', { timeout: LONG }, async () => {
    await page.type('New folder', 'plans');
    await page.click('Make it');
    await page.has('new URL(location.href).searchParams.get("folder") !== null', true);
    await choose('hive.txt', 2_500_000);
    await page.shows('Stored.');
    await page.count('.files li', 1);
    const folder = await page.page.run('return new URL(location.href).searchParams.get("folder")');
    const headers = await console.it.service();
    const { json } = await console.it.call('GET', '/store/papers/asset', headers);
    expect((json as { data: object[] }).data).toMatchObject([{ name: 'hive.txt', size: 2_500_000, folder_id: folder }]);
    await page.isSound('media-sent');
    await page.click('Delete this folder …');
    await page.typeName('plans');
    await page.click('Delete this folder');
    await page.shows('content.conflict');
    await page.isSound('media-folder-refused');
    await page.click('hive.txt');
    await page.shows('2,500,000');
    await page.type('Folder of this file', '');
    await page.click('Save');
    await page.count('.files li', 0);
    page.isQuiet('409');
  });

  test('a file ends behind its typed name, and then its folder', { timeout: LONG }, async () => {
    await page.click('Delete the file …');
    await page.typeName('hive.txt');
    await page.isSound('media-delete');
    await page.click('Delete the file');
    await page.closed();
    await page.count('.files li', 0);
    await page.click('Delete this folder');
    await page.has('new URL(location.href).searchParams.get("folder")', null);
    page.isQuiet();
  });

  test(
    'what a store refuses is told beside the file, and sent again when it is asked to',
    { timeout: LONG },
    async () => {
      await page.type('Store', 'shut');
      await page.has('new URL(location.href).searchParams.get("store")', 'shut');
      await choose('late.txt', 10);
      await page.shows('content.forbidden');
      await page.isSound('media-refused');
      await page.click('Go on with late.txt');
      await page.shows('content.forbidden');
      await page.click('Clear the list');
      await page.count('.uploads li', 0);
      page.isQuiet('403');
    },
  );

  test('a product without content is told how it gets some', { timeout: LONG }, async () => {
    await page.click('Content');
    await page.shows('This product has no content yet.');
    await page.isSound('content-without');
    await page.click('Webhooks');
    await page.shows('This product has no webhook of content yet.');
    await page.isSound('webhooks-without');
    page.isQuiet();
  });

  test('the bytes of a file are not at this origin', { timeout: LONG }, async () => {
    const headers = await console.it.service();
    for (const part of ['download', 'signed', 'versions'])
      expect(
        (
          await console.it.call(
            'GET',
            `/store/media/asset/x/${part}`,
            headers,
            undefined,
            console.address().replace('/console', ''),
          )
        ).status,
      ).toBe(404);
  });
});
