/** One file part on its way into the blob store. */
import { basename } from 'node:path';
import { limits } from '#config/limits.ts';
import { FileValue } from '#config/values/file-value.ts';
import { ReadPieces } from './piece.ts';
import type { BlobStore, BlobUpload } from './store.ts';

export const GENERIC = 'application/octet-stream';
export const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,63}\/[a-z0-9!#$&^_.+-]{1,63}$/;

export interface Uploaded {
  readonly value: FileValue;
  /** Its first bytes. */
  readonly head: Buffer;
  readonly upload: BlobUpload;
}

/** Stores a file's bytes, durably but without a name yet. On a fault nothing stays. */
export async function uploadFile(
  blobs: BlobStore,
  content: AsyncIterable<Uint8Array>,
  filename: string,
  declared: string,
  typeOf: TypeOf = declaredType,
): Promise<Uploaded> {
  const upload = await blobs.begin();
  try {
    const head: Uint8Array[] = [];
    let headBytes = 0;
    const pieces = new ReadPieces();
    for await (const bytes of content) {
      pieces.next(bytes);
      if (headBytes < limits.multipart.sniffBytes) {
        head.push(Buffer.from(bytes.subarray(0, limits.multipart.sniffBytes - headBytes)));
        headBytes += bytes.byteLength;
      }
      await upload.write(bytes);
    }
    const receipt = await upload.seal();
    const first = Buffer.concat(head);
    const content_type = await typeOf(declared, first);
    return { value: new FileValue({ name: safeName(filename), content_type, ...receipt }), head: first, upload };
  } catch (error) {
    await upload.drop();
    throw error;
  }
}

/** The media type of a file, by what its part said and its first bytes. */
export type TypeOf = (declared: string, head: Buffer) => Promise<string>;

/** The declared type; when that says nothing, the type by the first bytes. */
async function declaredType(declared: string, head: Buffer): Promise<string> {
  const type = declared.toLowerCase();
  if (MEDIA_TYPE.test(type) && type !== GENERIC) return type;
  return (await sniffedType(head)) ?? GENERIC;
}

/** The media type by a file's first bytes; null when they do not show one. */
export async function sniffedType(head: Uint8Array): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined); // a damaged file is a file too
  return found?.mime ?? null;
}

/** The last part of a path, without characters that do not belong in a file name. */
export function safeName(filename: string): string {
  // oxlint-disable-next-line no-control-regex
  const name = basename(filename.replaceAll('\\', '/'))
    .replaceAll(/[\x00-\x1f\x7f]/g, '')
    .toWellFormed();
  return name === '' ? 'file' : Array.from(name).slice(0, limits.multipart.fileNameCharsMax).join('');
}
