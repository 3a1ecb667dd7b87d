/** The entries of a log out of its bundles: a synchronised copy, or a log over HTTP. */
import { readBundle } from '../bundle.ts';
import { leafHash } from '../hash.ts';
import { TILE_WIDTH, tilePath, tileWidth } from '../tile-path.ts';
import type { Reader } from './compare-tiles.ts';
import { Tampered } from './report.ts';
import type { SegmentEntry } from './read-segments.ts';

/** Every entry up to the signed size, in order. Throws Tampered at a bundle that is none; ends where one is missing. */
export async function* readBundles(reader: Reader, signed: number, missing: string[]): AsyncGenerator<SegmentEntry> {
  for (let index = 0; index * TILE_WIDTH < signed; index++) {
    const width = tileWidth({ level: 'entries', index }, signed);
    const file = tilePath({ level: 'entries', index, width });
    const full = tilePath({ level: 'entries', index, width: TILE_WIDTH });
    const bytes = (await reader.read(file)) ?? (await reader.read(full));
    if (bytes === null) {
      missing.push(file);
      return;
    }
    const entries = readBundle(bytes);
    const first = index * TILE_WIDTH;
    if (entries === null || entries.length < width)
      throw new Tampered({ file, index: first, what: `is no bundle of ${width} entries` });
    for (const [at, entry] of entries.slice(0, width).entries())
      yield { index: first + at, entry: Buffer.from(entry), leaf: leafHash(entry), file };
  }
}
