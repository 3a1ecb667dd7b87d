/** Images in sizes that a store declares, over HTTP to a real node. It proves docs/contract/content.md §5.4. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { magazineDirectory, startMagazine, upload } from '#test/kit/magazine.ts';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

const IMAGES = `
    images:
      thumb: { width: 40, height: 30 }
      page: { width: 100, height: 100, fit: inside, format: jpeg }`;

let dir: string;
let node: TestNode;
let editor: Headers;
let reader: Headers;
const url = (path: string): string => `${node.gateway}/store/media/asset/${path}`;
const get = (path: string, headers: Headers = reader, method = 'GET') => fetch(url(path), { method, headers });
const codeOf = async (response: Response): Promise<unknown> => ((await response.json()) as { code: unknown }).code;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-images-'));
  const product = join(dir, 'magazine');
  cpSync(magazineDirectory, product, { recursive: true });
  const stores = join(product, 'content', 'stores', 'stores.yaml');
  const text = readFileSync(stores, 'utf8');
  writeFileSync(
    stores,
    text.replaceAll('type: native\n    cacheexpiry: 1h', `type: native${IMAGES}\n    cacheexpiry: 1h`),
  );
  const made = join(dir, 'node');
  mkdirSync(made);
  node = await startMagazine({ localdir: product, dir: made });
  editor = await node.service();
  reader = node.position();
});
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

let hue = 0;
/** Stores a picture that no other test has. */
async function picture(width = 400, height = 200): Promise<{ readonly id: string; readonly sha256: string }> {
  const background = { r: (hue += 7), g: 20, b: 30 };
  const bytes = await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
  const { status, json } = await upload(`${node.gateway}/store/media/asset`, editor, new Uint8Array(bytes), {
    name: 'Sommer ä.png',
    type: 'image/png',
  });
  expect([status, json.width, json.height]).toEqual([201, width, height]);
  return json;
}

/** Files that were made of an asset's file, on the disk. */
function madeOf(sha256: string, of = node): string[] {
  const content = join(of.platform.storage.dir, 'content');
  const tenants = readdirSync(content).map((tenant) => join(content, tenant, 'media', 'derived', sha256));
  return tenants.flatMap((path) => (existsSync(path) ? readdirSync(path) : []));
}

test('an image comes in each declared size, is kept, and answers its tag and HEAD', async () => {
  const { id, sha256 } = await picture();
  expect(madeOf(sha256)).toEqual([]);
  const thumb = await get(`${id}/image/thumb`);
  const bytes = Buffer.from(await thumb.arrayBuffer());
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 40, height: 30 });
  expect([thumb.status, Object.fromEntries(thumb.headers)]).toMatchObject([
    200,
    {
      'content-type': 'image/webp',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=3600',
      'content-disposition': `inline; filename="Sommer _.webp"; filename*=UTF-8''Sommer%20%C3%A4.webp`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    },
  ]);
  const page = await get(`${id}/image/page`);
  expect(await sharp(Buffer.from(await page.arrayBuffer())).metadata()).toMatchObject({
    format: 'jpeg',
    width: 100,
    height: 50,
  });
  expect(madeOf(sha256)).toHaveLength(2);
  const again = await get(`${id}/image/thumb`);
  expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);
  const etag = thumb.headers.get('etag')!;
  expect([again.headers.get('etag'), page.headers.get('etag') === etag]).toEqual([etag, false]);
  expect((await get(`${id}/image/thumb`, { ...reader, 'If-None-Match': etag })).status).toBe(304);
  const head = await get(`${id}/image/thumb`, reader, 'HEAD');
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(bytes.length), '']);
});

test('many callers at once get the same image', async () => {
  const { id } = await picture(1200, 900);
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(`${id}/image/thumb`)));
  const bodies = await Promise.all(answers.map(async (one) => Buffer.from(await one.arrayBuffer()).toString('hex')));
  expect([new Set(answers.map(({ status }) => status)), new Set(bodies).size]).toEqual([new Set([200]), 1]);
});

describe('refused', () => {
  test('are sizes that no store declares, and parameters', async () => {
    const { id } = await picture();
    for (const size of ['huge', '100x100', 'constructor', '__proto__']) {
      const answer = await get(`${id}/image/${size}`);
      expect([size, answer.status, await codeOf(answer)]).toEqual([size, 404, 'content.image_not_found']);
    }
    const answer = await get(`${id}/image/thumb?width=5000`);
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'content.bad_query']);
  });

  test('are callers that may not download: the rule is that of the asset', async () => {
    const { id } = await picture();
    const elsewhere = await get(`${id}/image/thumb`, node.position(OTHER_TENANT));
    expect([elsewhere.status, await codeOf(elsewhere)]).toEqual([404, 'content.asset_not_found']);
    const locked = await fetch(`${node.gateway}/store/locked/asset/${id}/image/thumb`, { headers: reader });
    expect([locked.status, await codeOf(locked)]).toEqual([401, 'content.unauthorized']);
  });

  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"></svg>', 'image/svg+xml'],
    ['text', 'hello', 'text/plain'],
    ['a PNG that ends early', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x02\0\0\0', 'image/png'],
    ['a PNG with very many pixels', `\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x02\0\0\0`, 'image/png'],
  ])('is %s', async (_what, text, type) => {
    const bytes = new Uint8Array(Buffer.from(text, 'latin1'));
    const { status, json } = await upload(`${node.gateway}/store/media/asset`, editor, bytes, { type });
    expect(status).toBe(201);
    const answer = await get(`${json.id}/image/thumb`);
    expect([answer.status, await codeOf(answer)]).toEqual([422, 'content.image_unsupported']);
    expect(madeOf(json.sha256)).toEqual([]);
  });
});

test('another file of the asset has another image and tag', async () => {
  const { id } = await picture();
  const before = (await get(`${id}/image/thumb`)).headers.get('etag');
  const bytes = await sharp({ create: { width: 50, height: 50, channels: 3, background: 'blue' } })
    .png()
    .toBuffer();
  const changed = await upload(url(id), editor, new Uint8Array(bytes), { method: 'PATCH', type: 'image/png' });
  expect(changed.status).toBe(200);
  const after = await get(`${id}/image/thumb`);
  expect([after.status, after.headers.get('etag') === before]).toEqual([200, false]);
});

test('an image is shown, and not kept, where its store has no room for it', async () => {
  const here = mkdtempSync(join(tmpdir(), 'skep-images-full-'));
  const background = { r: 1, g: 2, b: 3 };
  const bytes = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer();
  const full = await startMagazine({
    localdir: join(dir, 'magazine'),
    dir: here,
    extra: `content: { assets: { store_bytes_max: ${bytes.length + 1} } }`,
  });
  try {
    const { json } = await upload(`${full.gateway}/store/media/asset`, await full.service(), new Uint8Array(bytes), {
      type: 'image/png',
    });
    const answer = await fetch(`${full.gateway}/store/media/asset/${json.id}/image/thumb`, {
      headers: full.position(),
    });
    expect([answer.status, madeOf(json.sha256, full)]).toEqual([200, []]);
  } finally {
    await full.stop();
    rmSync(here, { recursive: true, force: true });
  }
});
