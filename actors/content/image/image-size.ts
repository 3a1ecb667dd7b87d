/** A size in which a store shows images. */
import { hash } from 'node:crypto';
import type { StoreImage } from '#config/definitions/content/shapes.ts';

export interface ImageSize {
  readonly declared: StoreImage;
  /** Names what is made: other declarations of a size, and other ways to make it, have other keys. */
  readonly key: string;
  readonly type: string;
  readonly extension: string;
}

/** To be raised when images are made in another way. */
const WAY = 1;

const EXTENSIONS = { webp: 'webp', jpeg: 'jpg', png: 'png' } as const;

/** The declared sizes by name. */
export function imagesOf(declared: Readonly<Record<string, StoreImage>>): ReadonlyMap<string, ImageSize> {
  return new Map(Object.entries(declared).map(([name, size]) => [name, imageOf(size)]));
}

function imageOf(declared: StoreImage): ImageSize {
  const { width, height, fit, format } = declared;
  const key = hash('sha256', JSON.stringify([WAY, width, height, fit, format]), 'hex').slice(0, 16);
  return { declared, key, type: `image/${format}`, extension: EXTENSIONS[format] };
}
