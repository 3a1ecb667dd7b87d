/** Compresses bytes that are sent many times: better, and for longer, than an answer that is made for one request. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { Coding } from './coding.ts';

const { constants } = zlib;
const brotli = promisify(zlib.brotliCompress) as (bytes: Uint8Array, options: zlib.BrotliOptions) => Promise<Buffer>;
const gzip = promisify(zlib.gzip) as (bytes: Uint8Array, options: zlib.ZlibOptions) => Promise<Buffer>;
const zstd = promisify(zlib.zstdCompress) as (bytes: Uint8Array, options: zlib.ZstdOptions) => Promise<Buffer>;

const BETTER: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }),
  gzip: (bytes) => gzip(bytes, { level: 9 }),
  zstd: (bytes) => zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } }),
};

/** On one of libuv's threads: half a second at most for the longest file that a site compresses. */
export function compressOnce(coding: Coding, bytes: Uint8Array): Promise<Buffer> {
  return BETTER[coding](bytes);
}
