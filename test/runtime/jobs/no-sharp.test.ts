/** A machine without sharp: docs/contract/content.md §5.4. */
import { expect, test, vi } from 'vitest';
import { renderImage } from '#actors/kit/image/render.ts';

test('without sharp, or with one that has no binary for this machine, the answer says what to install', async () => {
  vi.doMock('sharp', () => {
    throw new Error('Could not load the "sharp" module using the linux-x64 runtime');
  });
  const wish = {
    source: new SharedArrayBuffer(4),
    size: { width: 1, height: 1, fit: 'cover', format: 'webp' },
  } as const;
  expect(await renderImage(wish)).toEqual({
    kind: 'missing',
    message: 'images in other sizes need the package sharp: npm install sharp@0.35.5, and start the node again',
  });
});
