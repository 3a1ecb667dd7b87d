/**
 * The console as a package brings it: texts in one file, without what compression makes of them, since that is two megabytes of the sixty that an installed package may take. The codings are made
 * when the file is read, beside the thread; until then a caller gets a file as it is.
 */
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { limits } from '#config/limits.ts';
import type { Coding } from '#runtime/door/compress/coding.ts';
import { unpackSite } from '#runtime/site/site-files.ts';
import { mediaTypeOf } from '#runtime/web/media-type.ts';
import { ASSETS, STAMP, type Build, type BuiltFile } from './built-files.ts';

/** Where the package has it, from its root; made of a build by `packSite`. */
export const PACKED_CONSOLE = 'console.json.br';

const ASSET = `/${ASSETS}/`;

/** Null where there is no such file. */
export function readPacked(path: string): Build | null {
  const packed = bytesAt(path);
  if (packed === null) return null;
  const files = unpackSite(packed);
  const text = (name: string): string => files.get(`/${name}`)!.bytes.toString('utf8');
  const assets = [...files].filter(([name]) => name.startsWith(ASSET));
  return {
    stamp: text(STAMP),
    page: text('index.html'),
    assets: new Map(assets.map(([name, { bytes }]) => [name.slice(ASSET.length), coded(name, bytes)])),
  };
}

function coded(name: string, bytes: Uint8Array): BuiltFile {
  const made: Partial<Record<Coding, Uint8Array>> = {};
  const keep = async (coding: Coding, packing: Promise<Uint8Array>): Promise<void> => {
    const packed = await packing;
    if (packed.length < bytes.length) made[coding] = packed;
  };
  if (bytes.length >= limits.door.compressedBytesMin) {
    void keep('br', promisify(brotliCompress)(bytes));
    void keep('gzip', promisify(gzip)(bytes));
  }
  return { type: mediaTypeOf(name), bytes, coded: made };
}

function bytesAt(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
