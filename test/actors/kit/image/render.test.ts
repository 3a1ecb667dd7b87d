/** What becomes of images and of what is none, by the sharp that the workspace installs: docs/contract/content.md §5.4. */
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { StoreImage } from '#config/definitions/content/shapes.ts';
import { renderImage } from '#actors/kit/image/render.ts';
import type { ImageMade } from '#actors/kit/jobs.ts';

const SIZE: StoreImage = { width: 200, height: 100, fit: 'cover', format: 'webp' };

function render(bytes: Uint8Array, size: Partial<StoreImage> = {}): Promise<ImageMade> {
  const source = new SharedArrayBuffer(bytes.length);
  new Uint8Array(source).set(bytes);
  return renderImage({ source, size: { ...SIZE, ...size } });
}

async function made(bytes: Uint8Array, size: Partial<StoreImage> = {}): Promise<Uint8Array> {
  const result = await render(bytes, size);
  if (result.kind !== 'image') throw new Error(result.message);
  return result.bytes;
}

/** By the bytes alone: the loaders for the checks are those that rendering lets in, WebP, JPEG and PNG among them. */
const seen = async (bytes: Uint8Array) => {
  const { format, width, height, exif } = await sharp(bytes).metadata();
  return [format, width, height, exif === undefined];
};

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 10, b: 10 } } });

describe.each(['jpeg', 'png', 'webp', 'gif'] as const)('a %s', (format) => {
  test.each([
    [{ fit: 'cover' }, 'webp', 200, 100],
    [{ fit: 'contain', format: 'png' }, 'png', 200, 100],
    [{ fit: 'inside', format: 'jpeg' }, 'jpeg', 133, 100],
  ] as const)('in the size %j', async (size, wanted, width, height) => {
    const source = await plain(800, 600).toFormat(format).toBuffer();
    expect(await seen(await made(source, size))).toEqual([wanted, width, height, true]);
  });
});

test('inside enlarges nothing; the others fill their size', async () => {
  const small = await plain(20, 10).png().toBuffer();
  expect(await seen(await made(small, { fit: 'inside' }))).toEqual(['webp', 20, 10, true]);
  expect(await seen(await made(small))).toEqual(['webp', 200, 100, true]);
});

test('an image is turned as its camera says, and loses where it was taken', async () => {
  const source = await plain(300, 100)
    .withExif({ IFD0: { Copyright: 'secret' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  expect((await sharp(source).metadata()).orientation).toBe(6);
  const bytes = await made(source, { fit: 'inside', width: 50, height: 300, format: 'jpeg' });
  expect(await seen(bytes)).toEqual(['jpeg', 50, 150, true]);
  expect(Buffer.from(bytes).includes('secret')).toBe(false);
});

test('what is empty beside an image is white in a JPEG, and clear elsewhere', async () => {
  const source = await plain(10, 10).png().toBuffer();
  const corner = async (format: StoreImage['format']) => {
    const bytes = await made(source, { fit: 'contain', format });
    return [...(await sharp(bytes).ensureAlpha().raw().toBuffer()).subarray(0, 4)];
  };
  expect(await corner('jpeg')).toEqual([255, 255, 255, 255]);
  expect((await corner('png'))[3]).toBe(0);
});

test('of an animation the first picture is shown', async () => {
  const frames = [255, 0].map((r) => ({
    create: { width: 8, height: 8, channels: 3 as const, background: { r, g: 0, b: 0 } },
  }));
  const pictures = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()));
  const animation = await sharp(pictures, { join: { animated: true } })
    .gif()
    .toBuffer();
  expect((await sharp(animation, { animated: true }).metadata()).pages).toBe(2);
  const bytes = await made(animation, { width: 8, height: 8, format: 'png' });
  const { pages = 1 } = await sharp(bytes).metadata();
  const [red] = await sharp(bytes).raw().toBuffer();
  expect([pages, red! > 200]).toEqual([1, true]);
});

describe('refused is', () => {
  const damaged = 'the file is damaged, or no JPEG, PNG, WebP or GIF';
  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="/etc/passwd"/></svg>'],
    ['text', 'hello'],
    ['nothing', ''],
    ['a PDF', '%PDF-1.4\n%âãÏÓ\n'],
    ['a beginning of a PNG', '\x89PNG\r\n\x1a\n'],
  ])('%s', async (_what, text) => {
    expect(await render(Buffer.from(text, 'latin1'))).toEqual({ kind: 'bad', message: damaged });
  });

  test('half an image', async () => {
    const whole = await sharp({
      create: { width: 500, height: 500, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 } },
    } as never)
      .jpeg()
      .toBuffer();
    expect((await render(whole)).kind).toBe('image');
    expect(await render(whole.subarray(0, whole.length / 2))).toEqual({ kind: 'bad', message: damaged });
  });

  test('a small file with very many pixels', async () => {
    const side = Math.ceil(Math.sqrt(limits.content.imagePixelsMax)) + 1;
    const bomb = await plain(side, side).png({ compressionLevel: 9 }).toBuffer();
    expect(bomb.length).toBeLessThan(limits.content.imageSourceBytesMax / 10);
    expect(await render(bomb)).toEqual({
      kind: 'bad',
      message: `the image has more than ${limits.content.imagePixelsMax} pixels`,
    });
  });
});
