/** Signed URLs in Debian's Chromium, where an `<img>` sends no header: docs/contract/data.md §5.11. `npm run test:ci` runs it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { isLongRun } from '#test/kit/rounds.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(!hasChromium || !isLongRun)('a page in Chromium', { timeout: 90_000 }, () => {
  let site: Site;
  let it: TestNode;
  beforeAll(async () => {
    site = await Site.open();
    it = await startTestNode();
  });
  afterAll(async () => {
    await it.stop();
    await site.close();
  });

  test('shows a picture by its signed URL, and none by one that was changed', async () => {
    const bearer = await it.service();
    const form = new FormData();
    for (const [key, value] of Object.entries({ id: 'p1', title: 'p1' })) form.set(key, value);
    form.set('scan', new File([PNG], 'point.png', { type: 'image/png' }));
    await fetch(`${it.gateway}/data/rest/paper`, { method: 'POST', headers: bearer, body: form });
    const wish = { field: 'scan', disposition: 'inline' };
    const { json } = await it.call('POST', '/data/rest/paper/id/p1/sign', bearer, wish);
    const url = it.gateway + (json as { url: string }).url;
    const show = (src: string): string => `await new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve([image.naturalWidth, image.naturalHeight]);
      image.onerror = () => resolve('broken');
      image.src = ${JSON.stringify(src)};
      document.body.append(image);
    })`;
    const script = `return { shown: ${show(url)}, changed: ${show(url.replace('part=scan', 'part=cover'))}, bare: ${show(`${it.gateway}/data/rest/paper/id/p1?download=true&field=scan`)} };`;
    expect(await site.run(site.origin('127.0.0.1'), script)).toEqual({
      shown: [1, 1],
      changed: 'broken',
      bare: 'broken',
    });
  });
});
