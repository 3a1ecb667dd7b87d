/**
 * An image in another size, by sharp (libvips), on a job thread. Decoders read hostile bytes, so of all that libvips can read the four formats of cameras and
 * pages are let in, with a bound on pixels; scripts of vector images never run.
 */
import type SharpModule from 'sharp';
import { limits } from '#config/limits.ts';
import type { StoreImage } from '#config/definitions/content/shapes.ts';
import type { ImageMade, ImageWish } from '../jobs.ts';

type Sharp = typeof SharpModule;

const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`);
const QUALITY = 80;
const CLEAR = { r: 255, g: 255, b: 255, alpha: 0 };
const WHITE = { r: 255, g: 255, b: 255 };
/** What libvips says of an image with more pixels than it may read. */
const TOO_MANY = /exceeds pixel limit/;
const TOO_LONG = /^timeout/;

let loading: Promise<Sharp | null> | null = null;

/** Null where the package or its binary for this machine is not there. */
async function loadSharp(): Promise<Sharp | null> {
  try {
    const { default: sharp } = await import('sharp');
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    return sharp;
  } catch {
    return null;
  }
}

/** Never rejects: `bad` for bytes that are no such image, `missing` without the package. */
export async function renderImage({ source, size }: ImageWish): Promise<ImageMade> {
  const sharp = await (loading ??= loadSharp());
  if (sharp === null) {
    loading = null;
    return {
      kind: 'missing',
      message: `images in other sizes need the package sharp: ${INSTALL}, and start the node again`,
    };
  }
  try {
    const bytes = await rendered(sharp, new Uint8Array(source), size);
    if (bytes.byteLength <= limits.content.imageBytesMax) return { kind: 'image', bytes };
    return { kind: 'bad', message: `the image has more than ${limits.content.imageBytesMax} bytes in this size` };
  } catch (error) {
    return { kind: 'bad', message: faultOf(error as Error) };
  }
}

/** Another version may make other bytes of the same image; this one was tested. */
const INSTALL = 'npm install sharp@0.35.5';

/** Turned as its camera says, without its metadata: a place may be written in them. */
async function rendered(
  sharp: Sharp,
  source: Uint8Array,
  { width, height, fit, format }: StoreImage,
): Promise<Uint8Array> {
  const background = format === 'jpeg' ? WHITE : CLEAR;
  const image = sharp(source, {
    limitInputPixels: limits.content.imagePixelsMax,
    failOn: 'error',
    sequentialRead: true,
  })
    .autoOrient()
    .resize({ width, height, fit, withoutEnlargement: fit === 'inside', background })
    .timeout({ seconds: Math.ceil(limits.content.imageMsMax / 1000) });
  const opaque = format === 'jpeg' ? image.flatten({ background }) : image;
  return new Uint8Array(await opaque.toFormat(format, { quality: QUALITY }).toBuffer());
}

/** The words of libvips may name files and functions of its own: callers get ours. */
function faultOf({ message }: Error): string {
  if (TOO_MANY.test(message)) return `the image has more than ${limits.content.imagePixelsMax} pixels`;
  if (TOO_LONG.test(message)) return `the image was not made within ${limits.content.imageMsMax} ms`;
  return 'the file is damaged, or no JPEG, PNG, WebP or GIF';
}
