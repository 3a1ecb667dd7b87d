/**
 * Compares the files of rows and of content stores with their names, the SHA-256 of their bytes, and finds files that rows use but that are
 * missing.
 */
import { createHash } from 'node:crypto';
import { nextBlob } from '#storage/backup/take.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import type { Reader } from '#storage/port.ts';
import { isUsed } from '#actors/engine/files/store.ts';
import type { ScrubPace } from './pace.ts';

export interface FileScrub {
  readonly pace: ScrubPace;
  readonly looked: (files: number, bytes: number) => void;
  readonly found: (sha256: string, what: string) => void;
}

/** The files that rows of a tenant use. */
export async function scrubRowFiles(now: Reader, blobs: BlobStore, scrub: FileScrub): Promise<void> {
  for (let digest = nextBlob(now, ''); digest !== null; digest = nextBlob(now, digest)) {
    const sha256 = Buffer.from(digest, 'latin1').toString('hex');
    const state = await fileState(blobs, sha256, scrub);
    // A row that released it meanwhile is no loss.
    if (state === 'missing' && isUsed(now, sha256)) scrub.found(sha256, 'a file that a row uses is not there');
    if (state === 'damaged') scrub.found(sha256, 'the bytes of a file are not those that were stored');
  }
}

/** Every file in a content store. */
export async function scrubContent(store: string, blobs: BlobStore, scrub: FileScrub): Promise<void> {
  for await (const sha256 of blobs.digests()) {
    const what = `the bytes of a file of the content store ${store} are not those that were stored`;
    if ((await fileState(blobs, sha256, scrub)) === 'damaged') scrub.found(sha256, what);
  }
}

type FileState = 'whole' | 'damaged' | 'missing';

async function fileState(blobs: BlobStore, sha256: string, { pace, looked }: FileScrub): Promise<FileState> {
  const size = await blobs.size(sha256);
  await pace.rest();
  if (size === null) return 'missing';
  const hash = createHash('sha256');
  try {
    for await (const bytes of blobs.read(sha256, 0, size)) {
      hash.update(bytes);
      looked(0, bytes.byteLength);
      await pace.rest();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'missing';
    if (code === 'EIO') return 'damaged';
    throw error;
  }
  looked(1, 0);
  return hash.digest('hex') === sha256 ? 'whole' : 'damaged';
}
