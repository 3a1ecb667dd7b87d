/**
 * The files of the built documentation, by the path that a browser asks for. Most are texts; the package has them in one file, since
 * twenty megabytes in five hundred files are one when they are compressed together. Pictures stay as large as they are.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { ROOT } from '../place.ts';

/** Where `npm run build:site` puts it. */
export const SITE = `${ROOT}site`;
/** Where the package has it. */
export const PACKED_SITE = 'site.json.br';

export interface SiteFile {
  readonly bytes: Buffer;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.json': 'application/json; charset=utf-8',
  '.yml': 'text/plain; charset=utf-8',
  '.yaml': 'text/plain; charset=utf-8',
};
const INDEX = 'index.html';
/** Four seconds, once for a release: a tenth less than at 9, which takes half a second; 11 saves two hundredths more in ten seconds. */
const QUALITY = 10;
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/** The documentation of this Skep: of the package, else of a build in the clone. Empty where there is none. */
export function siteOf(root: string = ROOT): ReadonlyMap<string, SiteFile> {
  const packed = `${root}${PACKED_SITE}`;
  return existsSync(packed) ? unpackSite(readFileSync(packed)) : siteFiles(`${root}site`);
}

/** Every file below `dir`; an `index.html` also by its folder. Empty where there is no such folder. */
export function siteFiles(dir: string): ReadonlyMap<string, SiteFile> {
  return byPath(filesBelow(dir).map((file) => [`/${relative(dir, file)}`, readFileSync(file)]));
}

/** Files that are no texts, by their endings: base64 in what is packed. */
const BINARY: ReadonlySet<string> = new Set(['.webp']);

/** The files below `dir` as one. Throws where one is no text and none of the others that are known. */
export function packSite(dir: string): Buffer {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const texts = filesBelow(dir)
    .sort()
    .map((file) => {
      const bytes = readFileSync(file);
      return [`/${relative(dir, file)}`, BINARY.has(extname(file)) ? bytes.toString('base64') : text.decode(bytes)];
    });
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(JSON.stringify(Object.fromEntries(texts)), { params });
}

/** What `packSite` packed. */
export function unpackSite(packed: Buffer): ReadonlyMap<string, SiteFile> {
  const json = brotliDecompressSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX }).toString('utf8');
  const texts = Object.entries(JSON.parse(json) as Record<string, string>);
  return byPath(texts.map(([path, text]) => [path, Buffer.from(text, BINARY.has(extname(path)) ? 'base64' : 'utf8')]));
}

function byPath(files: readonly (readonly [string, Buffer])[]): ReadonlyMap<string, SiteFile> {
  const found = new Map<string, SiteFile>();
  for (const [path, bytes] of files) {
    const file = { bytes, type: TYPES[extname(path)] ?? 'application/octet-stream' };
    found.set(path, file);
    if (path.endsWith(`/${INDEX}`)) found.set(path.slice(0, -INDEX.length), file);
  }
  return found;
}

/** Plain files alone: a link could lead out of the folder. */
function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
