/** One file part on its way into the blob store. */
import { basename } from 'node:path';
import { limits } from '#config/limits.ts';
import { FileValue } from '#actors/kit/file-value.ts';
import type { BlobStore, BlobUpload } from './store.ts';

const GENERIC = 'application/octet-stream';
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,63}\/[a-z0-9!#$&^_.+-]{1,63}$/;

export interface Uploaded {
  readonly value: FileValue;
  readonly upload: BlobUpload;
}

/** Stores a file's bytes, durably but without a name yet. On a fault nothing stays. */
export async function uploadFile(
  blobs: BlobStore,
  content: AsyncIterable<Uint8Array>,
  filename: string,
  declared: string,
): Promise<Uploaded> {
  const upload = await blobs.begin();
  try {
    const head: Uint8Array[] = [];
    let headBytes = 0;
    for await (const bytes of content) {
      if (headBytes < limits.multipart.sniffBytes) {
        head.push(bytes);
        headBytes += bytes.byteLength;
      }
      await upload.write(bytes);
    }
    const receipt = await upload.seal();
    const content_type = await typeOf(declared, Buffer.concat(head));
    return { value: new FileValue({ name: safeName(filename), content_type, ...receipt }), upload };
  } catch (error) {
    await upload.drop();
    throw error;
  }
}

/** What the caller said it is; where that says nothing, what its first bytes say. */
async function typeOf(declared: string, head: Uint8Array): Promise<string> {
  const type = declared.toLowerCase();
  if (MEDIA_TYPE.test(type) && type !== GENERIC) return type;
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined); // a damaged file is a file too
  return found?.mime ?? GENERIC;
}

/** The last part of a path, without what no file name should have. */
function safeName(filename: string): string {
  // oxlint-disable-next-line no-control-regex
  const name = basename(filename.replaceAll('\\', '/'))
    .replaceAll(/[\x00-\x1f\x7f]/g, '')
    .toWellFormed();
  return name === '' ? 'file' : Array.from(name).slice(0, limits.multipart.fileNameCharsMax).join('');
}
