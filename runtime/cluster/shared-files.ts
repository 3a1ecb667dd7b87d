/**
 * Whether the folders of files are the same for the node that serves and for one that carries hosts of it, as `cluster.files: shared` says: the first leaves a directory with the name of its life in each, and
 * the other looks for it. An empty directory is no file of any tenant.
 */
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** Below `storage.dir`: files of rows, content stores, revisions of products. */
const FOLDERS = ['blobs', 'content', 'revisions'] as const;
const MARK = '.serves-';

/** This life serves. Marks of lives before it are taken away. Throws where a folder cannot be written. */
export function markFolders(dataDir: string, life: string): void {
  for (const name of FOLDERS) {
    const folder = join(dataDir, name);
    mkdirSync(join(folder, MARK + life), { recursive: true });
    for (const old of readdirSync(folder))
      if (old.startsWith(MARK) && old !== MARK + life) rmdirSync(join(folder, old));
  }
}

/** Why files of that life's tenants would not lie where it looks for them; null where they do. */
export function unshared(dataDir: string, life: string): string | null {
  const name = FOLDERS.find((folder) => !existsSync(join(dataDir, folder, MARK + life)));
  return name === undefined
    ? null
    : `its folder ${name} of storage.dir is not the one here, and cluster.files says shared: mount it, or link it`;
}
