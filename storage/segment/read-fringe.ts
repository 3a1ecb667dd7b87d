/** The right edge of a tree at any size that it has had, out of its tiles. */
import type { ReadOnlyFiles } from './files.ts';
import { Fringe, tileHashes } from './fringe.ts';
import { TILE_WIDTH, tilePath } from './tile-path.ts';

/** The fringe of the first `size` entries; null when a tile is missing. What it leads to is for the caller to judge. */
export async function readFringe(files: ReadOnlyFiles, size: number): Promise<Fringe | null> {
  const levels: Uint8Array[][] = [];
  for (const [level, width] of Fringe.widths(size).entries()) {
    const hashes = width === 0 ? [] : await readTile(files, level, size, width);
    if (hashes === null) return null;
    levels.push(hashes);
  }
  return Fringe.at(size, levels);
}

async function readTile(
  files: ReadOnlyFiles,
  level: number,
  size: number,
  width: number,
): Promise<Uint8Array[] | null> {
  const bytes = await widestTile(files, level, Math.floor(size / TILE_WIDTH ** (level + 1)), width);
  const hashes = bytes === null ? null : tileHashes(bytes);
  return hashes === null || hashes.length < width ? null : hashes.slice(0, width);
}

/** The tile with at least `width` hashes: what it has grown to holds the same ones first. */
export async function widestTile(
  files: ReadOnlyFiles,
  level: number | 'entries',
  index: number,
  width: number,
): Promise<Buffer | null> {
  const full = tilePath({ level, index, width: TILE_WIDTH });
  const found = await files.read(full);
  if (found !== null) return found;
  const widths = (await files.names(`${full}.p`)).map(Number).filter((one) => one >= width);
  return widths.length === 0 ? null : files.read(`${full}.p/${Math.min(...widths)}`);
}
