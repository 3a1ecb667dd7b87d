/** The files of a tenant's stores at the console in Debian's Chromium, on a real node: pictures that the node makes, the texts of a file, and markup that stays a file. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { upload } from '#test/kit/magazine.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const OPEN = ['createasset', 'readasset', 'downloadasset', 'updateasset', 'deleteasset']
  .map((one) => `${one}: { language: cel, rule: "true" }`)
  .join(', ');
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\n',
  'content/stores/stores.yaml': `contentstores:
  - { name: media, type: native, images: { thumb: { width: 160, height: 120, fit: inside } }, access: { ${OPEN} } }
  - { name: papers, type: native, access: { ${OPEN} } }
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
