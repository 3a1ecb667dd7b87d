/** How large the data directory is, folder by folder. It reads names and sizes and opens no file. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

type Row = Readonly<Record<string, string | number>>;

/** Folders whose own folders are shown one by one: their names are numbers. */
const OPENED = new Set(['shards', 'journal']);
const BLOCK_BYTES = 512;

/**
 * A row for each folder of a data directory: its files, their bytes, and what they take of the disk (preallocated and sparse files differ). Those
 * of tenants and forms are together in one row. A node may change them meanwhile.
 */
export function folderSizes(dataDir: string): Row[] {
  if (!existsSync(dataDir)) return [];
  const rows = foldersIn(dataDir).flatMap((name) =>
    OPENED.has(name)
      ? foldersIn(join(dataDir, name)).map((inner) => sizeOf(dataDir, join(name, inner)))
      : [sizeOf(dataDir, name)],
  );
  return [sizeOf(dataDir, '', false), ...rows];
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

function sizeOf(dataDir: string, folder: string, recursive = true): Row {
  let [files, bytes, blocks] = [0, 0, 0];
  for (const name of readdirSync(join(dataDir, folder), { recursive }) as string[]) {
    const found = lstatSync(join(dataDir, folder, name), { throwIfNoEntry: false });
    if (found?.isFile() !== true) continue;
    files++;
    bytes += found.size;
    blocks += found.blocks;
  }
  return { folder: folder === '' ? '.' : folder, files, bytes, disk_bytes: blocks * BLOCK_BYTES };
}
