/** The entries of a log out of its bundles: a synchronised copy, or a log over HTTP. */
import { readBundle } from '../bundle.ts';
import { tileHashes } from '../fringe.ts';
import { leafHash } from '../hash.ts';
import { TILE_WIDTH, tilePath, tileWidth } from '../tile-path.ts';
import type { Reader } from './compare-tiles.ts';
import { Tampered } from './report.ts';
import type { SegmentEntry } from './read-segments.ts';

/** Every entry up to the signed size, in order; of a bundle that was pruned its hashes. Throws Tampered at a bundle that is none; ends where even its hashes are missing. */
export async function* readBundles(reader: Reader, signed: number, missing: string[]): AsyncGenerator<SegmentEntry> {
  for (let index = 0; index * TILE_WIDTH < signed; index++) {
    const width = tileWidth({ level: 'entries', index }, signed);
    const file = tilePath({ level: 'entries', index, width });
    const full = tilePath({ level: 'entries', index, width: TILE_WIDTH });
    const bytes = (await reader.read(file)) ?? (await reader.read(full));
    const first = index * TILE_WIDTH;
    if (bytes === null) {
      missing.push(file);
      const leaves = await leavesOf(reader, index, width);
      if (leaves === null) return;
      for (const [at, leaf] of leaves.entries()) yield { index: first + at, entry: null, leaf, file };
      continue;
    }
    const entries = readBundle(bytes);
    if (entries === null || entries.length < width)
      throw new Tampered({ file, index: first, what: `is no bundle of ${width} entries` });
    for (const [at, entry] of entries.slice(0, width).entries())
      yield { index: first + at, entry: Buffer.from(entry), leaf: leafHash(entry), file };
  }
}

/** The hashes that a pruned bundle has left. */
async function leavesOf(reader: Reader, index: number, width: number): Promise<Uint8Array[] | null> {
  const bytes =
    (await reader.read(tilePath({ level: 0, index, width }))) ??
    (await reader.read(tilePath({ level: 0, index, width: TILE_WIDTH })));
  const hashes = bytes === null ? null : tileHashes(bytes);
  return hashes === null || hashes.length < width ? null : hashes.slice(0, width);
}
