/** The files of a checkout that the loader reads, in one canonical archive: the same definitions give the same bytes, wherever they lie. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentSource } from '#config/definitions/content/load-content.ts';
import { isDirectory } from '#config/definitions/source.ts';
import { limits } from '#config/limits.ts';
import { readWeb, WEB } from './web/list-web.ts';
import { writeArchive, type ArchiveFile } from './product-archive.ts';

const FILES = ['product.yaml', 'archives.yaml'];
const DIRECTORIES = ['entities', 'stateflows', 'actions', 'endpoints', 'seeds', 'bff', 'mails', 'triggers', 'views'];
const CONTENT = 'content';

/** The files of `localdir` that the loader reads, as an archive. Throws, with a message for operators, past `limits.product.filesMax` files or `unpackedBytesMax` bytes. */
export function archiveCheckout(localdir: string, content: ContentSource): Buffer {
  const files: ArchiveFile[] = [];
  for (const name of FILES) addFile(files, join(localdir, name), name);
  for (const name of DIRECTORIES) addDirectory(files, join(localdir, name), name);
  // Stores and apps that the platform file declares belong to the node, so they are not archived with a product.
  if (content.type === 'meta') addDirectory(files, join(localdir, CONTENT), CONTENT);
  if (content.type === 'localdir') addDirectory(files, content.path, CONTENT);
  files.push(...readWeb(localdir));
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const { filesMax, unpackedBytesMax } = limits.product;
  if (files.length > filesMax || bytes > unpackedBytesMax)
    throw new Error(
      `${localdir} has more than ${filesMax} files or ${unpackedBytesMax} bytes of definitions: remove some`,
    );
  return writeArchive(files);
}

/** The files and folders that an archive of `localdir` is made of, whether or not they are there. */
export function checkoutRoots(localdir: string, content: ContentSource): string[] {
  const names = [...FILES, ...DIRECTORIES, WEB, ...(content.type === 'meta' ? [CONTENT] : [])];
  const roots = names.map((name) => join(localdir, name));
  return content.type === 'localdir' ? [...roots, content.path] : roots;
}

function addDirectory(files: ArchiveFile[], path: string, name: string): void {
  if (!isDirectory(path) || files.length > limits.product.filesMax) return;
  for (const entry of readdirSync(path)) {
    if (entry.startsWith('.')) continue;
    const below = join(path, entry);
    if (isDirectory(below)) addDirectory(files, below, `${name}/${entry}`);
    else addFile(files, below, `${name}/${entry}`);
  }
}

function addFile(files: ArchiveFile[], path: string, name: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    files.push({ path: name, bytes: readFileSync(path) });
}
