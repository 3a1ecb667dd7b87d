/** The folder `web` of a checkout: which of its files are served, and what is wrong with it. Links are not followed, and dot files are left out. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import type { ArchiveFile } from '#runtime/product-archive.ts';

/** The folder's name in a checkout, and in a revision. */
export const WEB = 'web';

export interface WebFolder {
  /** Relative to the checkout, with `/`. */
  readonly paths: readonly string[];
  /** One line for operators each, with how to mend it. */
  readonly faults: readonly string[];
}

/** Looks at names, kinds and sizes, and reads no file. */
export function listWeb(localdir: string): WebFolder {
  const root = lstatSync(join(localdir, WEB), { throwIfNoEntry: false });
  if (root === undefined) return { paths: [], faults: [] };
  if (!root.isDirectory())
    return { paths: [], faults: [`${join(localdir, WEB)}: web is a folder, no file and no link`] };
  const found: Found = { paths: [], faults: [], bytes: 0 };
  walk(localdir, WEB, found);
  const { paths, faults, bytes } = found;
  const { bytesMax } = limits.web;
  if (bytes <= bytesMax) return { paths, faults };
  const much = `its files have ${bytes} bytes, and a product may have ${bytesMax}: keep large files in a content store`;
  return { paths, faults: [...faults, `${join(localdir, WEB)}: ${much}`] };
}

interface Found {
  readonly paths: string[];
  readonly faults: string[];
  bytes: number;
}

/** Stops when there are more files than any product may have. */
function walk(localdir: string, folder: string, found: Found): void {
  for (const name of readdirSync(join(localdir, folder)).toSorted()) {
    if (name.startsWith('.')) continue;
    if (found.paths.length > limits.product.filesMax) return;
    const path = `${folder}/${name}`;
    const stat = lstatSync(join(localdir, path));
    const fault = faultOf(path, stat.isDirectory() ? 'folder' : stat.isFile() ? stat.size : 'other');
    if (fault !== null) found.faults.push(`${join(localdir, path)}: ${fault}`);
    else if (stat.isDirectory()) walk(localdir, path, found);
    else {
      found.paths.push(path);
      found.bytes += stat.size;
    }
  }
}

function faultOf(path: string, kind: 'folder' | 'other' | number): string | null {
  const { fileBytesMax, pathBytesMax } = limits.web;
  if (kind === 'other') return 'it is no file and no folder: links are not served, copy the file here';
  // oxlint-disable-next-line no-control-regex -- these are what must not be in a name
  if (/[\\\u0000-\u001f\u007f]/.test(path)) return 'its name has a character that no address has: give it another';
  if (Buffer.byteLength(path) > pathBytesMax) return `its path is longer than ${pathBytesMax} bytes: shorten it`;
  if (typeof kind === 'number' && kind > fileBytesMax)
    return `it has ${kind} bytes, and a file may have ${fileBytesMax}: keep it in a content store`;
  return null;
}

/** The files with their bytes. Throws, with a message for operators, where the folder is faulty. */
export function readWeb(localdir: string): ArchiveFile[] {
  const { paths, faults } = listWeb(localdir);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return paths.map((path) => ({ path, bytes: readPlain(join(localdir, path)) }));
}

/** A file that became a link, a pipe or larger since it was looked at is refused. */
function readPlain(file: string): Buffer {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > limits.web.fileBytesMax) throw new Error(`${file} changes while it is read`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
